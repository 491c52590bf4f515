"""Forced decoding: how likely a model finds replies that are given, one token after the other.

Works with every engine, since it takes the same steps as a search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, Engine
from chatbot.decoding.terms import Prior

BATCH = 64
"""Targets decoded together."""


def log_probs(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    prior: Prior | None = None,
) -> NDArray[np.float64]:
    """log P(target | source) of each pair, in nats; -inf where the engine has no way to say a token.

    Args:
        targets: ``targets[i]`` is said to ``sources[i]``; with EOS at its end unless it was cut.
        prior: adds to each token what it adds in a search, where pair i is source i; the outcome
            ranks replies then, and is no probability.

    Shapes: [pairs]
    """
    totals = np.zeros(len(targets))
    order = sorted((row for row, target in enumerate(targets) if target), key=lambda row: -len(targets[row]))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        totals[rows] = _batch(
            engine, [sources[row] for row in rows], [targets[row] for row in rows], rows, prior
        )
    return totals


def _batch(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    rows: Sequence[int],
    prior: Prior | None,
) -> NDArray[np.float64]:
    """The same for some pairs, their targets of falling length and none of them empty."""
    lengths = np.array([len(target) for target in targets])
    said = np.zeros((len(targets), lengths[0]), np.int64)
    for row, target in enumerate(targets):
        said[row, : len(target)] = target
    totals = np.zeros(len(targets))
    tokens, state = np.full(len(targets), BOS), engine.start(sources)
    for length in range(int(lengths[0])):
        found = engine.step(tokens, state, engine.vocab)
        tokens = said[: len(tokens), length]
        here = found.tokens == tokens[:, None]  # [rows, vocab]
        gains = found.log_probs.astype(np.float64)
        if prior is not None:
            owners = np.array(rows[: len(tokens)])
            gains = gains + prior.gains(said[: len(tokens), :length], owners, found.tokens, found.log_probs)
        totals[: len(tokens)] += np.where(here.any(1), gains[np.arange(len(tokens)), here.argmax(1)], -np.inf)
        going = int((lengths > length + 1).sum())
        state = found.state if going == len(tokens) else found.state.select(np.arange(going))
        tokens = tokens[:going]
    return totals
