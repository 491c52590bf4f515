"""Which continuations a beam keeps: simply the best, or by groups that shun each other's tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Look
from chatbot.decoding.front import Front

Picked = tuple[NDArray[np.int64], NDArray[np.int64]]


def best_of(owners: NDArray[np.int64], totals: NDArray[np.float64], most: int) -> Picked:
    """Each owner's best continuations, at most so many: their rows and columns, best first.

    Equal ones keep the order of their rows and, within a row, that of the columns.

    Shapes: owners [rows], in order; totals [rows, k]
    """
    count, k = totals.shape
    if owners[0] == owners[-1]:
        flat = -totals.ravel()
        order = flat.argsort(kind="stable")[:most]
        if flat[order[-1]] == np.inf:
            order = order[flat[order] < np.inf]
        return np.divmod(order, k)
    starts = np.concatenate(([0], (owners[1:] != owners[:-1]).nonzero()[0] + 1))
    sizes = np.concatenate((starts[1:], [count])) - starts
    widest = int(sizes.max())
    if len(starts) * widest == count:  # each has as many rows
        costs = -totals
    else:
        costs = np.full((len(starts) * widest, k), np.inf)
        costs[np.arange(count) + np.repeat(np.arange(len(starts)) * widest - starts, sizes)] = -totals
    blocks = costs.reshape(len(starts), widest * k)
    order = blocks.argsort(axis=1, kind="stable")[:, :most]
    rows, columns = np.divmod(order, k)
    possible = np.take_along_axis(blocks, order, axis=1) < np.inf
    return (rows + starts[:, None])[possible], columns[possible]


class _Stateless:
    """A picker that remembers nothing of rows, and takes every row as it is."""

    def keep(self, picked: NDArray[np.int64]) -> None:
        """Nothing is remembered."""

    def complete(self, rows: NDArray[np.int64], picked: bool) -> NDArray[np.int64]:
        """All of them."""
        return rows


class Best(_Stateless):
    """The best of all continuations of a source."""

    together = False

    def __init__(self, beam: int) -> None:
        self._beam = beam

    def width(self, vocab: int) -> int:
        """No row can have more than all of them."""
        return min(self._beam, vocab)

    def pick(self, front: Front, look: Look, steps_left: int) -> Picked:
        """By total."""
        return best_of(front.owners, front.totals[:, None] + look.gains, self._beam)


class Groups(_Stateless):
    """The best of each group, one group after the other; saying what earlier groups say has a price.

    A group is an owner: those of a source stand together. In each step a candidate of a later group
    loses ``diversity`` for every hypothesis of an earlier group of its source that has just got the same
    token. This decides which are kept and no more: totals and scores stay what they were.

    Source: Vijayakumar et al. 2018, "Diverse beam search", algorithm 1, with Hamming diversity.
    """

    together = True

    def __init__(self, beam: int, groups: int, diversity: float) -> None:
        self._beam = beam
        self._groups = groups
        self._diversity = diversity

    def width(self, vocab: int) -> int:
        """A group's own width, and as many as earlier groups can have said."""
        return min(self._beam, vocab)

    def pick(self, front: Front, look: Look, steps_left: int) -> Picked:
        """Group by group."""
        sources, groups = np.divmod(front.owners, self._groups)
        keys = sources[:, None] * (int(look.tokens.max()) + 1) + look.tokens  # a token of a source
        totals = front.totals[:, None] + look.gains
        said = np.empty(0, np.int64)
        picked: list[Picked] = []
        for group in range(self._groups):
            here = np.flatnonzero(groups == group)
            if not len(here):
                continue
            tokens, counts = np.unique(said, return_counts=True)
            price = np.zeros((len(here), keys.shape[1]))
            if len(tokens):
                places = np.minimum(np.searchsorted(tokens, keys[here]), len(tokens) - 1)
                price = np.where(tokens[places] == keys[here], counts[places], 0) * self._diversity
            rows, columns = best_of(front.owners[here], totals[here] - price, self._beam // self._groups)
            picked.append((here[rows], columns))
            said = np.concatenate((said, keys[here[rows], columns]))
        rows, columns = (np.concatenate(parts) for parts in zip(*picked, strict=True))
        order = np.argsort(front.owners[rows], kind="stable")
        return rows[order], columns[order]
