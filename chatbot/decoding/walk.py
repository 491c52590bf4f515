"""Walk: hypotheses that each choose one token a step, never looking back: greedy search and sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Course, Grown, Look
from chatbot.decoding.engine import EOS
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits
from chatbot.decoding.trellis import End


class Chooser(Protocol):
    """Decides which of its candidates a row says."""

    def width(self, vocab: int) -> int:
        """How many candidates of a row are looked at."""
        ...

    def choose(self, look: Look, owners: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """A column for each row: its token number ``length``, counted from 0. A row with no candidate that
        is possible may get any.
        """
        ...


class Walk:
    """One hypothesis for each owner, all side by side, one token a step.

    A row leaves the batch once it has said EOS, or is cut where it may say nothing at all; the others
    are cut at the maximum length.
    """

    def __init__(self, course: Course, limits: Limits, chooser: Chooser) -> None:
        self._course = course
        self._limits = limits
        self._chooser = chooser
        self._ends: dict[int, End] = {}

    def steps(self) -> Iterator[Grown]:
        """After each step, the rows that said something."""
        course = self._course
        k = self._chooser.width(course.vocab)
        yield from course.begun
        while course.length < self._limits.max_length:
            look, front = course.look(k), course.front
            possible = look.possible()
            rows = possible.nonzero()[0]
            if len(rows) < len(possible):
                self._end(front, (~possible).nonzero()[0])
            if len(rows) == len(possible) and look.tokens.shape[1] == 1:
                grown, weights = course.say(look), look.weights
            else:
                columns = self._chooser.choose(look, front.owners, course.length)
                grown, weights = course.grow(look, rows, columns[rows]), look.weights[rows]
            yield grown, weights
            stay = grown.tokens != EOS
            if course.length == self._limits.max_length:
                stay[:] = False
            if stay.all() and len(stay) == len(front.tokens):
                course.go_on(look, grown, None)
                continue
            self._end(grown, (~stay).nonzero()[0])
            stays = stay.nonzero()[0]
            if not len(stays):
                break
            course.go_on(look, grown.take(stays), rows[stays])

    def hypotheses(self) -> list[Hypothesis]:
        """What each owner has said, once all steps are made."""
        return [self._course.hypothesis(owner, end) for owner, end in sorted(self._ends.items())]

    def _end(self, front: Front, rows: NDArray[np.int64]) -> None:
        self._ends.update(self._course.ends(front, rows))


def walked(walk: Walk) -> list[Hypothesis]:
    """What a walk comes to."""
    for _ in walk.steps():
        pass
    return walk.hypotheses()
