"""Beam search: the best few unfinished replies of each source, extended side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.banks import Banks
from chatbot.decoding.course import Course, Look
from chatbot.decoding.demands import Demands
from chatbot.decoding.engine import EOS, Engine
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import check_widths
from chatbot.decoding.picking import Best, Groups
from chatbot.decoding.shortlist import Shortlists
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError


class Picker(Protocol):
    """Decides which continuations a beam keeps.

    together: what it keeps hangs on rows that have no hope of their own, see ``Shortlists``.
    """

    together: bool

    def width(self, vocab: int) -> int:
        """How many candidates of a row are looked at."""
        ...

    def pick(self, front: Front, look: Look, steps_left: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns of the continuations kept: those of an owner together, owners in order.

        Args:
            steps_left: tokens a row can say between the one chosen now and its EOS.
        """
        ...

    def keep(self, picked: NDArray[np.int64]) -> None:
        """The next front is made of these of the continuations picked last."""
        ...

    def complete(self, rows: NDArray[np.int64], picked: bool) -> NDArray[np.int64]:
        """Those of some rows that may be replies as they are.

        Args:
            picked: they are continuations picked last; otherwise rows of the present front.
        """
        ...


@dataclass(frozen=True, slots=True)
class Beam:
    """The way of several hypotheses side by side.

    Args:
        beam: how many of a source.
        groups: parts of the beam, each as wide, that shun each other's tokens; 1: no such parts.
        diversity: what a group's candidate loses for each earlier group's hypothesis that says the same
            token in the same step.
        prune: a candidate this much below the best of its row is left out, and a finished hypothesis whose
            score is this much below the best one; 0: off.
        demands: what every reply must hold.

    Raises:
        OptionError: a number out of its range, or demands that the beam is too narrow for.
    """

    beam: int
    groups: int = 1
    diversity: float = 0.5
    prune: float = 0.0
    demands: Demands | None = None

    def __post_init__(self) -> None:
        check_widths(self.beam, 1)
        if self.groups < 1 or self.beam % self.groups:
            what = f"{self.groups} do not share a beam of {self.beam}"
            raise OptionError("beam_groups", what, "let the beam be a multiple of them")
        for name in ("diversity", "prune"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise OptionError(name, f"is {value}", "it must be 0 or more")
        if self.demands is not None:
            for name, given in (("beam_groups", self.groups > 1), ("prune", self.prune > 0)):
                if given:
                    raise OptionError("must", f"contradicts {name}", "give one of them")
            if self.beam <= self.demands.pieces:
                what = f"takes a beam of {self.demands.pieces + 1}, and it has {self.beam}"
                raise OptionError("must", what, f"widen it: beam {self.demands.pieces + 1}")

    def find(
        self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms, n_best: int = 1
    ) -> list[list[Hypothesis]]:
        """The n best hypotheses found for each source, best first, all sources side by side.

        1. Every row is asked for its best next tokens, in one step of the engine.
        2. A source takes the ``beam`` best continuations over all its rows, by their totals: they are
           of one length, so nothing needs normalising. (With groups or demands, see ``Picker``.)
        3. Those that end with EOS are put away with their final score; the others are the next rows. An
           ended one takes its place in this step only. So beam 1 is greedy search.
        4. A row that can no longer get among the n best leaves the batch (``Shortlists.hopeful``); a
           source is finished when its last row has. Rows that reach ``max_length`` are cut.

        Hypotheses differ by construction: a row's continuations do, and so does all that follows them.

        Raises:
            OptionError: n_best is below 1 or more than the beam.
        """
        check_widths(self.beam, n_best)
        if not sources:
            return []
        course = Course(engine, sources, terms, self.groups)
        picker = self._picker(len(sources), terms.begin)
        spread = self.prune or np.inf
        lists = Shortlists(course, len(sources) * self.groups, n_best, spread, picker.together)
        k, longest = picker.width(engine.vocab), terms.limits.max_length
        while course.length < longest:
            look = self._pruned(course.look(k))
            possible = look.possible()
            if not possible.all():
                lists.add_cut(course.front, picker.complete((~possible).nonzero()[0], False))
            # A reply may be cut before the place of its EOS, so nothing that counts is said there.
            rows, columns = picker.pick(course.front, look, max(0, longest - course.length - 2))
            grown = course.grow(look, rows, columns)
            is_end = grown.tokens == EOS
            lists.add_ended(grown, is_end.nonzero()[0])
            stays = (~is_end).nonzero()[0]
            if course.length == longest:
                lists.add_cut(grown, picker.complete(stays, True))
                break
            stays = lists.hopeful(grown, stays)
            if not len(stays):
                break
            picker.keep(stays)
            course.go_on(look, grown.take(stays), rows[stays])
        return lists.hypotheses()

    def _picker(self, sources: int, begin: tuple[int, ...]) -> Picker:
        if self.demands is not None:
            return Banks(self.beam, self.demands, [begin] * sources)
        if self.groups > 1:
            return Groups(self.beam, self.groups, self.diversity)
        return Best(self.beam)

    def _pruned(self, look: Look) -> Look:
        """Without the candidates that are too far below the best of their row.

        Source: Wu et al. 2016, section 7, where one threshold prunes tokens by their local scores, as here,
        and finished hypotheses by their normalised ones, as ``Shortlist`` does.
        """
        if not self.prune:
            return look
        gains = look.gains.copy()
        gains[gains < gains.max(axis=1, keepdims=True) - self.prune] = -np.inf
        if look.gains is look.log_probs:
            return replace(look, log_probs=gains, gains=gains)
        return replace(look, gains=gains)
