"""The normaliser loses nothing a person can see, and says the same of what it has said."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.normalizer import build_normalizer, encodable, invisible_removed

KEEP, LOWER = build_normalizer(lower=False), build_normalizer(lower=True)
JOINERS = "\u200c\u200d"
TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text(
    st.sampled_from(
        list("aAé\u0301 \t\r\n\u00a0\u200b\u200d\ufeff\u2028'\u2019\u201c好И्😀\ufe0f\u0130ß\u1100\u1161")
    )
)


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        (" Hello \t there\r\n", "Hello there"),
        ("\ufeffhello", "hello"),
        ("a\u00a0b\u2003c\u3000d\u2028e", "a b c d e"),
        ("a\x00b\x07c\x1bd\x7fe\u0085f", "abcde f"),
        ("re\u00adad \u202eabc\u202c \u2066x\u2069", "read abc x"),
        ("cafe\u0301", "café"),
        ("\u1112\u1161\u11ab", "한"),
        ("\u2018it\u2019s\u201b \u201cso\u201d", "'it's' \"so\""),
        ("你好吗？", "你好吗？"),
        ("Приве́т, Ёж", "Приве́т, Ёж"),
        ("नमस्ते क्\u200dष", "नमस्ते क्\u200dष"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        (
            "👨\u200d👩\u200d👧 ❤\ufe0f 🏴\U000e0067\U000e0062\U000e007f",
            "👨\u200d👩\u200d👧 ❤\ufe0f 🏴\U000e0067\U000e0062\U000e007f",
        ),
        ("٣ 3 ３ ½ ²", "٣ 3 ３ ½ ²"),
        ("\u200b \u2060\ufeff", ""),
    ],
)
def test_normalizer_makes_texts_plain(typed: str, normal: str) -> None:
    assert KEEP.normalize_str(typed) == normal


@pytest.mark.parametrize(
    ("typed", "lower"), [("HeLLo ÀÉ", "hello àé"), ("ПРИВЕТ", "привет"), ("好ABC", "好abc")]
)
def test_lower_casing_is_a_step_of_its_own(typed: str, lower: str) -> None:
    assert LOWER.normalize_str(typed) == lower


@given(TEXTS)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    for normalizer in (KEEP, LOWER):
        once = normalizer.normalize_str(text)
        assert normalizer.normalize_str(once) == once


@given(TEXTS)
def test_all_that_is_seen_stays(text: str) -> None:
    """Letters, marks, digits, punctuation and symbols, as Python's own Unicode tables have them."""
    assert seen(KEEP.normalize_str(text)) == seen(text)


def seen(text: str) -> str:
    plain = text.translate(dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\uff07"), "'"))
    plain = plain.translate(dict.fromkeys(map(ord, "\u201c\u201d\u201f\uff02"), '"'))
    kept = (c for c in plain if c in JOINERS or unicodedata.category(c)[0] in "LMNPS")
    return unicodedata.normalize("NFC", "".join(kept))


@given(TEXTS)
def test_no_line_end_or_control_character_stays(text: str) -> None:
    for result in (KEEP.normalize_str(text), invisible_removed(text)):
        assert not [c for c in result if unicodedata.category(c) in {"Cc", "Zl", "Zp"}]


def test_half_characters_become_one_replacement_each() -> None:
    assert encodable("a\ud83db\udc00") == "a\ufffdb\ufffd"
    assert encodable("😀") == "😀"
