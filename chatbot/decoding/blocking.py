"""Blocker: the bias of a search, against tokens never said and against repeated n-grams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import Bias


def repeats(prefixes: NDArray[np.int64], ngram: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def forbid(rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> Bias:
    """The bias that forbids ``tokens[i]`` to row ``rows[i]``."""
    return Bias(rows, tokens, np.full(len(rows), -np.inf, np.float32))


class Blocker:
    """What the rows of a search may not say next; it follows the rows as the search reorders them.

    Args:
        never: tokens no row may say.
        ngram: length of the runs that may not occur twice in a row; 0: no such rule.
        rows: rows at the start, each of them empty.
    """

    def __init__(self, never: Sequence[int], ngram: int, rows: int) -> None:
        self._never = np.array(sorted(set(never)), np.int64)
        self._ngram = ngram
        self._rows = rows
        self._prefixes = np.empty((rows, 0), np.int64)  # [rows, length], kept only when ngram > 0
        self._constant = self._never_bias()

    def bias(self) -> Bias | None:
        """What is forbidden to each row now; None when nothing is."""
        constant = self._constant
        if not self._ngram or self._prefixes.shape[1] < self._ngram:
            return constant
        rows, tokens = repeats(self._prefixes, self._ngram)
        if not len(rows):
            return constant
        if constant is None:
            return forbid(rows, tokens)
        return forbid(np.concatenate((constant.rows, rows)), np.concatenate((constant.tokens, tokens)))

    def follow(self, rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> None:
        """Row i becomes what row ``rows[i]`` was, followed by ``tokens[i]``."""
        if len(rows) != self._rows:
            self._rows = len(rows)
            self._constant = self._never_bias()
        if self._ngram:
            self._prefixes = np.concatenate((self._prefixes[rows], tokens[:, None]), axis=1)

    def _never_bias(self) -> Bias | None:
        """The entries that depend on the number of rows alone."""
        if not len(self._never):
            return None
        return forbid(np.repeat(np.arange(self._rows), len(self._never)), np.tile(self._never, self._rows))
