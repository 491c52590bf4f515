"""Calibration worked out by hand, and coverage against sorting."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation.calibration import COVERAGES, Sureness, covered, token_sureness

CPU = torch.device("cpu")


def test_calibration_error_worked_out_by_hand() -> None:
    """Two bins: 0.9 sure and half right; 0.2 sure and never right. ECE = ½ · 0.4 + ½ · 0.2."""
    sureness = Sureness(np.array([0.9, 0.9, 0.2, 0.2]), np.array([1.0, 0.0, 0.0, 0.0]))
    assert sureness.error(bins=10) == pytest.approx(0.3)


def test_calibration_error_of_who_is_as_often_right_as_he_says_is_nothing() -> None:
    sure = np.array([0.75] * 4 + [1.0] * 3)
    assert Sureness(sure, np.array([1, 1, 1, 0, 1, 1, 1.0])).error() == pytest.approx(0.0)


def test_calibration_error_of_nothing_is_none() -> None:
    assert Sureness(np.zeros(0), np.zeros(0)).error() is None


def test_uniform_network_is_as_sure_as_its_vocabulary_allows() -> None:
    network = build_network(ModelOptions(embed=8, hidden=8), 20)
    with torch.no_grad():
        network.output.table.weight.zero_()
        network.output.bias.zero_()
    pairs = EncodedPairs.from_lists([[5], [6, 7]], [[4], [8, 9, 4]], [1, 3], 20)
    found = token_sureness(network, pairs, CPU)
    assert len(found.sure) == 2 + 4
    assert found.sure == pytest.approx(1 / 20)


def test_coverage_is_the_mean_of_the_surest() -> None:
    random = np.random.default_rng(2)
    scores, worth = random.normal(size=40), random.random(40)
    surest = worth[np.argsort(-scores)]
    wanted = [(share, surest[: round(40 * share)].mean()) for share in COVERAGES]
    assert [row for pair in covered(scores, worth) for row in pair] == pytest.approx(
        [row for pair in wanted for row in pair]
    )


def test_coverage_of_equally_sure_replies_does_not_hang_on_their_order() -> None:
    assert covered([0.5] * 4, [1, 0, 0, 1]) == [(share, 0.5) for share in COVERAGES]


def test_coverage_of_nothing_is_nothing() -> None:
    assert covered([], []) == []
    assert all(math.isfinite(worth) for _, worth in covered([1.0], [1.0]))
