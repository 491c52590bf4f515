"""Graphs as an engine, judged against the network in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from chatbot.decoding.engine import BOS, Bias
from chatbot.decoding.search import search
from chatbot.engines.onnx_engine import BLOCK

SOURCES = [[5, 6, 7, 8], [9], [4, 4, 10, 11, 12, 5, 6]]
MakeBoth = Callable[..., Any]

KINDS: list[dict[str, Any]] = [
    {},
    {"cell": "gru", "attention": "additive", "ask": "feeding", "layers": 2},
    {"attention": "cosine", "align": "ntm", "ask": "previous", "decoder": "ntm"},
    {"attention": "multi-head", "encoder": "transformer", "decoder": "transformer", "layers": 2},
    {"encoder": "snail", "decoder": "snail", "coverage": True},
    {"encoder": "lstmn", "self_attention": True, "output": "pointer-generator"},
    {"attention": "none", "reverse_source": True, "tie": False},
    {"output": "pointer"},
]


def named(options: dict[str, Any]) -> str:
    return "-".join(map(str, options.values())) or "default"


@pytest.mark.parametrize("options", KINDS, ids=named)
@pytest.mark.parametrize("beam", [1, 4])
def test_both_engines_give_the_same_replies(make_both: MakeBoth, options: dict[str, Any], beam: int) -> None:
    both = make_both(**options)
    found, wanted = (
        search(engine, SOURCES, beam=beam, n_best=beam, max_length=8) for engine in (both.onnx, both.torch)
    )
    for some, others in zip(found, wanted, strict=True):
        assert [each.tokens for each in some] == [each.tokens for each in others]
        np.testing.assert_allclose(
            [each.log_prob for each in some], [each.log_prob for each in others], atol=1e-4
        )
        for one, other in zip(some, others, strict=True):
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)


def test_words_the_vocabulary_lacks_are_copied_alike(make_both: MakeBoth) -> None:
    both = make_both(output="pointer-generator")
    sources = [[30, 5, 31, 30], [6], [7, 30]]
    steps = [engine.step(np.full(3, BOS), engine.start(sources), 30) for engine in (both.onnx, both.torch)]
    for onnx, torch_ in zip(steps[0].log_probs, steps[1].log_probs, strict=True):
        np.testing.assert_allclose(onnx, torch_, atol=1e-4)
    assert 30 in steps[0].tokens[0]
    assert set(steps[0].tokens[1]) <= set(range(30))


def test_batch_mates_change_nothing(make_both: MakeBoth) -> None:
    engine = make_both().onnx
    together = search(engine, SOURCES, beam=3, max_length=8)
    for source, found in zip(SOURCES, together, strict=True):
        (alone,) = search(engine, [source], beam=3, max_length=8)
        assert alone[0].tokens == found[0].tokens
        assert alone[0].log_prob == pytest.approx(found[0].log_prob, abs=1e-5)


@pytest.mark.parametrize("options", KINDS, ids=named)
def test_many_sources_are_each_read_as_if_alone(make_both: MakeBoth, options: dict[str, Any]) -> None:
    both, random = make_both(**options), np.random.default_rng(0)
    sources = [random.integers(4, 30, random.integers(1, 12)).tolist() for _ in range(2 * BLOCK + 3)]
    found, wanted = (search(each, sources, beam=2, max_length=5) for each in (both.onnx, both.torch))
    for one, other in zip(found, wanted, strict=True):
        assert one[0].tokens == other[0].tokens
        np.testing.assert_allclose(one[0].weights, other[0].weights, atol=1e-4)


def test_bias_is_added_where_it_is_for_and_twice_if_it_occurs_twice(make_both: MakeBoth) -> None:
    engine = make_both().onnx
    tokens = np.full(3, BOS)
    plain = engine.step(tokens, engine.start(SOURCES), 30)
    bias = Bias(np.array([0, 0, 2]), np.array([7, 7, 9]), np.array([1.5, 2.0, -np.inf], np.float32))
    biased = engine.step(tokens, engine.start(SOURCES), 30, bias)
    before, after = (
        np.take_along_axis(found.log_probs, np.argsort(found.tokens, axis=1), axis=1)
        for found in (plain, biased)
    )
    before[0, 7] += 3.5
    before[2, 9] = -np.inf
    np.testing.assert_allclose(after, before, atol=1e-5)


def test_rows_may_repeat_change_places_and_leave(make_both: MakeBoth) -> None:
    both = make_both(cell="gru", layers=2)
    steps = []
    for engine in (both.onnx, both.torch):
        state = engine.step(np.array([4, 5, 6]), engine.start(SOURCES), 3).state
        state = state.select(np.array([2, 2, 0])).select(np.array([1, 2]))
        steps.append(engine.step(np.array([7, 8]), state, 3))
    np.testing.assert_array_equal(steps[0].tokens, steps[1].tokens)
    np.testing.assert_allclose(steps[0].log_probs, steps[1].log_probs, atol=1e-4)


def test_more_candidates_than_words_are_all_words(make_both: MakeBoth) -> None:
    engine = make_both(vocab=6).onnx
    found = engine.step(np.full(3, BOS), engine.start([[4], [5], [4, 5]]), 50)
    assert sorted(found.tokens[0].tolist()) == list(range(6))
    np.testing.assert_allclose(np.exp(found.log_probs).sum(axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"encoder": "transformer"}], ids=named)
def test_vectors_are_the_mean_of_what_the_encoder_gives(make_both: MakeBoth, options: dict[str, Any]) -> None:
    both = make_both(**options)
    kept: list[torch.Tensor] = []
    both.network.encoder.register_forward_hook(lambda module, given, made: kept.append(made.outputs))
    for source, vector in zip(SOURCES, both.onnx.vectors(SOURCES), strict=True):
        with torch.no_grad():
            both.network.encode(torch.tensor([source]))
        np.testing.assert_allclose(vector, kept[-1][0].mean(0).numpy(), atol=1e-5)
