"""EncodedPairs: the ids of many pairs in four flat arrays, in memory or memory-mapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ARRAYS = ("src", "src_starts", "tgt", "tgt_starts", "words")


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
        kind = np.uint16 if vocab <= 1 << 16 else np.uint32
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

    def save(self, folder: Path, name: str) -> None:
        """Write the arrays as ``NAME.ARRAY.npy`` into a folder."""
        for array in _ARRAYS:
            np.save(folder / f"{name}.{array}.npy", getattr(self, array), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, name: str) -> EncodedPairs:
        """Map the arrays from a folder; pages are read as they are used."""
        return cls(*(np.load(folder / f"{name}.{a}.npy", mmap_mode="r", allow_pickle=False) for a in _ARRAYS))


def _flat(sequences: Sequence[Sequence[int]], kind: type) -> tuple[NDArray[Any], NDArray[np.int64]]:
    starts = np.zeros(len(sequences) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=starts[1:])
    flat = np.empty(starts[-1], dtype=kind)
    for sequence, start in zip(sequences, starts, strict=False):
        flat[start : start + len(sequence)] = sequence
    return flat, starts
