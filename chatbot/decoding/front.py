"""Front: the unfinished hypotheses of a search, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS
from chatbot.decoding.limits import Limits
from chatbot.decoding.trellis import End


@dataclass(frozen=True, slots=True)
class Front:
    """The hypotheses a step extends, or has made: those of one owner together, best first in a beam.

    Shapes: all [rows]. owners: whose the row is, see ``Course``; nodes: place in the last layer of the
    trellis; tokens: the last one said, BOS at first; log_probs: in float64, so that long sums stay exact;
    totals: log_probs with what a prior and the repetition penalty add, the same array where nothing does;
    covered [rows, src_len]: weights summed over tokens, None where nobody asks.
    """

    owners: NDArray[np.int64]
    nodes: NDArray[np.int64]
    tokens: NDArray[np.int64]
    log_probs: NDArray[np.float64]
    totals: NDArray[np.float64]
    covered: NDArray[np.float32] | None = None

    @classmethod
    def first(cls, sources: Sequence[Sequence[int]], limits: Limits) -> Front:
        """One empty hypothesis for each source."""
        every, nothing = np.arange(len(sources)), np.zeros(len(sources))
        covered = _uncovered(sources) if limits.coverage_penalty else None
        return cls(every, every, np.full(len(sources), BOS), nothing, nothing, covered)

    def take(self, rows: NDArray[np.int64]) -> Front:
        """The rows named, in that order."""
        log_probs = self.log_probs[rows]
        totals = log_probs if self.totals is self.log_probs else self.totals[rows]
        covered = None if self.covered is None else self.covered[rows]
        return Front(self.owners[rows], self.nodes[rows], self.tokens[rows], log_probs, totals, covered)

    def ends(self, rows: NDArray[np.int64], length: int, limits: Limits) -> list[tuple[int, End]]:
        """Rows, of ``length`` tokens, as hypotheses that go no further, each with its owner."""
        found = []
        for row in rows.tolist():
            covered = None if self.covered is None else self.covered[row]
            score = limits.score(float(self.totals[row]), length, covered)
            end = End(length, int(self.nodes[row]), float(self.log_probs[row]), score)
            found.append((int(self.owners[row]), end))
        return found


def _uncovered(sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """0 for every token of a source; what lies behind a shorter one counts as looked at."""
    covered = np.ones((len(sources), max(map(len, sources))), np.float32)
    for row, source in enumerate(sources):
        covered[row, : len(source)] = 0
    return covered
