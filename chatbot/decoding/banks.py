"""Banks: a beam shared out by how much of what must be said has been said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Look
from chatbot.decoding.demands import Demands, Progress
from chatbot.decoding.engine import EOS
from chatbot.decoding.front import Front
from chatbot.decoding.picking import Picked


class _Continuation(NamedTuple):
    """A candidate of a row. Those with more total sort first, of equals the earlier row's."""

    cost: float
    row: int
    column: int
    bank: int
    progress: Progress


class Banks:
    """Dynamic beam allocation: the beam has a bank for every number of demanded tokens said.

    Besides the best continuations of each row, those that go on with a demand are looked at. A source's
    places are shared out evenly over its banks, the rest going to the fullest ones; what a bank leaves over
    is filled with the best of all others. A continuation that leaves too few steps for what is still to be
    said is no candidate, nor is EOS while anything is; so every hypothesis that ends meets every demand.

    Source: Post and Vilar 2018, "Fast lexically constrained decoding with dynamic beam allocation for
    neural machine translation".

    Args:
        said: what each row of the first front has said.
    """

    together = True

    def __init__(self, beam: int, demands: Demands, said: Sequence[Sequence[int]]) -> None:
        self._beam = beam
        self._demands = demands
        self._progress = [demands.start(tokens) for tokens in said]
        self._picked: list[Progress] = []
        share, rest = divmod(beam, demands.pieces + 1)
        self._shares = [share] * (demands.pieces + 1 - rest) + [share + 1] * rest

    def width(self, vocab: int) -> int:
        """Everything: what is demanded may be unlikely."""
        return vocab

    def pick(self, front: Front, look: Look, steps_left: int) -> Picked:
        """By banks."""
        totals = front.totals[:, None] + look.gains
        is_sorted = look.gains is look.log_probs
        chosen: list[_Continuation] = []
        first = 0
        for stop in [*(np.flatnonzero(np.diff(front.owners)) + 1).tolist(), len(front.owners)]:
            some = [
                each
                for row in range(first, stop)
                for each in self._continuations(row, totals[row], look.tokens[row], steps_left, is_sorted)
            ]
            chosen += self._shared(some)
            first = stop
        self._picked = [each.progress for each in chosen]
        return (
            np.array([each.row for each in chosen], np.int64),
            np.array([each.column for each in chosen], np.int64),
        )

    def keep(self, picked: NDArray[np.int64]) -> None:
        """Their progress is that of the next rows."""
        self._progress = [self._picked[place] for place in picked.tolist()]

    def complete(self, rows: NDArray[np.int64], picked: bool) -> NDArray[np.int64]:
        """Those that meet every demand."""
        progress = self._picked if picked else self._progress
        return np.array([row for row in rows.tolist() if not progress[row].open], np.int64)

    def _continuations(
        self,
        row: int,
        totals: NDArray[np.float64],
        tokens: NDArray[np.int64],
        steps_left: int,
        is_sorted: bool,
    ) -> list[_Continuation]:
        progress = self._progress[row]
        # One more than the beam is wide: EOS may turn out to be forbidden.
        best = np.arange(min(self._beam + 1, len(totals)))
        if not is_sorted:
            best = np.argsort(-totals, kind="stable")[: self._beam + 1]
        columns = set(best.tolist())
        for wanted in self._demands.wanted(progress):
            columns.update((tokens == wanted).nonzero()[0].tolist())
        found = []
        for column in sorted(columns):
            token = int(tokens[column])
            after = progress if token == EOS else self._demands.after(progress, token)
            missing = self._demands.missing(after)
            in_time = missing == 0 if token == EOS else missing <= steps_left
            if in_time and totals[column] > -np.inf:
                bank = self._demands.pieces - missing
                found.append(_Continuation(-float(totals[column]), row, column, bank, after))
        return found

    def _shared(self, some: Sequence[_Continuation]) -> list[_Continuation]:
        """The continuations of one source that get a place."""
        ranked = sorted(some, key=lambda each: each[:3])
        left = list(self._shares)
        kept: list[_Continuation] = []
        others: list[_Continuation] = []
        for each in ranked:
            has_place = left[each.bank] > 0
            left[each.bank] -= has_place
            (kept if has_place else others).append(each)
        return sorted([*kept, *others[: self._beam - len(kept)]], key=lambda each: each[:3])
