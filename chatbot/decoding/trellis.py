"""Trellis: every step of a search, from which hypotheses are read backwards from their last token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.hypothesis import Hypothesis


@dataclass(frozen=True, slots=True)
class End:
    """Where a hypothesis ends: its last token is node ``node`` of layer ``length`` (counted from 1)."""

    length: int
    node: int
    log_prob: float
    score: float


@dataclass(frozen=True, slots=True)
class Layer:
    """The tokens one step added.

    Shapes: tokens, parents [nodes]; weights [nodes, src_len]. ``parents`` are nodes of the layer
    before; in the first layer they mean nothing.
    """

    tokens: NDArray[np.int64]
    parents: NDArray[np.int64]
    weights: NDArray[np.float32]


class Trellis:
    """Back-pointers: a step costs one layer, whatever the length of the hypotheses it extends."""

    def __init__(self) -> None:
        self._layers: list[Layer] = []

    def grow(
        self, parents: NDArray[np.int64], tokens: NDArray[np.int64], weights: NDArray[np.float32]
    ) -> None:
        """Add a layer; node i says ``tokens[i]`` after node ``parents[i]``, looking at ``weights[i]``."""
        self._layers.append(Layer(tokens, parents, weights))

    def hypothesis(self, end: End, src_len: int) -> Hypothesis:
        """Read back the hypothesis that ends at ``end``, its weights cut to its own source."""
        tokens: list[int] = []
        weights: list[NDArray[np.float32]] = []
        node = end.node
        for layer in reversed(self._layers[: end.length]):
            tokens.append(int(layer.tokens[node]))
            weights.append(layer.weights[node, :src_len])
            node = int(layer.parents[node])
        looked = np.stack(weights[::-1]) if weights else np.zeros((0, src_len), np.float32)
        return Hypothesis(tuple(reversed(tokens)), end.log_prob, end.score, looked)
