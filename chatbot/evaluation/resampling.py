"""Resampling: how sure a figure is, and whether two systems differ, from the replies it was made of.

A figure here is a function of sums over replies (nats and words, matches and totals of BLEU), so that it can
be made again from any choice of the replies without measuring them again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
"""Choices of replies for an interval, and exchanges for a test: its smallest p is 1/1001."""

LEVEL = 0.95
"""Share of the resamples that an interval holds."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """A figure as a function of sums over replies.

    Args:
        score: the figure of each row of sums; nan where it is not defined.

    Shapes: parts [replies, sums]; score [rows, sums] -> [rows]
    """

    parts: Floats
    score: Callable[[Floats], Floats]

    @property
    def value(self) -> float:
        """The figure of all replies."""
        return float(self.score(self.parts.sum(0, keepdims=True))[0])

    def __len__(self) -> int:
        return len(self.parts)


def ratio(over: NDArray[np.generic], under: NDArray[np.generic] | None = None) -> Sums:
    """The sum of one number a reply over the sum of another; over the replies where none is given.

    Shapes: over, under [replies]
    """
    lower = np.ones(len(over)) if under is None else under
    return Sums(np.stack([np.asarray(over, np.float64), np.asarray(lower, np.float64)], axis=1), _quotient)


def exponential(over: NDArray[np.generic], under: NDArray[np.generic]) -> Sums:
    """e to the ``ratio``: a perplexity from nats; infinite where the number is too large."""
    plain = ratio(over, under)

    def score(sums: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.exp(_quotient(sums))

    return Sums(plain.parts, score)


def interval(figure: Sums, seed: int, resamples: int = RESAMPLES) -> tuple[float, float] | None:
    """The range that holds the figure of 95 % of random choices of as many replies, each any number of times.

    Source: Efron and Tibshirani 1993, chapter 13 (percentile interval); Koehn 2004, section 3.

    Returns:
        None where there are fewer than two replies, or a choice has no figure.
    """
    if len(figure) < 2:
        return None
    random = np.random.default_rng(seed)
    sums = np.empty((resamples, figure.parts.shape[1]))
    for number in range(resamples):
        rows = random.integers(0, len(figure), len(figure))
        sums[number] = np.bincount(rows, minlength=len(figure)) @ figure.parts
    scores = figure.score(sums)
    if np.isnan(scores).any():
        return None
    low, high = np.quantile(scores, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="nearest")
    return float(low), float(high)


def paired_p(ours: Sums, theirs: Sums, seed: int, resamples: int = RESAMPLES) -> float | None:
    """How likely a difference at least so large is when it does not matter which system gave which reply.

        p = (1 + exchanges with |difference| at least the observed one) / (1 + exchanges)

    In an exchange each question's two replies swap systems by the toss of a coin: approximate randomisation.
    Source: Noreen 1989; Riezler and Maxwell 2005, section 3.

    Args:
        theirs: of the same questions, in the same order.

    Returns:
        None where a figure is not defined.
    """
    observed = abs(ours.value - theirs.value)
    if np.isnan(observed):
        return None
    random = np.random.default_rng(seed)
    gap = ours.parts - theirs.parts
    swapped = np.empty((resamples, gap.shape[1]))
    for number in range(resamples):
        swapped[number] = (random.random(len(gap)) < 0.5) @ gap
    differences = np.abs(
        ours.score(ours.parts.sum(0) - swapped) - theirs.score(theirs.parts.sum(0) + swapped)
    )
    beyond = int((differences >= observed * (1 - 1e-9)).sum())  # rounding must not hide an equal one
    return (1 + beyond) / (1 + resamples)


def _quotient(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])
