"""Front: the unfinished hypotheses of a search, one row each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS
from chatbot.decoding.limits import Limits
from chatbot.decoding.trellis import End


@dataclass(frozen=True, slots=True)
class Front:
    """The hypotheses a step extends, or has made: those of one source together, best first.

    Shapes: all [rows]. owners: index of the source; nodes: place in the last layer of the trellis;
    tokens: the last one said, BOS at first; log_probs: in float64, so that long sums stay exact.
    """

    owners: NDArray[np.int64]
    nodes: NDArray[np.int64]
    tokens: NDArray[np.int64]
    log_probs: NDArray[np.float64]

    @classmethod
    def first(cls, sources: int) -> Front:
        """One empty hypothesis for each source."""
        every = np.arange(sources)
        return cls(every, every, np.full(sources, BOS), np.zeros(sources))

    def take(self, rows: NDArray[np.int64]) -> Front:
        """The rows named, in that order."""
        return Front(self.owners[rows], self.nodes[rows], self.tokens[rows], self.log_probs[rows])

    def end(self, row: int, length: int, limits: Limits) -> End:
        """Row ``row``, of ``length`` tokens, as a hypothesis that goes no further."""
        log_prob = float(self.log_probs[row])
        return End(length, int(self.nodes[row]), log_prob, limits.score(log_prob, length))
