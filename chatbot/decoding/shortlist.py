"""Shortlist: the best finished hypotheses of an owner so far; Shortlists: those of every owner."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter, itemgetter

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Course
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.trellis import End


class Shortlist:
    """The n best hypotheses of one owner. What is in it never changes, it is only displaced.

    Those that ended with EOS come before those that were cut, whatever their scores: half a sentence
    is no reply while there is a whole one. So cut ones compete by score among themselves only.

    Args:
        spread: ended ones whose score is this much below the best are dropped.
    """

    def __init__(self, n_best: int, spread: float = np.inf) -> None:
        self._n_best = n_best
        self._spread = spread
        self._ended: list[End] = []
        self._cut: list[End] = []

    @property
    def bar(self) -> float:
        """The score an unfinished hypothesis must be able to exceed to matter."""
        if not self._ended:
            return -np.inf
        full = self._ended[-1].score if len(self._ended) == self._n_best else -np.inf
        return max(full, self._ended[0].score - self._spread)

    def add_ended(self, end: End) -> None:
        """Consider a hypothesis that said EOS."""
        self._insert(self._ended, end)
        lowest = self._ended[0].score - self._spread
        while self._ended[-1].score < lowest:
            self._ended.pop()

    def add_cut(self, end: End) -> None:
        """Consider a hypothesis that could not go on."""
        self._insert(self._cut, end)

    def best(self) -> list[tuple[bool, End]]:
        """At most n, best first; whether each was cut."""
        both = [(False, end) for end in self._ended] + [(True, end) for end in self._cut]
        return both[: self._n_best]

    def _insert(self, ends: list[End], end: End) -> None:
        if len(ends) == self._n_best and end.score <= ends[-1].score:
            return
        ends.append(end)
        ends.sort(key=attrgetter("score"), reverse=True)  # of equals the earlier stays first
        del ends[self._n_best :]


class Shortlists:
    """One shortlist for each owner, and the score by which rows may still get into it.

    Args:
        spread: see ``Shortlist``.
        together: the rows of a source leave it together, because one that has no hope of its own
            decides which others are kept.
    """

    def __init__(self, course: Course, owners: int, n_best: int, spread: float, together: bool) -> None:
        self._lists = [Shortlist(n_best, spread) for _ in range(owners)]
        self._bars = np.full(owners, -np.inf)  # [owners]
        self._course = course
        self._n_best = n_best
        self._together = together

    def add_ended(self, front: Front, rows: NDArray[np.int64]) -> None:
        """Put away the rows of a front just grown that said EOS."""
        for owner, end in self._course.ends(front, rows):
            self._lists[owner].add_ended(end)
            self._bars[owner] = self._lists[owner].bar

    def add_cut(self, front: Front, rows: NDArray[np.int64]) -> None:
        """Put away the rows of a front that cannot go on."""
        for owner, end in self._course.ends(front, rows):
            self._lists[owner].add_cut(end)

    def hopeful(self, front: Front, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of ``rows`` that can still come to a score above their owner's n-th best ended one.

        Leaving the others out changes no result: what follows them is as hopeless, and at every step
        ranks below all that follows the hopeful, since bounds rise with totals.
        """
        hope = (self._course.bounds(front) > self._bars[front.owners])[rows]
        if self._together:
            sources = front.owners[rows] // self._course.copies
            hope = np.isin(sources, sources[hope])
        return rows[hope]

    def hypotheses(self) -> list[list[Hypothesis]]:
        """The shortlists read back, those of a source together: the best of each, then the seconds."""
        copies = self._course.copies
        return [self._merged(range(first, first + copies)) for first in range(0, len(self._lists), copies)]

    def _merged(self, owners: Iterable[int]) -> list[Hypothesis]:
        ranked = [
            (cut, rank, -end.score, owner, end)
            for owner in owners
            for rank, (cut, end) in enumerate(self._lists[owner].best())
        ]
        ranked.sort(key=itemgetter(slice(4)))
        found: dict[tuple[int, ...], Hypothesis] = {}
        for *_, owner, end in ranked:
            hypothesis = self._course.hypothesis(owner, end)
            found.setdefault(hypothesis.tokens, hypothesis)
        return list(found.values())[: self._n_best]
