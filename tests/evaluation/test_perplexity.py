"""Perplexity per word: exact for models whose probabilities are known."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation.perplexity import Fit, fit_of, measure, perplexity
from chatbot.nn.seq2seq import Seq2Seq

CPU = torch.device("cpu")
VOCAB = 50


def network(dropout: float = 0.0) -> Seq2Seq:
    return build_network(ModelOptions(embed=16, hidden=16, dropout=dropout), VOCAB, seed=3)


@pytest.fixture
def pairs() -> EncodedPairs:
    random = np.random.default_rng(1)
    sides = [
        [random.integers(4, VOCAB, random.integers(1, 12)).tolist() for _ in range(40)] for _ in range(2)
    ]
    return EncodedPairs.from_lists(*sides, [len(reply) for reply in sides[1]], VOCAB)


def test_uniform_model_gives_the_size_of_the_vocabulary(pairs: EncodedPairs) -> None:
    """One token a word, the end counted: perplexity is V, whatever the lengths."""
    uniform = network()
    with torch.no_grad():
        uniform.output.table.weight.zero_()
        uniform.output.bias.zero_()
    fit = measure(uniform, pairs, CPU)
    assert fit.perplexity == pytest.approx(VOCAB, rel=1e-5)
    assert fit.loss == pytest.approx(math.log(VOCAB), rel=1e-6)


def test_three_replies_worked_out_by_hand() -> None:
    """Replies of 1, 2 and 3 words in 2, 2 and 5 tokens; half a nat a token, ends included."""
    pairs = EncodedPairs.from_lists([[9]] * 3, [[9] * 2, [9] * 2, [9] * 5], [1, 2, 3], VOCAB)
    fit = fit_of(pairs, 0.5 * (3 + 3 + 6))
    assert (fit.tokens, fit.words) == (12, 9)
    assert fit.loss == 0.5
    assert fit.perplexity == pytest.approx(math.exp(6 / 9))


def test_batch_size_changes_no_figure(pairs: EncodedPairs) -> None:
    """D40: pads count for nothing."""
    model = network()
    fits = [measure(model, pairs, CPU, batch_tokens) for batch_tokens in (1, 100, 8192)]
    for fit in fits[1:]:
        assert (fit.tokens, fit.words, fit.correct) == (fits[0].tokens, fits[0].words, fits[0].correct)
        assert fit.nats == pytest.approx(fits[0].nats, rel=1e-6)


def test_measuring_twice_gives_the_same_bits_and_leaves_the_mode_alone(pairs: EncodedPairs) -> None:
    """D39: no dropout in an evaluation, and dropout again after it."""
    model = network(dropout=0.5)
    for training in (True, False):
        model.train(training)
        assert measure(model, pairs, CPU) == measure(model, pairs, CPU)
        assert model.training is training


def test_mode_is_put_back_when_measuring_fails(pairs: EncodedPairs) -> None:
    model = network().train()
    broken = dataclasses.replace(pairs, tgt=pairs.tgt + VOCAB)
    with pytest.raises(IndexError):
        measure(model, broken, CPU)
    assert model.training


def test_fits_add_up(pairs: EncodedPairs) -> None:
    assert Fit(1.5, 2, 3) + Fit(0.5, 1, 1) == Fit(2.0, 3, 4)
    assert (Fit(1.5, 2, 3, 1) + Fit(0.5, 3, 1, 3)).accuracy == 4 / 5


@pytest.mark.parametrize(
    ("nats", "expected"), [(0.0, 1.0), (math.log(7), 7.0), (1000.0, math.inf), (math.inf, math.inf)]
)
def test_perplexity_is_e_to_the_nats_and_never_overflows(nats: float, expected: float) -> None:
    """D34: a loss of 1000 is shown as inf."""
    assert perplexity(nats) == pytest.approx(expected)


def test_loss_that_is_no_number_stays_one() -> None:
    assert math.isnan(perplexity(math.nan))


def test_fit_of_nothing_is_no_division_by_zero() -> None:
    nothing = fit_of(EncodedPairs.from_lists([], [], [], VOCAB), 0.0)
    assert (nothing.loss, nothing.perplexity) == (0.0, 1.0)
