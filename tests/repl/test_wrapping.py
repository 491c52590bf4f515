from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from chatbot.repl.wrapping import Wrapping

WORDS = st.lists(
    st.sampled_from(["a", "you", "lovely", "你好吗", "😀", "e\u0301t", "don't", "👩\u200d👧"]), max_size=20
)


def wrapped(text: str, cuts: list[int], columns: int, column: int = 0) -> list[str]:
    """The lines that come of a text in pieces."""
    written: list[str] = []
    wrapping = Wrapping(written.append, columns, column)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        wrapping.add(text[start:end])
    wrapping.flush()
    return "".join(written).split("\n")


@given(WORDS, st.lists(st.integers(0, 99), max_size=9))
def test_no_line_is_wider_than_the_terminal_nor_a_word_broken(words: list[str], cuts: list[int]) -> None:
    lines = wrapped(" ".join(words), cuts, 10)
    assert max(map(wcswidth, lines)) <= 10
    broken = {part for line in lines for part in line.split(" ") if part.isascii() and part}
    assert broken <= set(words)
    assert "".join(lines).replace(" ", "") == "".join(words)


@given(WORDS, st.lists(st.integers(0, 99), max_size=9), st.lists(st.integers(0, 99), max_size=9))
def test_lines_are_the_same_however_the_text_comes(
    words: list[str], cuts: list[int], others: list[int]
) -> None:
    text = " ".join(words)
    assert wrapped(text, cuts, 12, 5) == wrapped(text, others, 12, 5)


def test_first_line_is_shorter_by_what_stands_before_it() -> None:
    assert wrapped("one two three", [], 10, 5) == ["one", "two three"]


def test_word_wider_than_the_terminal_is_left_to_it() -> None:
    assert wrapped("hi " + "x" * 25 + " yes", [], 10) == ["hi", "x" * 25 + " yes"]


def test_whole_words_are_shown_before_the_rest_is_there() -> None:
    written: list[str] = []
    wrapping = Wrapping(written.append, 40)
    wrapping.add("how a")
    wrapping.add("re you")
    assert "".join(written) == "how are"
