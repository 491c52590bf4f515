"""Greedy search that can be watched: each token as soon as it is chosen, and at last the hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.blocking import Blocker
from chatbot.decoding.engine import BOS, EOS, PAD, UNK, Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits


@dataclass(frozen=True, slots=True)
class Said:
    """A token that will not be taken back, and what it looked at.

    Shapes: weights [src_len]
    """

    token: int
    weights: NDArray[np.float32]


def stream(
    engine: Engine,
    source: Sequence[int],
    *,
    max_length: int,
    length_penalty: float = 1.0,
    block_ngram: int = 0,
    never: Sequence[int] = (PAD, UNK, BOS),
) -> Iterator[Said | Hypothesis]:
    """What ``greedy`` finds for one source, token by token; the last thing yielded is the hypothesis.

    Args:
        max_length, length_penalty, block_ngram, never: see ``Limits``.
    """
    limits = Limits(max_length, length_penalty, block_ngram, tuple(never))
    blocker, only = Blocker(limits.never, limits.block_ngram, 1), np.zeros(1, np.int64)
    said: list[Said] = []
    log_prob, tokens, state = 0.0, np.array([BOS]), engine.start([source])
    while len(said) < limits.max_length and (not said or said[-1].token != EOS):
        found = engine.step(tokens, state, 1, blocker.bias())
        if not found.log_probs[0, 0] > -np.inf:
            break
        tokens, state = found.tokens[:, 0], found.state
        log_prob += float(found.log_probs[0, 0])
        said.append(Said(int(tokens[0]), found.weights[0, : len(source)]))
        yield said[-1]
        blocker.follow(only, tokens)
    looked = np.stack([one.weights for one in said]) if said else np.zeros((0, len(source)), np.float32)
    score = limits.score(log_prob, len(said))
    yield Hypothesis(tuple(one.token for one in said), log_prob, score, looked)
