"""Demands: what every reply must hold, and how far a row has got with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Demand:
    """A word or phrase that must be said.

    Args:
        spellings: its tokens, in every way that counts; at least one, none of them empty.
        joins: tokens that, said right behind it, make another word of it.
    """

    spellings: tuple[tuple[int, ...], ...]
    joins: frozenset[int] = frozenset()

    @property
    def shortest(self) -> int:
        """Tokens it takes at least."""
        return min(map(len, self.spellings))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a row has got.

    Args:
        open: the demands not met.
        begun: spellings under way: the demand, which of its spellings, and how many tokens of it are said.
        fresh: demands that the last token met; the next one may undo it.
    """

    open: tuple[int, ...]
    begun: tuple[tuple[int, int, int], ...] = ()
    fresh: tuple[int, ...] = ()


@dataclass(frozen=True)
class Demands:
    """Words and phrases that every reply must hold."""

    words: tuple[Demand, ...]

    @cached_property
    def pieces(self) -> int:
        """Tokens that all of them take at least."""
        return sum(word.shortest for word in self.words)

    def start(self, said: Iterable[int] = ()) -> Progress:
        """The progress of a row that has said some tokens."""
        progress = Progress(tuple(range(len(self.words))))
        for token in said:
            progress = self.after(progress, token)
        return progress

    def after(self, progress: Progress, token: int) -> Progress:
        """The progress once a token more is said."""
        undone = {word for word in progress.fresh if token in self.words[word].joins}
        still = sorted({*progress.open, *undone})
        begun = [
            (word, which, said + 1)
            for word, which, said in [
                *progress.begun,
                *((word, which, 0) for word in still for which in range(len(self.words[word].spellings))),
            ]
            if self.words[word].spellings[which][said] == token
        ]
        met = {word for word, which, said in begun if said == len(self.words[word].spellings[which])}
        return Progress(
            tuple(word for word in still if word not in met),
            tuple(entry for entry in begun if entry[0] not in met),
            tuple(sorted(met)),
        )

    def missing(self, progress: Progress) -> int:
        """Tokens it still takes to meet them all, going on with the spelling under way that is furthest."""
        saved = 0
        for word, which, said in progress.begun:
            demand = self.words[word]
            saved = max(saved, demand.shortest - (len(demand.spellings[which]) - said))
        return sum(self.words[word].shortest for word in progress.open) - saved

    def wanted(self, progress: Progress) -> set[int]:
        """Tokens that go on with what is under way, or begin what is not met."""
        tokens = {self.words[word].spellings[which][said] for word, which, said in progress.begun}
        return tokens | {spelling[0] for word in progress.open for spelling in self.words[word].spellings}
