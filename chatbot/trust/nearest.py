"""Nearest: the training pairs whose questions are most like a question, in the encoder's own space.

A question's vector is the mean of the encoder's outputs over its tokens. Vectors of all questions share a
large common part and a few strong directions that say little of what was asked (Mu and Viswanath 2018), so
the mean is taken off, the ``DIMENSIONS`` principal directions are kept, and each is divided by the square
root of its singular value. What remains is made one unit long and stored as 8-bit numbers: 64 bytes a pair.

    similarity(a, b) = a · b / (|a| |b|) after that, from -1 to 1

The search is exact: one product of a matrix and a vector.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.errors import CheckpointError

DIMENSIONS = 64
"""Directions kept: with half as many the right neighbour is found a tenth less often."""

LARGEST = 127

Texts = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Nearest:
    """A training pair.

    Args:
        question, reply: as the bot read them.
        similarity: of its question to the one that was asked, -1 to 1.
    """

    question: str
    reply: str
    similarity: float


@dataclass(frozen=True)
class PairIndex:
    """Training pairs by their questions' vectors.

    Shapes: mean [size]; basis [size, dimensions]; vectors [pairs, dimensions], 8-bit, each stretched to the
    whole range.
    """

    texts: tuple[tuple[str, str], ...]
    mean: NDArray[np.float32]
    basis: NDArray[np.float32]
    vectors: NDArray[np.int8]

    @classmethod
    def of(cls, texts: Texts, vectors: NDArray[np.float32]) -> PairIndex:
        """Make an index.

        Args:
            texts: question and reply of each pair, at least one pair.

        Shapes: vectors [pairs, size]
        """
        mean = vectors.mean(axis=0)
        centred = (vectors - mean).astype(np.float64)
        power, directions = np.linalg.eigh(centred.T @ centred)  # the smallest first
        kept = np.flatnonzero(power > power[-1] * 1e-9)[::-1][:DIMENSIONS]
        basis = directions[:, kept] / np.sqrt(np.sqrt(power[kept] / power[-1])) if len(kept) else directions
        basis = np.ascontiguousarray(basis.astype(np.float16), dtype=np.float32)
        return cls(tuple(texts), mean, basis, _bytes((vectors - mean) @ basis))

    def nearest(self, vector: NDArray[np.float32], most: int) -> list[Nearest]:
        """The pairs nearest to a question, nearest first; of equally near ones the first ones stored.

        Shapes: vector [size]
        """
        if not self.texts or most < 1:
            return []
        similarities = self._unit_vectors @ _units((vector - self.mean)[None] @ self.basis)[0]
        likely = np.arange(len(self.texts))
        if most < len(likely):
            bound = np.partition(similarities, -most)[-most]
            likely = np.flatnonzero(similarities >= bound)
        best = likely[np.argsort(-similarities[likely], kind="stable")][:most]
        near = np.clip(similarities, -1.0, 1.0)
        return [
            Nearest(question, reply, float(near[row]))
            for row in best.tolist()
            for question, reply in [self.texts[row]]
        ]

    def to_bytes(self) -> tuple[bytes, bytes]:
        """The vectors as a safetensors file, and the texts as JSON lines: ``["question", "reply"]``."""
        from safetensors.numpy import save

        basis = self.basis.astype(np.float16)
        tensors: dict[str, NDArray[Any]] = {
            "mean": self.mean,
            "basis": np.ascontiguousarray(basis),
            "vectors": self.vectors,
        }
        lines = [json.dumps(pair, ensure_ascii=False) + "\n" for pair in self.texts]
        return save(tensors), "".join(lines).encode("utf-8", "replace")

    @classmethod
    def from_bytes(cls, vectors: bytes, texts: bytes, where: str) -> PairIndex:
        """Read such files.

        Raises:
            CheckpointError: they are none, or do not belong together.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            tensors = load(vectors)
            lines = (json.loads(line) for line in texts.decode().split("\n") if line)
            pairs = tuple((str(question), str(reply)) for question, reply in lines)
            found = cls(
                pairs,
                tensors["mean"].astype(np.float32),
                tensors["basis"].astype(np.float32),
                tensors["vectors"],
            )
            found._check()
        except (SafetensorError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise CheckpointError(where, f"cannot be read ({error})", "restore it, or train again") from None
        return found

    def _check(self) -> None:
        sound = (
            self.mean.ndim == 1
            and self.basis.ndim == self.vectors.ndim == 2
            and self.vectors.dtype == np.int8
            and self.basis.shape == (len(self.mean), self.vectors.shape[1])
            and len(self.texts) == len(self.vectors)
        )
        if not sound:
            raise ValueError("texts and vectors do not belong together")

    @cached_property
    def _unit_vectors(self) -> NDArray[np.float32]:
        return _units(self.vectors.astype(np.float32))


def _units(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Each one long, or of no length where it has none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _bytes(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    widest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(np.rint(vectors / np.where(widest > 0, widest, 1) * LARGEST), dtype=np.int8)
