from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.blocking import Blocker, repeats

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


@given(st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=5), min_size=1, max_size=12), NGRAMS)
def test_blocker_follows_rows_as_they_are_reordered(twins, steps, ngram):
    blocker = Blocker([0], ngram, rows=1)
    prefixes = [()]
    for choices in steps:
        rows = [choice % len(prefixes) for choice in choices]
        tokens = [4 + choice % 3 for choice in choices]
        # Only replies a search could have made: without a repetition, unless there is no choice left.
        pairs = [
            (r, t) for r, t in zip(rows, tokens, strict=True) if not twins.repeats((*prefixes[r], t), ngram)
        ]
        if not pairs:
            break
        rows, tokens = zip(*pairs, strict=True)
        prefixes = [(*prefixes[row], token) for row, token in pairs]
        blocker.follow(np.array(rows), np.array(tokens))
        expected = {
            (i, t) for i, p in enumerate(prefixes) for t in (4, 5, 6) if twins.repeats((*p, t), ngram)
        }
        assert forbidden(blocker.bias()) == expected | {(i, 0) for i in range(len(prefixes))}


def test_blocker_without_rules_has_no_bias():
    blocker = Blocker([], 0, rows=2)
    blocker.follow(np.array([1, 1]), np.array([4, 4]))
    assert blocker.bias() is None


def test_blocker_never_names_the_end():
    blocker = Blocker([0, 1, 2], 1, rows=1)
    for token in (4, 5, 6):
        blocker.follow(np.array([0]), np.array([token]))
    assert {token for _, token in forbidden(blocker.bias())} == {0, 1, 2, 4, 5, 6}
