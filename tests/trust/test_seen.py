"""Words that were met and words that were not, in any script, and replies that were given."""

from __future__ import annotations

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.errors import CheckpointError
from chatbot.trust import seen as seen_module
from chatbot.trust.seen import OFTEN, Seen, Sightings, countable_words, one_edit, plain

TALK = [
    ("Hello there, how are you?", "Fine, thanks."),
    ("What's your name", "I'm Tiny"),
    ("room 42 is free", "good"),
    ("你好吗", "我很好"),
    ("как дела", "хорошо"),
    ("good night 😀", "sleep well 😴"),
] * OFTEN


def met(pairs: list[tuple[str, str]]) -> Seen:
    sightings = Sightings()
    for question, reply in pairs:
        sightings.add([question], reply)
    return sightings.seen()


@pytest.fixture(scope="module")
def seen() -> Seen:
    return met(TALK)


@pytest.mark.parametrize(
    "question",
    ["zyzzyva qwrt?", "Zyzzyva!", "再见", "спасибо большое", "🦑🦑", "xylophone\nquartz", "ça"],
)
def test_question_without_a_word_that_was_met_is_strange(seen: Seen, question: str) -> None:
    assert seen.is_strange(question)
    assert seen.known(question) == 0


@pytest.mark.parametrize(
    "question",
    [
        "hello",
        "HELLO!!!",
        "zyzzyva, hello",
        "hello,how",
        "“what’s” that",
        "7",
        "好",
        "как",
        "😀",
        "😀😀👍🏽",
        "helo",
        "hlelo",
        "hellp",
        "nigth",
        "helllooooo",
        "дело",
        "",
        "   ",
        "???",
        "...!",
        "—",
        "。？",
        "'-'",
    ],
)
def test_question_with_a_word_that_was_met_or_without_any_is_not_strange(seen: Seen, question: str) -> None:
    assert not seen.is_strange(question)


def test_misspelling_of_a_rare_word_is_strange() -> None:
    pairs = [("hello", "hi")] * (OFTEN - 1)
    assert met(pairs).is_strange("helo")
    assert not met([*pairs, *pairs]).is_strange("helo")


def test_known_is_the_share_of_the_words(seen: Seen) -> None:
    assert seen.known("hello zyzzyva how qwrt") == 0.5
    assert seen.known("?") == 1


def test_reply_is_told_but_for_case_and_spaces(seen: Seen) -> None:
    assert seen.is_reply("fine,  THANKS.")
    assert seen.is_reply("I’m tiny")
    assert not seen.is_reply("fine thanks")
    assert not seen.is_reply("hello there, how are you?")


def test_too_many_replies_are_not_known_rather_than_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_module, "MOST_REPLIES", 2)
    assert met(TALK).is_reply("I'm Tiny") is None
    assert met(TALK).known("hello") == 1


def test_counting_in_parts_changes_nothing(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_module, "TOGETHER", 3)
    assert met(TALK).to_bytes() == seen.to_bytes()


def test_what_is_stored_is_read_back(seen: Seen) -> None:
    back = Seen.from_bytes(seen.to_bytes(), "seen")
    for name in ("words", "often", "replies"):
        assert getattr(back, name).tolist() == getattr(seen, name).tolist()
    assert back.letters == seen.letters
    unknown = Seen(seen.words, seen.often, None, seen.letters)
    assert Seen.from_bytes(unknown.to_bytes(), "seen").is_reply("good") is None


def test_both_have_what_either_has(seen: Seen) -> None:
    both = seen | met([("zyzzyva", "qwrt")])
    assert both.known("zyzzyva hello") == 1
    assert both.is_reply("qwrt")
    assert both.is_reply("good")


@pytest.mark.parametrize("data", [b"", b"{}", b"\x10\0\0\0\0\0\0\0{}"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CheckpointError, match=r"^seen: cannot be read .*; restore it, or train again$"):
        Seen.from_bytes(data, "seen")


def test_hashes_of_another_shape_are_refused(seen: Seen) -> None:
    odd = Seen(seen.words[:2].reshape(1, 2), np.array([[1]], dtype=np.uint32), None)
    with pytest.raises(CheckpointError):
        Seen.from_bytes(odd.to_bytes(), "seen")


@given(st.text(st.characters(exclude_categories=())))
def test_words_are_the_same_however_the_text_is_typed(text: str) -> None:
    words = countable_words(text)
    assert words == countable_words(f"  {text}\t")
    assert words == countable_words(plain(text))
    assert all(word.strip() for word in words)


@given(st.text(string.printable))
def test_quick_way_for_plain_letters_finds_what_the_long_one_does(text: str) -> None:
    assert [*countable_words(text), "é"] == countable_words(f"{text} é")


def distance(one: str, other: str) -> int:
    """Damerau-Levenshtein distance where no part is edited twice, by its recursion."""
    table = {(i, j): max(i, j) for i in range(len(one) + 1) for j in range(len(other) + 1) if not i or not j}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            changed = one[i - 1] != other[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + changed)
            if i > 1 and j > 1 and (one[i - 1], one[i - 2]) == (other[j - 2], other[j - 1]):
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one), len(other)]


@given(st.text("abc", min_size=1, max_size=4), st.text("abc", max_size=5))
def test_one_edit_gives_all_at_a_distance_of_one(word: str, other: str) -> None:
    assert (other in one_edit(word, "abc")) == (distance(word, other) == 1)
