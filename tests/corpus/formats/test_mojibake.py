"""Mojibake: broken text is repaired, right text is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats.mojibake import repaired


def broken(text: str) -> str:
    """As Facebook writes it: a character for each byte."""
    return "".join(chr(byte) for byte in text.encode("utf-8"))


@given(st.text())
def test_broken_text_is_repaired(text: str) -> None:
    assert repaired(broken(text)) == text


@given(st.text(st.characters(max_codepoint=0x7F)) | st.text(st.characters(min_codepoint=0x100)))
def test_text_without_bytes_above_ascii_is_left_alone(text: str) -> None:
    assert repaired(text) == text


@given(st.text(), st.characters(min_codepoint=0x100, exclude_categories=("Cs",)))
def test_one_character_that_is_no_byte_shows_that_a_text_is_right(text: str, sign: str) -> None:
    assert repaired(broken(text) + sign) == broken(text) + sign


@given(st.text())
def test_text_is_changed_only_where_it_is_what_a_broken_one_would_be(text: str) -> None:
    assert repaired(text) == text or broken(repaired(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("café", "naïve — ok", "Grüße", "¿Qué tal?", "señor", "été à Noël", "Ærø", "50 £", "20 °C", "©"),
        *("", "plain", "привет", "你好", "half \ufffd", "\ud83d"),
    ],
)
def test_right_text_is_left_alone(text: str) -> None:
    assert repaired(text) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("\u00f0\u009f\u0098\u00a0", "\U0001f620"),
        ("caf\u00c3\u00a9", "café"),
        ("Z\u00c3\u00bcrich \u00e2\u0080\u0094 ok", "Zürich — ok"),
    ],
)
def test_text_of_facebook_is_repaired(text: str, meant: str) -> None:
    assert repaired(text) == meant
