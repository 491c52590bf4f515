"""WeightAverage: a moving average of the weights, which a validation may find better than the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from chatbot.nn.seq2seq import Seq2Seq, named_tensors


class WeightAverage:
    """An exponential moving average of the weights that are learned, without a bias towards the first.

        m_t = d m_{t-1} + (1 - d) θ_t,   m̂_t = m_t / (1 - d^t)

    Source: Polyak and Juditsky 1992 (averaging of what stochastic steps visit); the correction is that of
    Kingma and Ba 2015, section 3. It is kept as m̂ itself, which moves by (1 - d) / (1 - d^t) of the way to
    θ_t: the same number, and weights that never change come out bit for bit.

    Args:
        network: weights without a gradient, and buffers, are taken as they are.
        decay: d, how much of the average stays at each update.
    """

    def __init__(self, network: Seq2Seq, decay: float) -> None:
        self._network = network
        self._decay = decay
        self._updates = 0
        self._mean = {name: weight.detach().clone() for name, weight in self._learned()}

    @torch.no_grad()
    def update(self) -> None:
        """Take in the weights as they are now."""
        self._updates += 1
        share = (1 - self._decay) / (1 - self._decay**self._updates)
        for name, weight in self._learned():
            self._mean[name].lerp_(weight, share)

    def weights(self) -> dict[str, Tensor]:
        """All of the network's parameters and buffers by name, averaged where they are learned."""
        return {name: tensor.detach() for name, tensor in named_tensors(self._network)} | self._mean

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network has the averaged weights, and afterwards its own again."""
        own = {name: weight.detach().clone() for name, weight in self._learned()}
        self._put(self._mean)
        try:
            yield
        finally:
            self._put(own)

    def tensors(self) -> dict[str, Tensor]:
        """Its state: the averages and how many updates are in them."""
        state = {f"average.{name}": tensor for name, tensor in self._mean.items()}
        return state | {"averaged": torch.tensor(self._updates)}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to a state.

        Raises:
            KeyError, RuntimeError: it is that of another network.
        """
        self._updates = int(tensors["averaged"])
        for name, mean in self._mean.items():
            mean.copy_(tensors[f"average.{name}"])

    @torch.no_grad()
    def _put(self, weights: Mapping[str, Tensor]) -> None:
        for name, weight in self._learned():
            weight.copy_(weights[name])

    def _learned(self) -> Iterator[tuple[str, Tensor]]:
        return ((name, p) for name, p in self._network.named_parameters() if p.requires_grad)
