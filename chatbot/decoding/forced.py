"""Forced decoding: how likely a model finds replies that are given, one token after the other.

Works with every engine, since it takes the same steps as a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, Bias, Candidates, Engine, State
from chatbot.decoding.terms import Prior

BATCH = 64
"""Targets decoded together."""

BESIDE = 32
"""Candidates that a prior is shown beside the token that is said."""

LIFT = 32.0
"""Nats by which a token is lifted; a power of two, so that only the last bits of its log-probability go."""


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
        tokens, before = said[: len(tokens), length], tokens
        looked = _look(engine, before, state, tokens, 1 if prior is None else BESIDE + 1)
        gains = looked.log_probs.astype(np.float64)
        if prior is not None:
            prefixes, owners = said[: len(tokens), :length], np.array(rows[: len(tokens)])
            gains += prior.gains(prefixes, owners, looked.tokens, looked.log_probs)
        here = looked.tokens == tokens[:, None]  # [rows, k]
        totals[: len(tokens)] += np.where(here.any(1), gains[np.arange(len(tokens)), here.argmax(1)], -np.inf)
        going = int((lengths > length + 1).sum())
        state = looked.state if going == len(tokens) else looked.state.select(np.arange(going))
        tokens = tokens[:going]
    return totals


def _look(
    engine: Engine, before: NDArray[np.int64], state: State, tokens: NDArray[np.int64], k: int
) -> Candidates:
    """What may follow, ``tokens`` among it: k candidates, best first.

    To rank the whole vocabulary costs several times the step, so the token asked for is lifted among the best
    and let down again; only one that is more than ``LIFT`` nats behind makes all be looked at.
    """
    every = np.arange(len(tokens))
    lift = Bias(every, tokens, np.full(len(tokens), LIFT, np.float32))
    found = engine.step(before, state, min(k, engine.vocab), lift)
    here = found.tokens == tokens[:, None]
    if not here.any(1).all():
        return engine.step(before, state, engine.vocab)
    log_probs = np.where(here, found.log_probs - np.float32(LIFT), found.log_probs)
    order = np.argsort(-log_probs, axis=1, kind="stable")
    log_probs = np.take_along_axis(log_probs, order, 1)
    return replace(found, tokens=np.take_along_axis(found.tokens, order, 1), log_probs=log_probs)
