"""The fit against its optimum's conditions and against data made by a known regression."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.evaluation.confidence import calibration_error, calibration_noise, separation
from chatbot.evaluation.logistic import RIDGE, cross_fitted, fit_logistic
from chatbot.trust.confidence import scaled, sigmoid

NAMES = ("a", "b")


def made(rows: int, seed: int = 0) -> tuple[list[dict[str, float]], NDArray[np.bool_], NDArray[np.float64]]:
    """Features, outcomes, and the probabilities the outcomes were drawn with."""
    random = np.random.default_rng(seed)
    table = random.normal([5.0, -2.0], [3.0, 0.1], (rows, 2))
    true = sigmoid(0.5 + 1.2 * (table[:, 0] - 5) / 3 - 0.8 * (table[:, 1] + 2) / 0.1)
    return [dict(zip(NAMES, row, strict=True)) for row in table.tolist()], random.random(rows) < true, true


def test_fit_finds_the_regression_that_made_the_data() -> None:
    rows, good, _ = made(20_000)
    model = fit_logistic(NAMES, rows, good)
    assert model.weights == pytest.approx((1.2, -0.8), abs=0.06)
    assert model.bias == pytest.approx(0.5, abs=0.06)


def test_fit_is_a_minimum_of_the_penalised_loss() -> None:
    rows, good, _ = made(60)
    model = fit_logistic(NAMES, rows, good)
    inputs = scaled(
        np.array([[row[name] for name in NAMES] for row in rows]),
        np.array(model.means),
        np.array(model.scales),
    )
    many, few = good.sum(), (~good).sum()
    targets = np.where(good, (many + 1) / (many + 2), 1 / (few + 2))

    def loss(weights: NDArray[np.float64], bias: float) -> float:
        found = sigmoid(inputs @ weights + bias)
        entropy = targets * np.log(found) + (1 - targets) * np.log(1 - found)
        return float(-entropy.sum() + RIDGE / 2 * (weights @ weights))

    best = loss(np.array(model.weights), model.bias)
    for change in np.random.default_rng(1).normal(size=(50, 3)) * 0.05:
        assert loss(np.array(model.weights) + change[:2], model.bias + change[2]) > best


@pytest.mark.parametrize("outcome", [True, False])
def test_fit_of_one_outcome_alone_is_sure_but_not_certain(outcome: bool) -> None:
    rows, _, _ = made(50)
    model = fit_logistic(NAMES, rows, np.full(50, outcome))
    found = model.of(rows[0])
    assert (0.9 < found < 1) if outcome else (0 < found < 0.1)


def test_feature_that_never_changes_weighs_nothing() -> None:
    rows, good, _ = made(100)
    model = fit_logistic(("a", "c"), [row | {"c": 1.0} for row in rows], good)
    assert model.weights[1] == 0


def test_cross_fitted_probabilities_are_calibrated() -> None:
    rows, good, true = made(2000)
    found = cross_fitted(NAMES, rows, good)
    assert calibration_error(found, good) < 2 * calibration_noise(found)
    assert np.abs(found - true).mean() < 0.03


def test_cross_fitting_learns_nothing_from_noise() -> None:
    """A fit to all rows tells its own outcomes; one to the others cannot."""
    random = np.random.default_rng(0)
    names = tuple(f"f{i}" for i in range(20))
    rows = [dict(zip(names, row, strict=True)) for row in random.normal(size=(80, 20)).tolist()]
    good = random.random(80) < 0.5
    table = np.array([[row[name] for name in names] for row in rows])
    assert separation(fit_logistic(names, rows, good).of_rows(table), good) > 0.75
    assert 0.3 < separation(cross_fitted(names, rows, good), good) < 0.7
