"""Course: a search under way: the engine's state, what each row has said, and what it may say next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.blocking import Blocker
from chatbot.decoding.engine import Candidates, Engine, State
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.terms import BoundedPrior, Terms
from chatbot.decoding.trellis import End, Trellis
from chatbot.errors import OptionError

WITH_A_PRIOR = 32
"""Candidates looked at beyond those a search asks for, where a prior may prefer them."""


Grown = tuple[Front, NDArray[np.float32]]
"""Rows that have said a token more, and what each looked at."""


Gains = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Look:
    """What may follow each row of a front.

    Shapes: tokens, log_probs, gains [rows, k]; weights [rows, src_len]. gains are what totals grow by:
    the same array as log_probs where nothing is added to those, and best first only then.
    """

    tokens: NDArray[np.int64]
    log_probs: Gains
    gains: Gains
    weights: NDArray[np.float32]
    state: State

    def possible(self) -> NDArray[np.bool_]:
        """Whether a row can go on at all."""
        possible: NDArray[np.bool_] = self.gains > -np.inf
        best_first = self.gains is self.log_probs
        return np.asarray(possible[:, 0] if best_first else possible.any(axis=1))

    def only(self, front: Front) -> Front:
        """The front whose rows each say their one candidate: what ``grow`` gives, in less time."""
        if self.gains is not self.log_probs or front.covered is not None:
            every = np.arange(len(front.tokens))
            return self.grow(front, every, np.zeros_like(every))
        log_probs = front.log_probs + self.log_probs[:, 0]
        return Front(front.owners, np.arange(len(log_probs)), self.tokens[:, 0], log_probs, log_probs)

    def grow(self, front: Front, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Front:
        """The front whose row i is row ``rows[i]`` followed by its candidate ``columns[i]``."""
        log_probs = front.log_probs[rows] + self.log_probs[rows, columns]
        totals = log_probs
        if self.gains is not self.log_probs:
            totals = front.totals[rows] + self.gains[rows, columns]
        covered = front.covered
        if covered is not None:
            looked = self.weights[:, : covered.shape[1]]
            covered = covered[rows]
            covered[:, : looked.shape[1]] += looked[rows]
        return Front(
            front.owners[rows], np.arange(len(rows)), self.tokens[rows, columns], log_probs, totals, covered
        )


class Course:
    """One search, step by step; a searcher decides which rows go on and with which token.

    A row has an owner: ``copies`` owners stand for each source, owner o for source ``o // copies``.
    """

    def __init__(
        self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms, copies: int = 1
    ) -> None:
        self.trellis = Trellis()
        self.length = 0
        self.copies = 1
        self.vocab = engine.vocab
        self._engine = engine
        self._sources = sources
        self._limits = terms.limits
        self._prior = terms.prior
        self._adjusts = terms.prior is not None or terms.limits.repetition_penalty != 1
        self._blocker = Blocker(terms)
        self._remembers = self._adjusts or bool(self._blocker.rules)
        self._prefixes = np.empty((len(sources), 0), np.int64)  # [rows, length], empty unless remembered
        self._state = engine.start(sources)
        self.front = Front.first(sources, terms.limits)
        self.begun: list[Grown] = []
        """What the rows said before the search began to choose."""
        for token in terms.begin:
            self._say(token)
        if copies > 1:
            self._copy(copies)

    def look(self, k: int) -> Look:
        """The k best that may follow each row, or more where those are ranked anew."""
        wide = k + (WITH_A_PRIOR if self._prior is not None else 0)
        if self._limits.repetition_penalty != 1:
            wide += self.length  # as many may fall behind others
        owners = self._sources_of(self.front)
        bias = self._blocker.bias(self._prefixes, owners, self.length)
        found = self._engine.step(self.front.tokens, self._state, min(wide, self.vocab), bias)
        gains = self._adjusted(found, owners) if self._adjusts else found.log_probs
        return Look(found.tokens, found.log_probs, gains, found.weights, found.state)

    def say(self, look: Look) -> Front:
        """Write down that every row says its one candidate."""
        grown = look.only(self.front)
        self.trellis.grow(self.front.nodes, grown.tokens, look.weights)
        self.length += 1
        return grown

    def grow(self, look: Look, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Front:
        """Write down the front whose row i is row ``rows[i]`` followed by its candidate ``columns[i]``."""
        grown = look.grow(self.front, rows, columns)
        self.trellis.grow(self.front.nodes[rows], grown.tokens, look.weights[rows])
        self.length += 1
        return grown

    def go_on(self, look: Look, grown: Front, rows: NDArray[np.int64] | None) -> None:
        """Go on with a grown front, or some of it: its row i came from row ``rows[i]``.

        Args:
            rows: None stands for all of them, each from its own.
        """
        self._state = look.state if rows is None else look.state.select(rows)
        if self._remembers:
            before = self._prefixes if rows is None else self._prefixes[rows]
            self._prefixes = np.concatenate((before, grown.tokens[:, None]), axis=1)
        self.front = grown

    def ends(self, front: Front, rows: NDArray[np.int64]) -> list[tuple[int, End]]:
        """Rows of the present front, or of one just grown, as hypotheses, each with its owner."""
        return front.ends(rows, self.length, self._limits) if len(rows) else []

    def bounds(self, grown: Front) -> NDArray[np.float64]:
        """Scores that nothing which follows the rows of a grown front exceeds."""
        ceiling = 0.0
        if self._prior is not None:
            ceiling = np.inf
            if isinstance(self._prior, BoundedPrior):
                ceiling = self._prior.ceiling(self.length)
        return self._limits.bound(grown.totals, self.length, ceiling)

    def hypothesis(self, owner: int, end: End) -> Hypothesis:
        """What an owner's hypothesis says and looks at."""
        return self.trellis.hypothesis(end, len(self._sources[owner // self.copies]))

    def _sources_of(self, front: Front) -> NDArray[np.int64]:
        return front.owners if self.copies == 1 else front.owners // self.copies

    def _adjusted(self, found: Candidates, owners: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each candidate adds to the total of its row.

        Source: Keskar et al. 2019, "CTRL", section 4.1, where a token said before has its logit divided by
        θ. Here its log-probability, which is at most 0, is multiplied by it.
        """
        gains = found.log_probs.astype(np.float64)
        if self._limits.repetition_penalty != 1:
            said = (found.tokens[:, :, None] == self._prefixes[:, None, :]).any(-1)
            gains[said] *= self._limits.repetition_penalty
        if self._prior is not None:
            gains += self._prior.gains(self._prefixes, owners, found.tokens, found.log_probs)
        return gains

    def _say(self, token: int) -> None:
        """Let every row say a token, whatever its probability and its rules."""
        found = self._engine.step(self.front.tokens, self._state, self.vocab)
        rows, columns = np.nonzero(found.tokens == token)
        if len(rows) < len(self.front.tokens) or not np.isfinite(found.log_probs[rows, columns]).all():
            raise OptionError("begin", "the model has no way to say it", "begin with other words")
        only = Candidates(
            found.tokens[rows, columns][:, None],
            found.log_probs[rows, columns][:, None],
            found.weights,
            found.state,
        )
        gains = self._adjusted(only, self.front.owners) if self._adjusts else only.log_probs
        look = Look(only.tokens, only.log_probs, gains, only.weights, only.state)
        grown = self.say(look)
        self.begun.append((grown, look.weights))
        self.go_on(look, grown, None)

    def _copy(self, copies: int) -> None:
        """Make ``copies`` rows of each."""
        rows = np.repeat(np.arange(len(self.front.tokens)), copies)
        self._state = self._state.select(rows)
        self._prefixes = self._prefixes[rows]
        self.front = replace(self.front.take(rows), owners=np.arange(len(rows)))
        self.copies = copies
