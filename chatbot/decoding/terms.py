"""Terms: everything that holds for the replies of a search, whichever way they are searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.limits import Limits
from chatbot.errors import OptionError

Entries = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows and, for each, a token; a row may occur many times."""


class Prior(Protocol):
    """What makes some replies more welcome than the model finds them likely.

    Source of the idea: Li et al. 2016, "A diversity-promoting objective function for neural conversation
    models", section 4 (a language model's log-probability, subtracted in every step).
    """

    def gains(
        self,
        prefixes: NDArray[np.int64],
        owners: NDArray[np.int64],
        tokens: NDArray[np.int64],
        log_probs: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """What each token adds to what its hypothesis is ranked and pruned by.

        Args:
            prefixes: what each row has said so far, without BOS.
            owners: the source each row belongs to.
            tokens: what each row may say next, the likeliest first.
            log_probs: how likely the model finds each of them.

        Shapes: prefixes [rows, length], owners [rows], tokens and log_probs [rows, k] -> [rows, k]
        """
        ...


@runtime_checkable
class BoundedPrior(Protocol):
    """A prior that knows how much it can still add, so that a beam search can stop early and be exact.

    Without this a search goes on until every hypothesis has ended or reached the maximum length.
    """

    def ceiling(self, length: int) -> float:
        """The most that all tokens after the first ``length`` can add together."""
        ...


class Rule(Protocol):
    """Tokens that what a row has said so far forbids."""

    def forbidden(self, prefixes: NDArray[np.int64], owners: NDArray[np.int64], last: bool) -> Entries:
        """Rows and the tokens they may not say next.

        Args:
            prefixes: what each row has said so far, without BOS.
            owners: the source each row belongs to.
            last: the reply may be cut behind the next token.

        Shapes: prefixes [rows, length], owners [rows] -> [entries], [entries]
        """
        ...


@dataclass(frozen=True, slots=True)
class Terms:
    """What replies are held to.

    Args:
        limits: the numbers.
        begin: tokens every reply begins with; part of the reply, and of its score.
        rules: what else may not be said.
        prior: what else replies are ranked by; not part of ``Hypothesis.log_prob``.

    Raises:
        OptionError: the beginning leaves no room in a reply.
    """

    limits: Limits
    begin: tuple[int, ...] = ()
    rules: tuple[Rule, ...] = ()
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if len(self.begin) >= self.limits.max_length:
            what = f"has {len(self.begin)} tokens where a reply may have {self.limits.max_length - 1}"
            raise OptionError("begin", what, "begin with less, or let replies be longer")


class NoQuoting:
    """The rule that no run of ``ngram`` tokens is copied from a source.

    Args:
        quotes: for each source the token strings not to copy from: the source itself, say.
    """

    def __init__(self, quotes: Sequence[Sequence[Sequence[int]]], ngram: int) -> None:
        self._ngram = ngram
        self._next = [_continuations(texts, ngram) for texts in quotes]

    def forbidden(self, prefixes: NDArray[np.int64], owners: NDArray[np.int64], last: bool) -> Entries:
        """The tokens that would complete a run of the row's source."""
        before = self._ngram - 1
        if prefixes.shape[1] < before:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        ends = prefixes[:, prefixes.shape[1] - before :].tolist()
        found = [
            self._next[owner].get(tuple(end), ()) for owner, end in zip(owners.tolist(), ends, strict=True)
        ]
        rows = np.repeat(np.arange(len(found)), [len(tokens) for tokens in found])
        return rows, np.array([token for tokens in found for token in tokens], np.int64)


def _continuations(texts: Sequence[Sequence[int]], ngram: int) -> dict[tuple[int, ...], list[int]]:
    """What follows each run of n-1 tokens."""
    following: dict[tuple[int, ...], set[int]] = {}
    for tokens in texts:
        for start in range(len(tokens) - ngram + 1):
            *run, token = tokens[start : start + ngram]
            following.setdefault(tuple(run), set()).add(token)
    return {run: sorted(tokens) for run, tokens in following.items()}
