from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.engine import EOS
from chatbot.decoding.forced import forced
from chatbot.decoding.search import search

TOKENS = st.lists(st.integers(3, 6), max_size=5).map(lambda said: [*(t for t in said if t != EOS), EOS])


@given(st.integers(0, 99), st.lists(st.tuples(st.integers(0, 2), TOKENS), min_size=1, max_size=5))
def test_given_replies_get_the_sum_over_their_own_tokens(
    make_engine: Callable[..., Any], twins: Any, seed: int, pairs: list[tuple[int, list[int]]]
) -> None:
    engine = make_engine(seed, sources=3)
    sources = [[source] * (1 + len(target)) for source, target in pairs]
    targets = [target for _, target in pairs]
    found = forced(engine, sources, targets)
    for source, target, hypothesis in zip(sources, targets, found, strict=True):
        assert hypothesis.tokens == tuple(target)
        expected = twins.log_prob(engine, source, tuple(target))
        assert hypothesis.log_prob == hypothesis.score == pytest.approx(expected, abs=1e-5)
        said = [(2, *target[:place]) for place in range(len(target))]
        np.testing.assert_array_equal(hypothesis.weights, [engine.looked(source, each) for each in said])


@pytest.mark.parametrize("seed", range(5))
def test_reply_that_was_searched_for_is_forced_to_the_same(
    make_engine: Callable[..., Any], seed: int
) -> None:
    engine = make_engine(seed)
    ((best,),) = search(engine, [[4, 5]], beam=3, max_length=4)
    (again,) = forced(engine, [[4, 5]], [best.tokens])
    assert again.log_prob == pytest.approx(best.log_prob)
    np.testing.assert_array_equal(again.weights, best.weights)


def test_impossible_reply_has_no_probability(engine_of: Callable[..., Any]) -> None:
    (found,) = forced(engine_of({(0, 2): {4: 1.0}}), [[4]], [[5, EOS]])
    assert found.log_prob == -np.inf


def test_nothing_is_forced_to_nothing(make_engine: Callable[..., Any]) -> None:
    assert forced(make_engine(0), [], []) == []
