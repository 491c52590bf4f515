"""Intervals and paired tests against formulas and full enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from chatbot.evaluation.resampling import exponential, interval, paired_p, ratio


def test_sums_are_of_all_replies() -> None:
    nats, words = np.array([1.0, 2.0, 6.0]), np.array([1, 2, 3])
    assert ratio(nats, words).value == 1.5
    assert ratio(nats).value == 3.0
    assert exponential(nats, words).value == pytest.approx(math.exp(1.5))


def test_perplexity_too_large_for_a_number_is_infinite() -> None:
    assert exponential(np.array([1e6]), np.array([1])).value == math.inf


def test_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    """Efron: for a mean of many the percentile interval is mean ± 1.96 standard errors."""
    values = np.random.default_rng(3).normal(5.0, 2.0, 900)
    found = interval(ratio(values), seed=1, resamples=4000)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=0.1 * half)


def test_interval_of_equal_replies_is_a_point() -> None:
    assert interval(ratio(np.full(9, 0.25)), seed=0) == (0.25, 0.25)


def test_interval_of_one_reply_is_none() -> None:
    assert interval(ratio(np.ones(1)), seed=0) is None


def test_interval_replays_with_its_seed() -> None:
    figure = ratio(np.random.default_rng(0).random(40))
    assert interval(figure, seed=7) == interval(figure, seed=7)
    assert interval(figure, seed=7) != interval(figure, seed=8)


def test_paired_p_is_that_of_all_exchanges() -> None:
    """Eight questions: 256 exchanges can be gone through."""
    random = np.random.default_rng(5)
    ours, theirs = random.random(8), random.random(8) * 0.7
    gap = ours - theirs
    observed = abs(gap.mean())
    signs = itertools.product([1, -1], repeat=8)
    exact = np.mean([abs((np.array(sign) * gap).mean()) >= observed - 1e-12 for sign in signs])
    assert paired_p(ratio(ours), ratio(theirs), seed=0, resamples=20_000) == pytest.approx(exact, abs=0.01)


def test_paired_p_of_the_same_replies_is_one() -> None:
    figure = ratio(np.arange(9.0))
    assert paired_p(figure, figure, seed=0) == 1.0


def test_paired_p_of_a_clear_difference_is_the_smallest_there_is() -> None:
    ours = np.random.default_rng(0).random(60)
    assert paired_p(ratio(ours), ratio(ours + 0.5), seed=0, resamples=999) == 1 / 1000


def test_paired_p_is_even_where_nothing_differs() -> None:
    """Under the null hypothesis a tenth of the tests find p below 0.1."""
    random = np.random.default_rng(11)
    found = []
    for seed in range(300):
        sides = random.normal(size=(2, 30))
        found.append(paired_p(ratio(sides[0]), ratio(sides[1]), seed, resamples=199))
    assert np.mean(np.array(found) <= 0.1) == pytest.approx(0.1, abs=0.05)
