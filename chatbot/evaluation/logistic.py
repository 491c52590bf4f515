"""Logistic regression fitted by Newton's method, and probabilities for rows that the fit has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.trust.confidence import Logistic, scaled, sigmoid

RIDGE = 1.0
"""λ of the penalty λ |w|² / 2: as if each weight were known to be about 0, give or take 1."""

STEPS, CLOSE_ENOUGH = 50, 1e-8

FOLDS, RUN = 5, 10
"""Neighbouring rows, which may be of one conversation, go into a fold together, so many at a time."""

Rows = Sequence[Mapping[str, float]]


def fit_logistic(names: Sequence[str], rows: Rows, good: NDArray[np.bool_]) -> Logistic:
    """The regression that makes the rows' outcomes likeliest, under a ridge.

    The outcomes 1 and 0 are taken as (n₁ + 1) / (n₁ + 2) and 1 / (n₀ + 2), so that a fit exists even where
    one of them never occurs.

    Source: Platt 1999, section 2.2 (the outcomes); Bishop 2006, section 4.3.3 (the iteration).

    Args:
        names: which features; the rows may have more.

    Shapes: rows [rows], good [rows]
    """
    table = _table(names, rows)
    means, scales = table.mean(axis=0), table.std(axis=0)
    scales = np.where(scales > 1e-9, scales, 1.0)
    inputs = np.hstack([scaled(table, means, scales), np.ones((len(table), 1))])
    many, few = int(good.sum()), int((~good).sum())
    targets = np.where(good, (many + 1) / (many + 2), 1 / (few + 2))
    penalty = np.array([RIDGE] * len(names) + [0.0])
    weights = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        found = sigmoid(inputs @ weights)
        slope = inputs.T @ (found - targets) + penalty * weights
        curvature = (inputs.T * (found * (1 - found))) @ inputs + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, slope)
        step *= min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-12))  # a full step may overshoot far out
        weights -= step
        if np.abs(step).max() < CLOSE_ENOUGH:
            break
    centres, widths, slopes = (tuple(map(float, array)) for array in (means, scales, weights[:-1]))
    return Logistic(tuple(names), centres, widths, slopes, float(weights[-1]))


def cross_fitted(names: Sequence[str], rows: Rows, good: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For each row the probability that a fit to the other folds gives it.

    Shapes: rows [rows], good [rows] -> [rows]
    """
    folds = np.arange(len(rows)) // RUN % FOLDS
    table, found = _table(names, rows), np.zeros(len(rows))
    for fold in range(FOLDS):
        own = folds == fold
        if own.any():
            rest = [row for row, inside in zip(rows, own, strict=True) if not inside]
            found[own] = fit_logistic(names, rest, good[~own]).of_rows(table[own])
    return found


def _table(names: Sequence[str], rows: Rows) -> NDArray[np.float64]:
    return np.array([[row[name] for name in names] for row in rows], dtype=np.float64)
