"""The word cut: nothing of a text is lost, and words are what nltk's casual tokenizer finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import TweetTokenizer

from chatbot.text.casual import pieces
from chatbot.text.normalizer import build_normalizer

NORMALIZER = build_normalizer(lower=False)


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_pieces_joined_are_the_text(typed: str) -> None:
    text = " " + NORMALIZER.normalize_str(typed)
    assert "".join(pieces(text)) == text
    assert text == " " or all(piece.strip() for piece in pieces(text))


@pytest.mark.parametrize(
    "text",
    [
        "Hello there, how are you?",
        "I don't know... do you :-) ?!",
        "see http://example.org/a?b=c or mail me@example.org",
        "@ann likes #tea at 10:30, $3.50",
        "привет, как дела?",
    ],
)
def test_words_are_those_of_nltk(text: str) -> None:
    assert [piece.strip() for piece in pieces(" " + text)] == TweetTokenizer().tokenize(text)


def test_special_tokens_are_cut_apart() -> None:
    assert pieces(" a<eos> <pad>") == [" a", "<", "eos>", " <", "pad>"]


@pytest.mark.parametrize("char", ["#", "<", "(", "x", "好"])
def test_any_text_is_cut_in_linear_time(char: str) -> None:
    """nltk's pattern alone takes minutes for some of these; a word that long is cut up."""
    text = " " + char * 100_000
    found = pieces(text)
    assert "".join(found) == text
    assert max(map(len, found)) <= 129
