"""EncodedPairs: the ids of many pairs in flat arrays, in memory, memory-mapped or on their way to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ARRAYS = ("src", "src_starts", "tgt", "tgt_starts", "words")

_HEADER_BYTES = 128
"""Room for the header of a one-dimensional array of any length."""


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """Pairs as ids, without BOS and EOS; those from the vocabulary's size on are words of their question.

    Shapes: src, tgt [all tokens]; src_starts, tgt_starts [pairs + 1], pair i is
    ``src[src_starts[i]:src_starts[i + 1]]``; words [pairs], white-space words of the reply.
    """

    src: NDArray[Any]
    src_starts: NDArray[np.int64]
    tgt: NDArray[Any]
    tgt_starts: NDArray[np.int64]
    words: NDArray[np.int32]

    @classmethod
    def from_lists(
        cls, src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], words: Sequence[int], vocab: int
    ) -> EncodedPairs:
        """Pack lists of ids in the smallest type that holds them.

        Args:
            vocab: all ids are below it: the vocabulary, and as many words more as a question may add to it.
        """
        kind = smallest_type(vocab)
        return cls(*_flat(src, kind), *_flat(tgt, kind), np.asarray(words, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.words)

    @property
    def src_lengths(self) -> NDArray[np.int64]:
        """Tokens of each question.

        Shapes: [pairs]
        """
        return np.diff(self.src_starts)

    @property
    def tgt_lengths(self) -> NDArray[np.int64]:
        """Tokens of each reply, EOS counted.

        Shapes: [pairs]
        """
        return np.diff(self.tgt_starts) + 1

    def pair(self, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ids of one question and its reply."""
        src = self.src[self.src_starts[index] : self.src_starts[index + 1]]
        return src, self.tgt[self.tgt_starts[index] : self.tgt_starts[index + 1]]

    def lengths_at(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tokens of some questions and of their replies, EOS counted.

        Shapes: rows [rows] -> each [rows]
        """
        src, tgt = (
            np.asarray(starts[rows + 1]) - np.asarray(starts[rows])
            for starts in (self.src_starts, self.tgt_starts)
        )
        return src, tgt + 1

    def words_at(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """White-space words of some replies.

        Shapes: rows [rows] -> [rows]
        """
        return np.asarray(self.words[rows])

    def views(self, start: int, stop: int) -> list[EncodedPairs]:
        """The pairs of neighbouring rows, as one set; their ids are not copied."""
        if (start, stop) == (0, len(self)):
            return [self]
        src, tgt = (np.asarray(starts[start : stop + 1]) for starts in (self.src_starts, self.tgt_starts))
        return [
            EncodedPairs(
                self.src[src[0] : src[-1]],
                src - src[0],
                self.tgt[tgt[0] : tgt[-1]],
                tgt - tgt[0],
                self.words[start:stop],
            )
        ]

    @property
    def tokens(self) -> int:
        """Tokens of all questions and replies together, EOS counted."""
        return int(self.src_starts[-1] + self.tgt_starts[-1]) + len(self)

    def select(self, rows: NDArray[np.int64]) -> EncodedPairs:
        """Some pairs in memory, in the order of the rows."""
        src, tgt = _gathered(self.src, self.src_starts, rows), _gathered(self.tgt, self.tgt_starts, rows)
        return EncodedPairs(*src, *tgt, self.words_at(rows))

    def save(self, folder: Path, name: str) -> None:
        """Write the arrays as ``NAME.ARRAY.npy`` into a folder."""
        for array in _ARRAYS:
            np.save(folder / f"{name}.{array}.npy", getattr(self, array), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, name: str) -> EncodedPairs:
        """Map the arrays from a folder; pages are read as they are used."""
        mapped = (np.load(folder / f"{name}.{a}.npy", mmap_mode="r", allow_pickle=False) for a in _ARRAYS)
        return cls(*map(np.asarray, mapped))  # a plain array of the same pages: a memmap is slow to slice


class EncodedWriter:
    """Writes pairs into files that ``EncodedPairs.load`` maps, some at a time; a context manager.

    Headers are written when the block ends without an error, so that half a file is never taken for one.

    Args:
        folder, name: as for ``EncodedPairs.save``.
        vocab: all ids are below it, see ``EncodedPairs.from_lists``.

    Raises:
        OSError: the disk is full or does not let us write.
    """

    def __init__(self, folder: Path, name: str, vocab: int) -> None:
        kind = smallest_type(vocab)
        self._sides = {side: _ArrayFile(folder / f"{name}.{side}.npy", kind) for side in ("src", "tgt")}
        self._starts = {
            side: _ArrayFile(folder / f"{name}.{side}_starts.npy", np.int64) for side in self._sides
        }
        self._words = _ArrayFile(folder / f"{name}.words.npy", np.int32)
        for starts in self._starts.values():
            starts.append(np.zeros(1))

    def __enter__(self) -> EncodedWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as closing:
            for file in (*self._sides.values(), *self._starts.values(), self._words):
                closing.callback(file.close, complete=kind is None)

    def append(
        self, src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]], words: Sequence[int]
    ) -> None:
        """Add pairs, see ``EncodedPairs.from_lists``."""
        for side, rows in (("src", src), ("tgt", tgt)):
            flat, starts = _flat(rows, self._sides[side].kind)
            self._starts[side].append(starts[1:] + self._sides[side].length)
            self._sides[side].append(flat)
        self._words.append(np.asarray(words))


class _ArrayFile:
    """An ``.npy`` file that grows.

    Source: numpy.lib.format, version 1.0.
    """

    def __init__(self, path: Path, kind: type) -> None:
        self.kind = kind
        self.length = 0
        self._file = open(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600), "w+b")  # noqa: SIM115
        self._file.write(bytes(_HEADER_BYTES))

    def append(self, array: NDArray[Any]) -> None:
        self._file.write(array.astype(self.kind, copy=False).tobytes())
        self.length += len(array)

    def close(self, complete: bool) -> None:
        """Args: complete: write the header."""
        with self._file:
            if complete:
                described = {
                    "descr": np.dtype(self.kind).str,
                    "fortran_order": False,
                    "shape": (self.length,),
                }
                text = f"{described!r}".ljust(_HEADER_BYTES - 11) + "\n"
                self._file.seek(0)
                self._file.write(b"\x93NUMPY\x01\x00" + (len(text)).to_bytes(2, "little") + text.encode())


def smallest_type(vocab: int) -> type:
    """The smallest type that holds all ids below ``vocab``."""
    return np.uint16 if vocab <= 1 << 16 else np.uint32


def _flat(sequences: Sequence[Sequence[int]], kind: type) -> tuple[NDArray[Any], NDArray[np.int64]]:
    starts = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=starts[1:])
    return np.fromiter(chain.from_iterable(sequences), dtype=kind, count=int(starts[-1])), starts


def _gathered(
    ids: NDArray[Any], starts: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The ids of some rows end to end, and where each begins."""
    first = np.asarray(starts[rows])
    lengths = np.asarray(starts[rows + 1]) - first
    moved = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(first - moved[:-1], lengths) + np.arange(moved[-1])
    return np.asarray(ids[places]), moved
