"""What a search needs of a model: start, step, select. The search knows nothing else of it.

Vocabulary-wide work (softmax, masking, top-k) is the engine's, next to the weights; a search sees
the k best continuations of each row as small numpy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

PAD, UNK, BOS, EOS = 0, 1, 2, 3
"""Ids of the special tokens, fixed everywhere."""


class State(Protocol):
    """A decoder's memory of its rows: one row for each hypothesis that is being extended."""

    def select(self, rows: NDArray[np.int64]) -> State:
        """The state whose row i is this state's row ``rows[i]``; rows may repeat or be left out."""
        ...


@dataclass(frozen=True, slots=True)
class Bias:
    """Numbers added to single log-probabilities before the k best are taken; -inf forbids a token.

    Shapes: rows, tokens, values all [entries]; entry i is for token ``tokens[i]`` of row ``rows[i]``.
    An entry may occur twice; both are added.
    """

    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    values: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The k best next tokens of each row, best first, after the bias.

    ``log_probs`` are of the model's softmax over the whole vocabulary, plus the bias; they are not
    renormalised, so that a hypothesis' sum is what forced decoding gives. k is at most the
    vocabulary; forbidden tokens may fill the tail with -inf.

    Shapes: tokens, log_probs [rows, k]; weights [rows, src_len] (what this step looked at; columns past a
    row's own source belong to nobody); state holds the rows after this step.
    """

    tokens: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    weights: NDArray[np.float32]
    state: State


class Engine(Protocol):
    """A trained model that continues replies."""

    vocab: int

    def start(self, sources: Sequence[Sequence[int]]) -> State:
        """Read the sources; row i of the state belongs to ``sources[i]``. No source is empty."""
        ...

    def step(self, tokens: NDArray[np.int64], state: State, k: int, bias: Bias | None = None) -> Candidates:
        """Say ``tokens`` [rows] (BOS at first) and look at what may follow."""
        ...

    def vectors(self, sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """What each source is about: the mean of the encoder's outputs over its own tokens.

        Shapes: [sources, size]
        """
        ...
