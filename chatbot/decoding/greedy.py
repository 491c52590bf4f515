"""Greedy search: the likeliest token at every step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chatbot.decoding.blocking import Blocker
from chatbot.decoding.engine import EOS, Engine
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits
from chatbot.decoding.trellis import End, Trellis


def greedy(engine: Engine, sources: Sequence[Sequence[int]], limits: Limits) -> list[Hypothesis]:
    """One hypothesis for each source, all sources side by side.

    A row leaves the batch once it has said EOS, or is cut where it may say nothing at all; the others
    are cut at ``max_length``.
    """
    if not sources:
        return []
    trellis, blocker = Trellis(), Blocker(limits.never, limits.block_ngram, len(sources))
    ends: dict[int, End] = {}
    front, state = Front.first(len(sources)), engine.start(sources)
    for length in range(1, limits.max_length + 1):
        found = engine.step(front.tokens, state, 1, blocker.bias())
        tokens, gains = found.tokens[:, 0], found.log_probs[:, 0]
        grown = Front(front.owners, np.arange(len(tokens)), tokens, front.log_probs + gains)
        trellis.grow(front.nodes, tokens, found.weights)
        possible = gains > -np.inf
        stays = possible & (tokens != EOS) & (length < limits.max_length)
        for row in np.flatnonzero(~stays).tolist():
            last, at = (grown, length) if possible[row] else (front, length - 1)
            ends[int(front.owners[row])] = last.end(row, at, limits)
        rows = np.flatnonzero(stays)
        if not len(rows):
            break
        all_stay = len(rows) == len(tokens)
        front, state = (grown, found.state) if all_stay else (grown.take(rows), found.state.select(rows))
        blocker.follow(rows, front.tokens)
    return [trellis.hypothesis(ends[i], len(source)) for i, source in enumerate(sources)]
