"""Each way of truncation against a plain loop over one row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.truncation import at_least, locally_typical, most_likely, nucleus, sharpened

WEIGHTS = st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any)
SHARE = st.floats(0.01, 0.99)


def row_of(weights):
    return [weight / sum(weights) for weight in weights]


def kept(probs):
    assert probs.sum() == pytest.approx(1.0)
    return set(np.flatnonzero(probs).tolist())


def first(order, row, mass):
    """Places in an order until their probabilities come to ``mass``; impossible ones are never counted."""
    chosen, sum_of = set(), 0.0
    for place in order:
        if chosen and sum_of >= mass - 1e-12:
            break
        chosen.add(place)
        sum_of += row[place]
    return {place for place in chosen if row[place] > 0}


def near(row, mass, order):
    """Whether the mass is so near to a sum that rounding decides."""
    return any(abs(sum_of - mass) < 1e-9 for sum_of in np.cumsum([row[place] for place in order]))


@given(WEIGHTS, SHARE)
def test_nucleus_is_the_fewest_likeliest_that_come_to_p(weights, p):
    row = row_of(weights)
    order = sorted(range(len(row)), key=lambda place: -row[place])
    if not near(row, p, order):
        assert kept(nucleus(np.array([row]), p)) == first(order, row, p)


@given(WEIGHTS, SHARE)
def test_typical_are_those_whose_surprise_is_nearest_to_the_entropy(weights, mass):
    row = row_of(weights)
    entropy = -sum(p * math.log(p) for p in row if p)
    far = [abs(-math.log(p) - entropy) if p else math.inf for p in row]
    order = sorted(range(len(row)), key=lambda place: far[place])
    gaps = np.diff(sorted(x for x in far if x < math.inf))
    if not near(row, mass, order) and not (gaps < 1e-9).any():
        assert kept(locally_typical(np.array([row]), mass)) == first(order, row, mass)


@given(WEIGHTS, SHARE)
def test_min_p_keeps_what_is_a_share_of_the_likeliest(weights, share):
    row = row_of(weights)
    expected = {place for place, p in enumerate(row) if p >= share * max(row)}
    assert kept(at_least(np.array([row]), share)) == expected


@given(WEIGHTS, st.integers(1, 9))
def test_top_k_keeps_the_k_likeliest(weights, k):
    row = row_of(weights)
    order = sorted(range(len(row)), key=lambda place: -row[place])[:k]
    assert kept(most_likely(np.array([row]), k)) == {place for place in order if row[place] > 0}


@given(WEIGHTS, st.floats(0.05, 5))
def test_temperature_raises_probabilities_to_a_power(weights, temperature):
    row = np.array(row_of(weights))
    with np.errstate(divide="ignore"):
        found = sharpened(np.log(row)[None], temperature)[0]
    powers = row ** (1 / temperature)
    np.testing.assert_allclose(found, powers / powers.sum(), atol=1e-12)


def test_row_where_nothing_is_possible_stays_so():
    gains = np.array([[-np.inf, -np.inf], [-1.0, -np.inf]])
    probs = sharpened(gains, 0.5)
    np.testing.assert_array_equal(probs, [[0, 0], [1, 0]])
    for cut in (nucleus, locally_typical, at_least):
        np.testing.assert_array_equal(cut(probs, 0.5), probs)


def test_tiny_temperature_leaves_the_best_alone():
    np.testing.assert_array_equal(sharpened(np.array([[-2.0, -1.0, -1.1]]), 1e-308), [[0, 1, 0]])
