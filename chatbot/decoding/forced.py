"""Forced decoding: given replies through an engine, for their log-probability and what they looked at.

Works with every engine, since it takes the same steps as a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, Bias, Candidates, Engine, State
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.terms import Prior

BATCH = 64
"""Targets decoded together."""

BESIDE = 32
"""Candidates that a prior is shown beside the token that is said."""

LIFT = 32.0
"""Nats by which a token is lifted; a power of two, so that only the last bits of its log-probability go."""

FARTHER = 64.0
"""The same for a token beyond the vocabulary, which an engine that is asked for all words does not name."""


def forced(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    prior: Prior | None = None,
) -> list[Hypothesis]:
    """Each target as a hypothesis of its source.

    Its log-probability is -inf where the engine has no way to say a token.

    Args:
        targets: ``targets[i]`` is said to ``sources[i]``; without BOS, with EOS at its end unless it was cut.
        prior: adds to each token what it adds in a search, where pair i is source i; what comes of that is
            the score, which is the log-probability where there is no prior.
    """
    found = [Hypothesis((), 0.0, 0.0, np.zeros((0, len(source)), np.float32)) for source in sources]
    order = sorted((row for row, target in enumerate(targets) if target), key=lambda row: -len(targets[row]))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        batch = _batch(engine, [sources[row] for row in rows], [targets[row] for row in rows], rows, prior)
        for row, hypothesis in zip(rows, batch, strict=True):
            found[row] = hypothesis
    return found


def log_probs(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    prior: Prior | None = None,
) -> NDArray[np.float64]:
    """log P(target | source) of each pair in nats, with what a prior adds, see ``forced``.

    Shapes: [pairs]
    """
    return np.array([each.score for each in forced(engine, sources, targets, prior)])


def _batch(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    rows: Sequence[int],
    prior: Prior | None,
) -> list[Hypothesis]:
    """Some pairs, their targets of falling length and none of them empty."""
    lengths = np.array([len(target) for target in targets])
    said = np.zeros((len(targets), lengths[0]), np.int64)
    for row, target in enumerate(targets):
        said[row, : len(target)] = target
    sums = np.zeros((2, len(targets)))  # of log-probabilities, and with what the prior adds
    looks = np.zeros((*said.shape, max(map(len, sources))), np.float32)
    tokens, state = np.full(len(targets), BOS), engine.start(sources)
    for length in range(int(lengths[0])):
        tokens, before = said[: len(tokens), length], tokens
        looked = _look(engine, before, state, tokens, 1 if prior is None else BESIDE + 1)
        plain = looked.log_probs.astype(np.float64)
        ranked = plain
        if prior is not None:
            prefixes, owners = said[: len(tokens), :length], np.array(rows[: len(tokens)])
            ranked = plain + prior.gains(prefixes, owners, looked.tokens, looked.log_probs)
        here = looked.tokens == tokens[:, None]  # [rows, k]
        places = here.argmax(1)[:, None]
        for total, gains in zip(sums, (plain, ranked), strict=True):
            told = np.take_along_axis(gains, places, 1)[:, 0]
            total[: len(tokens)] += np.where(here.any(1), told, -np.inf)
        weights = looked.weights[:, : looks.shape[2]]
        looks[: len(tokens), length, : weights.shape[1]] = weights
        going = int((lengths > length + 1).sum())
        state = looked.state if going == len(tokens) else looked.state.select(np.arange(going))
        tokens = tokens[:going]
    return [
        Hypothesis(
            tuple(target),
            float(sums[0, row]),
            float(sums[1, row]),
            looks[row, : len(target), : len(source)],
        )
        for row, (source, target) in enumerate(zip(sources, targets, strict=True))
    ]


def _look(
    engine: Engine, before: NDArray[np.int64], state: State, tokens: NDArray[np.int64], k: int
) -> Candidates:
    """What may follow, ``tokens`` among it: k candidates, best first.

    To rank the whole vocabulary costs several times the step, so the token asked for is lifted among the best
    and let down again; only one that is more than ``LIFT`` nats behind makes more of them be looked at.
    """
    found = _lifted(engine, before, state, tokens, k, LIFT)
    if _has(found, tokens):
        return found
    found = _lifted(engine, before, state, tokens, engine.vocab, 0.0)
    return found if _has(found, tokens) else _lifted(engine, before, state, tokens, engine.vocab, FARTHER)


def _has(found: Candidates, tokens: NDArray[np.int64]) -> bool:
    return bool((found.tokens == tokens[:, None]).any(1).all())


def _lifted(
    engine: Engine, before: NDArray[np.int64], state: State, tokens: NDArray[np.int64], k: int, lift: float
) -> Candidates:
    """The k best where ``tokens`` count with so many nats more, and then without them again."""
    every = np.arange(len(tokens))
    bias = Bias(every, tokens, np.full(len(tokens), lift, np.float32)) if lift else None
    found = engine.step(before, state, min(k, engine.vocab), bias)
    here = found.tokens == tokens[:, None]
    log_probs = np.where(here, found.log_probs - np.float32(lift), found.log_probs)
    order = np.argsort(-log_probs, axis=1, kind="stable")
    log_probs = np.take_along_axis(log_probs, order, 1)
    return replace(found, tokens=np.take_along_axis(found.tokens, order, 1), log_probs=log_probs)
