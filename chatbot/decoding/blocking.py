"""Blocker: the bias of a search, against tokens never said, repeated n-grams and what rules forbid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import EOS, Bias
from chatbot.decoding.terms import Entries, Rule, Terms


def repeats(prefixes: NDArray[np.int64], ngram: int) -> Entries:
    """Find the tokens that would complete an n-gram its row already holds.

    The last n-1 tokens of each row are compared with every earlier place at once; a token that
    followed them there is named. EOS follows nothing in an unfinished reply, so it is never named.

    Shapes: prefixes [rows, length] -> rows, tokens [entries]
    """
    length = prefixes.shape[1]
    places = max(0, length - ngram + 1)
    same = np.ones((len(prefixes), places), np.bool_)
    for offset in range(ngram - 1):
        last = length - ngram + 1 + offset
        same &= prefixes[:, offset : offset + places] == prefixes[:, last : last + 1]
    row, place = np.nonzero(same)
    return row, prefixes[row, place + ngram - 1]


def repeats_itself(tokens: Sequence[int], ngram: int) -> bool:
    """Whether a run of ``ngram`` tokens occurs twice among some; never where ngram is 0."""
    runs = [tuple(tokens[start : start + ngram]) for start in range(len(tokens) - ngram + 1)]
    return ngram > 0 and len(set(runs)) < len(runs)


NOTHING: Entries = (np.empty(0, np.int64), np.empty(0, np.int64))


class NoRepeating:
    """The rule that no run of ``ngram`` tokens occurs twice in a reply."""

    def __init__(self, ngram: int) -> None:
        self._ngram = ngram

    def forbidden(self, prefixes: NDArray[np.int64], owners: NDArray[np.int64], last: bool) -> Entries:
        """The tokens that would complete such a run."""
        if prefixes.shape[1] < self._ngram:
            return NOTHING
        return repeats(prefixes, self._ngram)


def forbid(rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> Bias:
    """The bias that forbids ``tokens[i]`` to row ``rows[i]``."""
    return Bias(rows, tokens, np.full(len(rows), -np.inf, np.float32))


class Blocker:
    """What the rows of a search may not say next."""

    def __init__(self, terms: Terms) -> None:
        limits = terms.limits
        self.rules: tuple[Rule, ...] = terms.rules
        if limits.block_ngram:
            self.rules = (NoRepeating(limits.block_ngram), *self.rules)
        self._limits = limits
        self._never = {ending: _ids((*limits.never, *(() if ending else (EOS,)))) for ending in (False, True)}
        self._constant: tuple[int, bool, Bias | None] = (-1, False, None)

    def bias(self, prefixes: NDArray[np.int64], owners: NDArray[np.int64], length: int) -> Bias | None:
        """What is forbidden to each row now; None when nothing is.

        Args:
            prefixes, owners: as for a ``Rule``; not looked at where there are no rules.
            length: of the prefixes.
        """
        constant = self._fixed(len(owners), length >= self._limits.min_length)
        last = length + 2 >= self._limits.max_length
        found = [rule.forbidden(prefixes, owners, last) for rule in self.rules]
        found = [entries for entries in found if len(entries[0])]
        if not found:
            return constant
        if constant is not None:
            found.insert(0, (constant.rows, constant.tokens))
        return forbid(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _fixed(self, rows: int, may_end: bool) -> Bias | None:
        """The entries that depend on the number of rows and on the length alone."""
        if self._constant[:2] != (rows, may_end):
            never = self._never[may_end]
            bias = forbid(np.repeat(np.arange(rows), len(never)), np.tile(never, rows))
            self._constant = (rows, may_end, bias if len(never) else None)
        return self._constant[2]


def _ids(tokens: Sequence[int]) -> NDArray[np.int64]:
    return np.array(sorted(set(tokens)), np.int64)
