from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from chatbot.display.text import printable, visible, whole

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Lone surrogates and control codes included."""


@given(ANY_TEXT)
def test_printable_text_has_no_control_and_is_one_line(text: str) -> None:
    shown = printable(text)
    assert all(unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"} for char in shown)
    assert len(shown.splitlines()) <= 1


@given(ANY_TEXT, st.integers(0, 20))
def test_printable_offset_is_length_of_printable_prefix(text: str, offset: int) -> None:
    assert printable(text).startswith(printable(text[:offset]))


def test_printable_keeps_what_people_write() -> None:
    text = "¿Qué tal? 你好吗 привет 👨\u200d👩\u200d👧 e\u0301"
    assert printable(text) == text


def test_printable_drops_terminal_commands_and_overrides() -> None:
    assert printable("a\x1b[31mb\x07\x9bc\u202ed\u2066e\ufefff") == "a[31mbcdef"


def test_printable_makes_one_line() -> None:
    assert printable("a\nb\tc\u2028d") == "a b c d"


def test_visible_shows_controls_as_escapes() -> None:
    assert visible("a\x1b[2J\nb\u202e\udcff é") == r"a\x1b[2J\nb\u202e\udcff é"


@given(ANY_TEXT)
def test_visible_text_is_one_line_and_encodable(text: str) -> None:
    assert len(visible(text).encode("utf-8").decode("utf-8").splitlines()) <= 1


def test_whole_replaces_halves_of_characters_alone() -> None:
    assert whole("a\ud800b😀\x00") == "a\ufffdb😀\x00"
