"""Greedy search: the likeliest token at every step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Course, Look
from chatbot.decoding.engine import Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import check_widths
from chatbot.decoding.terms import Terms
from chatbot.decoding.walk import Walk, walked


class Greedy:
    """The way of one hypothesis for each source, which says what its total gains most by."""

    def find(
        self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms, n_best: int = 1
    ) -> list[list[Hypothesis]]:
        """One hypothesis for each source, all sources side by side.

        Raises:
            OptionError: more than one is asked for.
        """
        check_widths(1, n_best)
        if not sources:
            return []
        return [[found] for found in walked(self.walk(engine, sources, terms))]

    def walk(self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms) -> Walk:
        """The same, step by step."""
        return Walk(Course(engine, sources, terms), terms.limits, self)

    def width(self, vocab: int) -> int:
        """How many candidates of a row are looked at."""
        return 1

    def choose(self, look: Look, owners: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """The column of the best candidate of each row; of equal ones the engine's first."""
        return np.asarray(look.gains.argmax(axis=1))
