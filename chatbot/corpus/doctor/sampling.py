"""A sample of pairs that hangs on nothing but the pairs: those of the lowest hashes.

Source: Cohen and Kaplan 2007, "Summarizing Data Using Bottom-k Sketches", section 2.
"""

from __future__ import annotations

from typing import NamedTuple

LONGEST = 2_000
"""Characters of a text that are kept: a text may be a book, and its beginning shows what it is."""


class Sampled(NamedTuple):
    """A pair of the sample; ``rank`` is its hash."""

    rank: int
    question: str
    reply: str


class Sample:
    """Keeps the pairs of the lowest ranks, whatever order they come in.

    Args:
        size: how many.
    """

    def __init__(self, size: int) -> None:
        self.below = 1 << 64
        """A pair whose rank is not below this need not be offered."""
        self._size = size
        self._kept: list[Sampled] = []

    def add(self, rank: int, question: str, reply: str) -> None:
        """Offer a pair."""
        if rank < self.below:
            self._kept.append(Sampled(rank, question[:LONGEST], reply[:LONGEST]))
            if len(self._kept) >= 2 * self._size:  # sorting seldom costs next to nothing for each pair
                self._kept = self.lowest(self._size)
                self.below = self._kept[-1].rank

    def lowest(self, size: int) -> list[Sampled]:
        """At most so many pairs, lowest rank first."""
        return sorted(self._kept)[: min(size, self._size)]
