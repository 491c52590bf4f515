"""Truncation: which tokens are not drawn from, for each of the ways published.

Each takes and gives probabilities [rows, k] in any order that sum to 1 in a row (0 in a row where nothing
is possible). At least one token that is possible stays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Probs = NDArray[np.float64]


def sharpened(gains: Probs, temperature: float) -> Probs:
    """softmax(gains / temperature); a row of -inf alone becomes one of 0."""
    best = gains.max(1, keepdims=True)
    shifted = np.where(np.isfinite(best), gains - np.where(np.isfinite(best), best, 0), -np.inf)
    with np.errstate(over="ignore"):  # a tiny temperature makes -inf of all but the best, as it should
        return renormalised(np.exp(shifted / temperature))


def renormalised(probs: Probs) -> Probs:
    """The same, summing to 1 where anything is possible."""
    sums = probs.sum(1, keepdims=True)
    return probs / np.where(sums > 0, sums, 1)


def most_likely(probs: Probs, k: int) -> Probs:
    """The k likeliest tokens of each row (top-k).

    Source: Fan et al. 2018, "Hierarchical neural story generation".
    """
    kept = np.argsort(-probs, axis=1, kind="stable")[:, :k]
    cut = np.zeros_like(probs)
    np.put_along_axis(cut, kept, np.take_along_axis(probs, kept, axis=1), axis=1)
    return renormalised(cut)


def nucleus(probs: Probs, p: float) -> Probs:
    """The fewest likeliest tokens whose probabilities sum to p at least (top-p).

    Source: Holtzman et al. 2020, "The curious case of neural text degeneration", section 3.1.
    """
    return _first(probs, -probs, p)


def at_least(probs: Probs, share: float) -> Probs:
    """The tokens at least ``share`` times as likely as the likeliest (min-p).

    Source: Nguyen et al. 2024, "Turning up the heat: min-p sampling for creative and coherent LLM outputs".
    """
    return renormalised(np.where(probs >= share * probs.max(1, keepdims=True), probs, 0))


def locally_typical(probs: Probs, mass: float) -> Probs:
    """The tokens whose surprise is nearest to the expected one, until their probabilities sum to ``mass``.

    The surprise is -log p, and its expectation the entropy of the row.

    Source: Meister et al. 2023, "Locally typical sampling".
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = -np.log(probs)
        entropy = np.where(probs > 0, probs * surprise, 0).sum(1, keepdims=True)
    return _first(probs, np.where(probs > 0, np.abs(surprise - entropy), np.inf), mass)


def _first(probs: Probs, ranks: Probs, mass: float) -> Probs:
    """The tokens of lowest rank, as many as needed for ``mass``, at least one."""
    if (ranks[:, 1:] >= ranks[:, :-1]).all():  # as an engine gives them: nothing to put in order
        return renormalised(np.where(_enough(probs, mass), probs, 0))
    order = np.argsort(ranks, axis=1, kind="stable")
    ranked = np.take_along_axis(probs, order, axis=1)
    cut = np.zeros_like(probs)
    np.put_along_axis(cut, order, np.where(_enough(ranked, mass), ranked, 0), axis=1)
    return renormalised(cut)


def _enough(ranked: Probs, mass: float) -> NDArray[np.bool_]:
    """The columns up to the one where the sum reaches ``mass``, at least the first."""
    kept: NDArray[np.bool_] = np.cumsum(ranked, axis=1) - ranked < mass
    kept[:, 0] = True
    return kept


SHARES: dict[str, tuple[float, Callable[[Probs, float], Probs]]] = {
    "top_p": (1.0, nucleus),
    "min_p": (0.0, at_least),
    "typical": (1.0, locally_typical),
}
"""What each share keeps, after the value that keeps everything; in the order they are applied."""
