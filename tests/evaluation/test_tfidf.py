"""TF-IDF against a twin that goes through all texts with dictionaries."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.evaluation.tfidf import TfIdf, terms_of

VOCABULARY = ["cat", "dog", "the", "the", "a", "sat", "ran"]
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8).map(" ".join)


def twin(texts: list[str], first: str, second: str) -> float:
    frequency = Counter(term for text in texts for term in set(text.split()))

    def weights(text: str) -> dict[str, float]:
        counts = {term: n for term, n in Counter(text.split()).items() if term in frequency}
        plain = {t: (1 + math.log(n)) * math.log(1 + len(texts) / frequency[t]) for t, n in counts.items()}
        norm = math.sqrt(sum(value**2 for value in plain.values()))
        return {term: value / norm for term, value in plain.items()}

    ours, theirs = weights(first), weights(second)
    return sum(value * theirs.get(term, 0.0) for term, value in ours.items())


@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_similarities_are_those_of_the_formula(texts: list[str], asked: str) -> None:
    index = TfIdf(texts)
    wanted = [twin(texts, asked, text) for text in texts]
    assert index.similarities(asked).tolist() == pytest.approx(wanted)
    assert [index.between(asked, text) for text in texts] == pytest.approx(wanted)


def test_nearest_is_the_first_text_that_is_most_alike() -> None:
    index = TfIdf(["the cat sat", "the dog ran", "The dog ran!"])
    assert index.nearest("a DOG, ran?") == 1
    assert index.nearest("the") is not None
    assert index.nearest("zebra") is None


def test_rare_words_count_for_more() -> None:
    index = TfIdf(["the cat", "the dog", "the cow", "the zebra is here"])
    assert index.nearest("the only zebra") == 3


def test_texts_without_words_are_like_nothing() -> None:
    index = TfIdf(["?!", "hello"])
    assert index.similarities("?!").tolist() == [0.0, 0.0]


def test_terms_are_words_without_punctuation_in_any_script() -> None:
    assert terms_of("Don't, (stop) -- 你好") == ["don't", "stop", "你", "好"]
