"""Pairs as a whole: several memory-mapped sets as one, without a copy, and what can be cut out of it."""

from __future__ import annotations

import mmap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.dataset.encoded import EncodedPairs

PIECE = 1 << 19
"""Pairs that are gone through at a time where all are: half a million of ten tokens a side are 25 MB."""

TOKENS = 1 << 22
"""Tokens that are gone through at a time: 32 MB as 64-bit numbers."""

Rows = NDArray[np.int64]


class Pairs(Protocol):
    """Pairs by their row: EncodedPairs, or several of them as one."""

    def __len__(self) -> int:
        """How many."""

    def pair(self, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ids of one question and its reply."""

    def lengths_at(self, rows: Rows) -> tuple[Rows, Rows]:
        """Tokens of some questions and of their replies, EOS counted; each [rows]."""

    def words_at(self, rows: Rows) -> NDArray[np.int32]:
        """White-space words of some replies [rows]."""

    def views(self, start: int, stop: int) -> list[EncodedPairs]:
        """The pairs of neighbouring rows; their ids are not copied."""

    @property
    def tokens(self) -> int:
        """Tokens of all questions and replies together, EOS counted."""


class JoinedPairs:
    """Several sets of pairs one after the other; nothing is copied.

    Args:
        parts: memory-mapped or not.
    """

    def __init__(self, parts: Sequence[EncodedPairs]) -> None:
        self.parts = tuple(parts)
        self._ends = [0, *accumulate(len(part) for part in parts)]

    def __len__(self) -> int:
        return self._ends[-1]

    def pair(self, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ids of one question and its reply."""
        number = bisect_right(self._ends, index) - 1
        return self.parts[number].pair(index - self._ends[number])

    def lengths_at(self, rows: Rows) -> tuple[Rows, Rows]:
        """Tokens of some questions and of their replies, EOS counted; each [rows]."""
        src, tgt = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        for part, inside, there in self._apart(rows):
            src[there], tgt[there] = part.lengths_at(inside)
        return src, tgt

    def words_at(self, rows: Rows) -> NDArray[np.int32]:
        """White-space words of some replies [rows]."""
        words = np.zeros(len(rows), dtype=np.int32)
        for part, inside, there in self._apart(rows):
            words[there] = part.words_at(inside)
        return words

    def views(self, start: int, stop: int) -> list[EncodedPairs]:
        """The pairs of neighbouring rows; their ids are not copied."""
        found = []
        for part, first in zip(self.parts, self._ends, strict=False):
            low, high = max(start - first, 0), min(stop - first, len(part))
            found += part.views(low, high) if low < high else []
        return found

    @property
    def tokens(self) -> int:
        """Tokens of all questions and replies together, EOS counted."""
        return sum(part.tokens for part in self.parts)

    def _apart(self, rows: Rows) -> Iterator[tuple[EncodedPairs, Rows, NDArray[np.bool_]]]:
        """Each part that has some of the rows: the rows in it, and which of all they are."""
        for part, first in zip(self.parts, self._ends, strict=False):
            there = (rows >= first) & (rows < first + len(part))
            if there.any():
                yield part, rows[there] - first, there


def joined(parts: Sequence[EncodedPairs]) -> Pairs:
    """Several sets of pairs as one, without a copy."""
    return parts[0] if len(parts) == 1 else JoinedPairs(parts)


def concatenate(parts: Sequence[EncodedPairs]) -> EncodedPairs:
    """Several sets of pairs as one, in memory; a single one is itself."""
    if len(parts) == 1:
        return parts[0]

    def starts(side: str) -> Any:
        ends = np.cumsum([0] + [getattr(part, side)[-1] for part in parts])
        moved = [getattr(part, side)[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return np.concatenate([*moved, ends[-1:]])

    return EncodedPairs(
        np.concatenate([part.src for part in parts]),
        starts("src_starts"),
        np.concatenate([part.tgt for part in parts]),
        starts("tgt_starts"),
        np.concatenate([part.words for part in parts]),
    )


def take(pairs: Pairs, most: int) -> EncodedPairs:
    """At most so many pairs, spread evenly over all, in memory unless they are one set as a whole."""
    if len(pairs) <= most:
        return concatenate(pairs.views(0, len(pairs)) if len(pairs) else [_nothing()])
    rows = np.linspace(0, len(pairs) - 1, most).astype(np.int64)
    whole = JoinedPairs(pairs.views(0, len(pairs)))
    return concatenate([part.select(inside) for part, inside, _ in whole._apart(rows)])


def pieces(pairs: Pairs, most: int = PIECE) -> Iterator[EncodedPairs]:
    """All pairs in order, at most so many at a time."""
    for start in range(0, len(pairs), most):
        yield concatenate(pairs.views(start, min(start + most, len(pairs))))


def chunks(ids: NDArray[Any], most: int = TOKENS) -> Iterator[NDArray[Any]]:
    """All ids in order, at most so many at a time."""
    for start in range(0, len(ids), most):
        yield ids[start : start + most]


def release(pairs: Pairs) -> None:
    """Let the system have the memory back that pages read from files take; they are read again when used.

    Only what is mapped for reading counts; elsewhere, and where the system has no such call, nothing happens.
    """
    for part in pairs.views(0, len(pairs)):
        for array in (part.src, part.src_starts, part.tgt, part.tgt_starts, part.words):
            mapped = _mapping(array)
            if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
                mapped.madvise(mmap.MADV_DONTNEED)


def _mapping(array: NDArray[Any]) -> mmap.mmap | None:
    """The file that an array shows without being able to change it."""
    base: Any = array
    while isinstance(base, np.ndarray) and not base.flags.writeable:
        base = base.base
    return base if isinstance(base, mmap.mmap) else None


def _nothing() -> EncodedPairs:
    return EncodedPairs.from_lists([], [], [], 1)
