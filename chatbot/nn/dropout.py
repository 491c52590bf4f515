"""Dropout: kinds of it by name, for activations and for recurrent matrices."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class BatchMasked(nn.Module):
    """The contract: what draws a mask once a batch and keeps it for every call until the next batch.

    The mask is state of a batch, so that a sequence read in one call and step by step are treated alike.
    """

    def renew(self) -> None:
        """A new batch begins."""
        raise NotImplementedError


class InputDropout(nn.Dropout):
    """Drop each number by itself.

    Source: Srivastava et al. 2014; on what goes up, not along: Zaremba et al. 2014.
    """

    def at(self, inputs: Tensor, index: Tensor) -> Tensor:
        """Some positions [positions] of inputs [batch, length, size], counted row by row, a mask each."""
        dropped: Tensor = self(inputs.flatten(0, 1)[index])
        return dropped


class VariationalDropout(BatchMasked):
    """Drop the same numbers at all steps of a sequence.

        y_t = x_t ⊙ z / (1 - p),   z ~ Bernoulli(1 - p) once for each sequence

    Source: Gal and Ghahramani 2016, section 4.

    Shapes: inputs [batch, length, size]
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self._mask: Tensor | None = None  # [batch, 1, size]

    def renew(self) -> None:
        """Draw another mask at the next call."""
        self._mask = None

    def forward(self, inputs: Tensor) -> Tensor:
        """The inputs, in training with the batch's mask."""
        if not self.training or not self.p:
            return inputs
        if self._mask is None:
            self._mask = inputs.new_empty(len(inputs), 1, inputs.shape[-1]).bernoulli_(1 - self.p)
            self._mask /= 1 - self.p
        return inputs * self._mask

    def at(self, inputs: Tensor, index: Tensor) -> Tensor:
        """Some positions [positions], counted row by row, each with the mask of its row."""
        dropped: Tensor = self(inputs)
        return dropped.flatten(0, 1)[index]


DROPOUTS: dict[str, type[InputDropout] | type[VariationalDropout]] = {
    "input": InputDropout,
    "variational": VariationalDropout,
}
"""What is dropped of activations."""


class DropConnect(BatchMasked):
    """Drop weights of recurrent matrices, the same at all steps and in all sequences of a batch.

        h_t = f(W x_t + (U ⊙ M / (1 - p)) h_{t-1}),   M ~ Bernoulli(1 - p) once a batch

    Source: Merity et al. 2018, section 2, after Wan et al. 2013.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self._masks: dict[str, Tensor] = {}

    def renew(self) -> None:
        """Draw other masks at the next calls."""
        self._masks = {}

    def forward(self, name: str, weight: Tensor) -> Tensor:
        """A matrix, in training with its mask of the batch."""
        if not self.training or not self.p:
            return weight
        if name not in self._masks:
            self._masks[name] = torch.empty_like(weight.detach()).bernoulli_(1 - self.p).div_(1 - self.p)
        return weight * self._masks[name]

    def weights(self, stack: nn.LSTM | nn.GRU) -> list[Tensor]:
        """All weights of a stack in torch's order, the hidden-to-hidden ones masked."""
        named = stack.named_parameters()
        return [self(name, each) if name.startswith("weight_hh") else each for name, each in named]


class DropConnectLstm(nn.LSTM):
    """torch's LSTM, batch first, with DropConnect in training."""

    def __init__(self, size: int, hidden: int, layers: int, dropout: float, weight_dropout: float) -> None:
        super().__init__(size, hidden, layers, batch_first=True, dropout=dropout)
        self.drop = DropConnect(weight_dropout)

    def forward(  # type: ignore[override]
        self, inputs: Tensor, state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Outputs [batch, length, hidden] and the state after."""
        if not self.training:
            outputs, after = super().forward(inputs, state)
            return outputs, after
        nothing = inputs.new_zeros(self.num_layers, len(inputs), self.hidden_size)
        weights, shape = self.drop.weights(self), (self.num_layers, self.dropout)
        with _scattered():
            outputs, hidden, cell = torch.lstm(
                inputs, state or (nothing, nothing), weights, True, *shape, True, False, True
            )
        return outputs, (hidden, cell)


class DropConnectGru(nn.GRU):
    """torch's GRU, batch first, with DropConnect in training."""

    def __init__(self, size: int, hidden: int, layers: int, dropout: float, weight_dropout: float) -> None:
        super().__init__(size, hidden, layers, batch_first=True, dropout=dropout)
        self.drop = DropConnect(weight_dropout)

    def forward(  # type: ignore[override]
        self, inputs: Tensor, state: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Outputs [batch, length, hidden] and the state after."""
        if not self.training:
            outputs, after = super().forward(inputs, state)
            return outputs, after
        if state is None:
            state = inputs.new_zeros(self.num_layers, len(inputs), self.hidden_size)
        weights, shape = self.drop.weights(self), (self.num_layers, self.dropout)
        with _scattered():
            outputs, after = torch.gru(inputs, state, weights, True, *shape, True, False, True)
        return outputs, after


@contextmanager
def _scattered() -> Iterator[None]:
    """Masked weights lie in no single chunk of a GPU's memory, of which torch would warn at each call."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*single contiguous chunk of memory")
        yield
