"""Shortlist: the best finished hypotheses of a source so far; Shortlists: those of every source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis, length_penalty
from chatbot.decoding.limits import Limits
from chatbot.decoding.trellis import End, Trellis


class Shortlist:
    """The n best hypotheses of one source. What is in it never changes, it is only displaced.

    Those that ended with EOS come before those that were cut, whatever their scores: half a sentence
    is no reply while there is a whole one. So cut ones compete by score among themselves only.
    """

    def __init__(self, n_best: int) -> None:
        self._n_best = n_best
        self._ended: list[End] = []
        self._cut: list[End] = []

    @property
    def bar(self) -> float:
        """The score an unfinished hypothesis must be able to exceed to matter."""
        return self._ended[-1].score if len(self._ended) == self._n_best else -np.inf

    def add_ended(self, end: End) -> None:
        """Consider a hypothesis that said EOS."""
        self._insert(self._ended, end)

    def add_cut(self, end: End) -> None:
        """Consider a hypothesis that could not go on."""
        self._insert(self._cut, end)

    def best(self) -> list[End]:
        """At most n, best first."""
        return (self._ended + self._cut)[: self._n_best]

    def _insert(self, ends: list[End], end: End) -> None:
        if len(ends) == self._n_best and end.score <= ends[-1].score:
            return
        ends.append(end)
        ends.sort(key=lambda kept: -kept.score)
        del ends[self._n_best :]


class Shortlists:
    """One shortlist for each source, and the score by which rows may still get into it."""

    def __init__(self, sources: int, n_best: int, limits: Limits) -> None:
        self._lists = [Shortlist(n_best) for _ in range(sources)]
        self._bars = np.full(sources, -np.inf)  # [sources]
        self._limits = limits
        self._longest = length_penalty(limits.max_length, limits.length_penalty)

    def add_ended(self, front: Front, rows: NDArray[np.int64], length: int) -> None:
        """Put away the rows of ``front`` that said EOS as token ``length``."""
        for row in rows.tolist():
            owner = front.owners[row]
            self._lists[owner].add_ended(front.end(row, length, self._limits))
            self._bars[owner] = self._lists[owner].bar

    def add_cut(self, front: Front, rows: NDArray[np.int64], length: int) -> None:
        """Put away the rows of ``front`` that cannot go on after ``length`` tokens."""
        for row in rows.tolist():
            self._lists[front.owners[row]].add_cut(front.end(row, length, self._limits))

    def hopeful(self, front: Front, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of ``rows`` that can still come to a score above their source's n-th best ended one.

        Log-probabilities only fall and penalties only rise with length, so no score a row comes to
        exceeds log_prob / length_penalty(max_length). Leaving the others out changes no result: what
        follows them is as hopeless, and at every step ranks below all that follows the hopeful.
        """
        bounds = front.log_probs[rows] / self._longest
        return rows[bounds > self._bars[front.owners[rows]]]

    def hypotheses(self, trellis: Trellis, sources: Sequence[Sequence[int]]) -> list[list[Hypothesis]]:
        """The shortlists, read back from the trellis."""
        return [
            [trellis.hypothesis(end, len(source)) for end in shortlist.best()]
            for shortlist, source in zip(self._lists, sources, strict=True)
        ]
