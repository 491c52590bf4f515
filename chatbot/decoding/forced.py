"""Forced decoding: a given reply through an engine, for its log-probability and what it looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, Bias, Candidates, Engine
from chatbot.decoding.hypothesis import Hypothesis

LIFT = 64.0
"""Nats that put a token among the best when there are more words than an engine tells of: those of a
question that the vocabulary lacks. Single precision keeps five decimals of what is then taken off again."""


def forced(
    engine: Engine, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> list[Hypothesis]:
    """Each target as a hypothesis of its source, all side by side; its score is its log-probability.

    Args:
        targets: without BOS; with EOS at the end where the reply ends there. None is empty.
    """
    if not sources:
        return []
    longest, src_len = max(map(len, targets)), max(map(len, sources))
    totals = np.zeros(len(sources))
    looks: list[NDArray[np.float32]] = []
    state, said = engine.start(sources), np.full(len(sources), BOS)
    rows = np.arange(len(sources))
    for place in range(longest):
        going = np.array([place < len(targets[row]) for row in rows.tolist()])
        if not going.all():  # what is over leaves the batch
            state, said, rows = state.select(np.flatnonzero(going)), said[going], rows[going]
        wanted = np.array([targets[row][place] for row in rows.tolist()])
        found = engine.step(said, state, engine.vocab)
        gains = _log_probs(found, wanted)
        if (hidden := np.flatnonzero(np.isnan(gains))).size:
            lift = Bias(hidden, wanted[hidden], np.full(len(hidden), LIFT, np.float32))
            gains[hidden] = _log_probs(engine.step(said, state, engine.vocab, lift), wanted)[hidden] - LIFT
        totals[rows] += gains
        weights = np.zeros((len(sources), src_len), np.float32)
        told = found.weights[:, :src_len]
        weights[rows, : told.shape[1]] = told
        looks.append(weights)
        state, said = found.state, wanted
    every = np.stack(looks, axis=1)  # [sources, longest, src_len]
    return [
        Hypothesis(
            tuple(target), float(totals[row]), float(totals[row]), every[row, : len(target), : len(source)]
        )
        for row, (source, target) in enumerate(zip(sources, targets, strict=True))
    ]


def _log_probs(found: Candidates, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """Those of one token a row; not a number where it is not among the candidates."""
    hits = found.tokens == tokens[:, None]
    places = hits.argmax(axis=1)[:, None]
    values = np.take_along_axis(found.log_probs, places, axis=1)[:, 0].astype(np.float64)
    return np.where(hits.any(axis=1), values, np.nan)
