"""Cores: what a decoder remembers of its own words, whatever it looks at."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.dropout import DROPOUTS
from chatbot.nn.recurrent import build_recurrent
from chatbot.nn.rows import Rows


class Core(nn.Module):
    """The contract: a causal sequence network with a state.

    Output t depends on the start, on inputs 1 to t and on nothing else; step by step and all at once are
    the same.

    Shapes: start finals, each [batch, hidden] -> output before the first [batch, hidden], state;
    forward inputs [batch, tgt_len, size] -> outputs [batch, tgt_len, hidden], state
    """

    def start(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, Rows]:
        """The output and the state that come before the first input."""
        raise NotImplementedError

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, Rows]:
        """Outputs, and the state after the last input."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RnnState(Rows):
    """Recurrent layers between two steps.

    Shapes: hidden, a layer each [batch, hidden]; cell likewise, () for a GRU.
    """

    hidden: tuple[Tensor, ...]
    cell: tuple[Tensor, ...]


class Bridge(nn.Module):
    """From the encoder's final states to the decoder's first.

        s_0 = tanh(W [→h_n ; ←h_1])

    Source: Bahdanau et al. 2015, appendix A.2.2, with both directions. Decoder layer i starts from
    encoder layer i, or from the encoder's last where it has fewer; an LSTM's cell gets a projection of its
    own.
    """

    def __init__(self, cell: str, hidden: int, layers: int) -> None:
        super().__init__()
        self.hidden = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers))
        self.cell = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers if cell == "lstm" else 0))

    def forward(self, finals: tuple[Tensor, ...]) -> RnnState:
        """The decoder's first state."""
        sources = [finals[min(layer, len(finals) - 1)] for layer in range(len(self.hidden))]
        hidden = tuple(torch.tanh(w(final)) for w, final in zip(self.hidden, sources, strict=True))
        return RnnState(hidden, tuple(w(final) for w, final in zip(self.cell, sources, strict=False)))


class RnnCore(Core):
    """Recurrent layers.

        h_t = RNN(x_t, h_{t-1})

    Source: Sutskever et al. 2014, section 2; residual connections: Wu et al. 2016, section 3.1.

    Args:
        residual: a layer's input is added to its output, from the second layer on.
        dropout_kind: a name of DROPOUTS.
        weight_dropout: share of the hidden-to-hidden weights dropped in training.
    """

    def __init__(
        self,
        cell: str,
        size: int,
        hidden: int,
        layers: int,
        dropout: float,
        *,
        residual: bool = False,
        dropout_kind: str = "input",
        weight_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        sizes = [size] + [hidden] * (layers - 1)
        self.bridge = Bridge(cell, hidden, layers)
        self.layers = nn.ModuleList(
            build_recurrent(cell, size, hidden, weight_dropout=weight_dropout) for size in sizes
        )
        self.dropouts = nn.ModuleList(DROPOUTS[dropout_kind](dropout) for _ in sizes[1:])
        self.residual = residual

    def start(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, RnnState]:
        """The bridged final states of the encoder."""
        state: RnnState = self.bridge(finals)
        return state.hidden[-1], state

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, RnnState]:
        """Outputs of the top layer."""
        assert isinstance(state, RnnState)
        outputs, hidden, cell = inputs, [], []
        for layer, recurrent in enumerate(self.layers):
            before = state.hidden[layer][None]
            read = self.dropouts[layer - 1](outputs) if layer else outputs
            made, after = recurrent(read, (before, state.cell[layer][None]) if state.cell else before)
            outputs = outputs + made if layer and self.residual else made
            hidden.append((after[0] if state.cell else after)[0])
            cell += [after[1][0]] if state.cell else []
        return outputs, RnnState(tuple(hidden), tuple(cell))
