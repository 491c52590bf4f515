from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.blocking import Blocker, repeats
from chatbot.decoding.engine import EOS
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import NoQuoting, Terms

NGRAMS = st.integers(1, 4)
PREFIXES = st.integers(0, 9).flatmap(
    lambda length: st.lists(
        st.lists(st.integers(3, 6), min_size=length, max_size=length), min_size=1, max_size=4
    )
)


def forbidden(bias):
    if bias is None:
        return set()
    assert np.all(bias.values == -np.inf)
    return set(zip(bias.rows.tolist(), bias.tokens.tolist(), strict=True))


def biased(prefixes, ngram=0, never=(), min_length=0, rules=(), owners=None):
    array = np.array(prefixes, np.int64).reshape(len(prefixes), -1)
    terms = Terms(Limits(20, block_ngram=ngram, never=tuple(never), min_length=min_length), rules=rules)
    owners = np.arange(len(prefixes)) if owners is None else np.array(owners)
    return forbidden(Blocker(terms).bias(array, owners, array.shape[1]))


@given(PREFIXES, NGRAMS)
def test_repeats_are_the_tokens_a_naive_twin_finds(twins, prefixes, ngram):
    already = [twins.repeats(tuple(prefix), ngram) for prefix in prefixes]
    rows, tokens = repeats(np.array(prefixes, np.int64).reshape(len(prefixes), -1), ngram)
    found = set(zip(rows.tolist(), tokens.tolist(), strict=True))
    for row, prefix in enumerate(prefixes):
        grams = {tuple(prefix[i : i + ngram]) for i in range(len(prefix) - ngram + 1)}
        for token in range(3, 7):
            last = (*prefix, token)[-ngram:] if len(prefix) + 1 >= ngram else None
            assert ((row, token) in found) == (last in grams)
            if not already[row]:
                assert ((row, token) in found) == twins.repeats((*prefix, token), ngram)


@given(PREFIXES, st.lists(st.integers(3, 6), max_size=8), NGRAMS)
def test_runs_of_a_source_are_the_tokens_a_naive_twin_finds(prefixes, source, ngram):
    rule = NoQuoting([[[9, 9]], [source, source[::-1]]], ngram)
    owners = [1] * len(prefixes)
    grams = {
        tuple(text[i : i + ngram]) for text in (source, source[::-1]) for i in range(len(text) - ngram + 1)
    }
    found = biased(prefixes, rules=(rule,), owners=owners)
    for row, prefix in enumerate(prefixes):
        for token in range(3, 7):
            run = (*prefix, token)[-ngram:]
            assert ((row, token) in found) == (len(run) == ngram and run in grams)


def test_blocker_adds_up_what_is_never_said_what_repeats_and_what_rules_forbid():
    rule = NoQuoting([[[5, 6]]], 1)
    found = biased([[4, 5, 4], [5, 5, 6]], ngram=2, never=(0, 1), rules=(rule,), owners=[0, 0])
    always = {(row, token) for row in (0, 1) for token in (0, 1, 5, 6)}
    assert found == always | {(0, 5)}


def test_blocker_without_rules_has_no_bias():
    assert biased([[4], [4]]) == set()


def test_blocker_never_names_the_end_but_for_the_minimum_length():
    assert biased([[4, 5, 6]], ngram=1, never=(0, 1, 2)) == {(0, token) for token in (0, 1, 2, 4, 5, 6)}
    assert biased([[4]], min_length=2) == {(0, EOS)}
    assert biased([[4, 5]], min_length=2) == set()


def test_constant_bias_follows_the_number_of_rows():
    blocker = Blocker(Terms(Limits(20, never=(0,))))
    for rows in (2, 2, 5, 1):
        empty = np.empty((rows, 0), np.int64)
        assert forbidden(blocker.bias(empty, np.arange(rows), 0)) == {(row, 0) for row in range(rows)}
