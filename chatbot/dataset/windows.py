"""Windows: the order in which an epoch shows pairs, in memory that does not grow with the corpus.

Pairs lie in files one after the other, and reading them in any order at all would touch every page of them
all the time. A large corpus is therefore shuffled twice: blocks of neighbouring rows are put in random
order, and the pairs of some hundred blocks, a window, are read into memory, shuffled and put into batches
of like lengths. An epoch that fits one window is shuffled as a whole. Either order is a pure function of the
seed, the epoch and the place in it, and any place is found by making its own window only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.dataset.bucketing import bucket
from chatbot.dataset.joined import Pairs, concatenate, release

BLOCK = 1 << 10
"""Neighbouring rows that stay together on their way into a window: some 20 KB at ten tokens a side, which a
disk reads as fast as one page."""

WINDOW = 1 << 19
"""Pairs that are shuffled together: half a million, so that lengths still match and neighbours part."""

WINDOW_TOKENS = 1 << 26
"""Tokens a window holds on average, at 2 or 4 bytes each: of long pairs it holds fewer."""

PLACES = 1 << 20
"""Places that each window of an epoch is divided into, however many batches it makes: more than any does.
So it is known how much of an epoch a place stands for, and no batch but those shown has to be made."""

Rows = NDArray[np.int64]


class Placed(NamedTuple):
    """A batch of an epoch.

    Args:
        place, places: where in the epoch it begins, and how many places an epoch has; what follows it is
            found from ``place + 1`` on.
        pairs, rows: what is in it.
    """

    place: int
    places: int
    pairs: Pairs
    rows: Rows


class Order(Protocol):
    """In which order epochs show their pairs."""

    def batches(self, epoch: int, place: int) -> Iterator[Placed]:
        """The batches of an epoch from a place on."""


class WholeEpoch:
    """An epoch shuffled as one; its places are its batches."""

    def __init__(
        self, pairs: Pairs, sizes: Sequence[int], times: Sequence[float], batch_tokens: int, seed: int
    ) -> None:
        self._pairs = pairs
        self._sizes, self._times = sizes, times
        self._batch_tokens, self._seed = batch_tokens, seed

    def epoch(self, number: int) -> list[Rows]:
        """The batches of an epoch as rows, in order."""
        rng = np.random.default_rng([self._seed, number])
        rows = epoch_rows(self._sizes, self._times, rng)
        return bucket(self._pairs, rows, self._batch_tokens, rng)

    def batches(self, epoch: int, place: int) -> Iterator[Placed]:
        """The batches of an epoch from a place on."""
        batches = self.epoch(epoch)
        for number in range(place, len(batches)):
            yield Placed(number, len(batches), self._pairs, batches[number])


class WindowedEpoch:
    """An epoch shuffled by windows.

    Args:
        window: pairs in a window, at most; a multiple of ``block`` except for the smallest corpora.
    """

    def __init__(
        self,
        pairs: Pairs,
        sizes: Sequence[int],
        times: Sequence[float],
        batch_tokens: int,
        seed: int,
        window: int = WINDOW,
        block: int = BLOCK,
    ) -> None:
        self._pairs = pairs
        self._blocks = _blocks(sizes, times, block)
        self._batch_tokens, self._seed = batch_tokens, seed
        tokens = max(1, pairs.tokens // max(len(pairs), 1) * block)
        together = max(1, min(window // block, WINDOW_TOKENS // tokens))
        self.windows = -(-len(self._blocks) // together)

    def batches(self, epoch: int, place: int) -> Iterator[Placed]:
        """The batches of an epoch from a place on.

        Batch j of the n of a window begins at its place ⌊j · PLACES / n⌋: different ones for all, since n is
        at most PLACES, and ⌈place · n / PLACES⌉ is j again.
        """
        places = self.windows * PLACES
        for window in range(place // PLACES, self.windows):
            pairs, found = self._window(epoch, window)
            inside = max(place - window * PLACES, 0)
            for number in range(-(-inside * len(found) // PLACES), len(found)):
                start = window * PLACES + number * PLACES // len(found)
                yield Placed(start, places, pairs, found[number])

    def _window(self, epoch: int, number: int) -> tuple[Pairs, list[Rows]]:
        """The pairs of a window in memory, and its batches."""
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._blocks))
        low, high = (len(order) * edge // self.windows for edge in (number, number + 1))
        rng = np.random.default_rng([self._seed, epoch, number])
        read, rows, first = [], [], 0
        for start, stop, shown in self._blocks[order[low:high]].tolist():
            views = self._pairs.views(start, stop)
            whole = np.arange(first, first + stop - start, dtype=np.int64)
            rows.append(whole if shown == len(whole) else np.sort(rng.choice(whole, shown, replace=False)))
            read += views
            first += len(whole)
        pairs = concatenate(read)
        release(self._pairs)
        return pairs, bucket(pairs, np.concatenate(rows), self._batch_tokens, rng)


def order_of(
    pairs: Pairs, sizes: Sequence[int], times: Sequence[float], batch_tokens: int, seed: int
) -> Order:
    """The order for corpora laid end to end: one window where an epoch fits it.

    Args: as TrainingBatches.
    """
    shown = sum(size * int(count) + once_more(size, count) for size, count in zip(sizes, times, strict=True))
    kind = WholeEpoch if shown <= WINDOW else WindowedEpoch
    return kind(pairs, sizes, times, batch_tokens, seed)


def epoch_rows(sizes: Sequence[int], times: Sequence[float], rng: np.random.Generator) -> Rows:
    """The rows of one epoch over several corpora laid end to end.

    A corpus with ``times`` 2.5 shows every pair twice and a random half of them once more.
    """
    chosen, start = [], 0
    for size, count in zip(sizes, times, strict=True):
        rows = np.arange(start, start + size, dtype=np.int64)
        chosen += [rows] * int(count)
        rest = once_more(size, count)
        if rest:
            chosen.append(np.sort(rng.choice(rows, rest, replace=False)))
        start += size
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)


def once_more(size: int, times: float) -> int:
    """How many pairs of a corpus an epoch shows once more than the others."""
    return round((times - int(times)) * size)


def _blocks(sizes: Sequence[int], times: Sequence[float], block: int) -> Rows:
    """The blocks of an epoch: first row, the row behind the last, and how many of its rows are shown.

    Shapes: [blocks, 3]
    """
    found, first = [], 0
    for size, count in zip(sizes, times, strict=True):
        edges = np.append(np.arange(0, size, block, dtype=np.int64), size)
        start, stop = edges[:-1] + first, edges[1:] + first
        found += [np.stack([start, stop, stop - start], axis=1)] * int(count)
        rest = np.diff(np.round((count - int(count)) * edges).astype(np.int64))
        found.append(np.stack([start, stop, rest], axis=1)[rest > 0])
        first += size
    return np.concatenate(found)
