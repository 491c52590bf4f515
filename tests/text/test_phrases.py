from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.phrases import Phrases, Reading

LETTER = r"(?![\p{Han}])[\p{L}\p{M}\p{N}_]"
TEXTS = st.text("aAb 好'!", max_size=14)


def held(phrases: list[str], text: str) -> bool:
    """The same by a regular expression, whose letters around a phrase join only what is a letter itself."""
    text = " ".join(text.split())
    for phrase in (" ".join(each.lower().split()) for each in phrases):
        if not phrase:
            continue
        before = rf"(?<!{LETTER})" if regex.match(LETTER, phrase[0]) else ""
        after = rf"(?!{LETTER})" if regex.match(LETTER, phrase[-1]) else ""
        if regex.search(before + regex.escape(phrase) + after, text.lower()):
            return True
    return False


@given(st.lists(st.text("ab 好'!", min_size=1, max_size=4), max_size=4), TEXTS)
def test_phrases_are_held_where_a_regular_expression_finds_them(phrases: list[str], text: str) -> None:
    assert Phrases(phrases).held(text) == held(phrases, text)


@given(TEXTS, TEXTS)
def test_text_read_in_pieces_is_read_as_a_whole(first: str, second: str) -> None:
    phrases = Phrases(["ab", "a b", "好", "b'a"])
    reading, early = phrases.read(Reading(), first)
    reading, late = phrases.read(reading, second)
    whole, found = phrases.read(Reading(), first + second)
    assert (reading, early or late) == (whole, found)


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("Art!", True),
        ("START arts", False),
        ("an ART", True),
        ("SHUT   up, please", True),
        ("shut, up", False),
        ("shutup", False),
        ("我不好意思", True),
        ("\u201cart\u201d", True),
        ("ar\u200bt", True),
        ("", False),
    ],
)
def test_phrases_are_words_in_any_case(text: str, is_held: bool) -> None:
    assert Phrases(["art", "Shut up", "不好", "", "  "]).held(text) == is_held


def test_lines_are_tidied_and_count_once() -> None:
    assert Phrases([" Shut\tUP ", "shut up", "", "Don\u2019t"]).texts == ("don't", "shut up")
