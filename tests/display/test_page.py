"""The page as markup, and as a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.display.exhibit import Exhibit
from chatbot.display.page import page
from chatbot.display.palette import PALETTES
from tests.display.attentions import TURNS, WIDE, TurnedAttention, attention, attentions
from tests.display.chromium import browser, chromium

QUESTION, REPLY = "how are you", "i am"
SHOWN = Exhibit("tiny", QUESTION, REPLY, -1.0, attention(QUESTION, REPLY, (0.9, 0.06, 0.04), (0.0, 0.3, 0.7)))
NASTY = "<script>alert(1)</script>&\"'"


class Reader(HTMLParser):
    """Collects tags, classes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def having(self, name: str) -> list[dict[str, str | None]]:
        return [facts for _, facts in self.tags if name in (facts.get("class") or "").split()]


def policy(text: str) -> str:
    metas = [facts for tag, facts in Reader(text).tags if tag == "meta"]
    return next(
        str(facts["content"]) for facts in metas if facts.get("http-equiv") == "Content-Security-Policy"
    )


def test_reply_words_carry_what_they_looked_at() -> None:
    said = Reader(page("x", [SHOWN])).having("r")
    assert [word["data-w"] for word in said] == ["0.9 0.06 0.04", "0 0.3 0.7"]
    assert said[0]["title"] == "i ← how 0.90, are 0.06, you 0.04"
    assert all(word["tabindex"] == "0" for word in said)


def test_texts_are_as_typed_between_the_words() -> None:
    shown = Exhibit("tiny", "who?  me", "you!", 0.0, TURNS, turns=("hello", "hi there"))
    texts = "".join(Reader(page("x", [shown])).texts)
    assert "2 turns beforehello\n1 turn beforehi there\nquestionwho?  me\n" in texts


def test_policy_allows_the_one_style_and_the_one_script_and_nothing_else() -> None:
    text = page("x", [SHOWN])
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy(text)
    assert policy(text).startswith("default-src 'none'; ")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|src=|href=", text)


def test_theme_is_the_readers_unless_one_is_asked_for() -> None:
    both, dark = page("x", [SHOWN]), page("x", [SHOWN], theme="dark")
    assert "prefers-color-scheme:dark" in both
    assert "prefers-color-scheme" not in dark
    assert PALETTES["dark"].all in dark
    assert PALETTES["light"].all not in dark


def test_texts_are_never_markup() -> None:
    words = attention(NASTY, NASTY, (1.0,) * NASTY.count(" ") or (1.0,))
    shown = Exhibit(NASTY, NASTY, NASTY, 0.0, words, note=NASTY, turns=(NASTY,))
    tags = Reader(page(NASTY, [shown])).tags
    assert [tag for tag, _ in tags].count("script") == 1
    assert all(not name.startswith("on") for _, facts in tags for name in facts)


def test_reply_without_attention_is_shown_with_a_word_about_it() -> None:
    text = page("x", [Exhibit("none", "hi", "ho", 0.0, None)])
    assert "This reply has no attention to show." in text
    assert Reader(text).having("r") == []


@given(attentions(), st.text(st.characters(exclude_categories=())))
def test_any_words_and_weights_make_a_page(shown: TurnedAttention, text: str) -> None:
    made = page(text, [Exhibit(text, text, text, 0.0, shown, turns=(text,))])
    read = Reader(made)
    assert made.encode()
    assert len(read.having("r")) == len(shown.reply) + bool(shown.end)
    assert [word["data-j"] for word in read.having("w")] == [str(j) for j in range(len(shown.source))]
    assert not {tag for tag, _ in read.tags} & {"img", "iframe", "object", "a", "form"}


@pytest.mark.slow
@pytest.mark.skipif(browser() is None, reason="no Chromium here")
def test_browser_lights_what_a_word_looked_at_and_asks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    nasty = Exhibit("x", NASTY, "<img src=http://127.0.0.1:9/x>", 0.0, None)
    path.write_text(page("x", [SHOWN, Exhibit("wide", "", "", 0.0, WIDE), nasty]), encoding="utf-8")
    with chromium(tmp_path / "profile") as tab:
        tab.open(path)
        classes = "[...document.querySelectorAll('section:nth-of-type(1) {}')].map(e => e.className)"
        lit, told = classes.replace("{}", ".w"), "document.querySelector('.told').textContent"
        tab.point_at("section:nth-of-type(1) .r:nth-of-type(3)")
        assert tab.value(lit) == ["w s0", "w s6", "w s14"]
        assert tab.value(told) == "am ← you 0.70, are 0.30"
        shades = PALETTES["light"].shades()
        colour = "getComputedStyle(document.querySelectorAll('.w')[2]).backgroundColor"
        red, green, blue = (int(shades[14][place : place + 2], 16) for place in (1, 3, 5))
        assert tab.value(colour) == f"rgb({red}, {green}, {blue})"
        tab.point_at("h1")
        assert tab.value(lit) == ["w", "w", "w"]
        tab.value("document.querySelector('.r').focus()")
        assert tab.value(lit) == ["w s18", "w s1", "w s1"]
        tab.value("document.activeElement.blur()")
        tab.point_at("section:nth-of-type(1) .w:nth-of-type(2)")
        assert tab.value(classes.replace("{}", ".r")) == ["r s18", "r s0"]
        assert tab.requests() == [path.resolve().as_uri()]
        assert tab.complaints() == []
