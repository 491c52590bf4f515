"""RnnDecoder: replies, with attention asked by the current state and nothing fed back."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention, NoAttention
from chatbot.nn.memory import AttentionState, Memory
from chatbot.nn.recurrent import build_recurrent


@dataclass(frozen=True, slots=True)
class DecoderState:
    """A decoder between two steps.

    Shapes: hidden [layers, batch, hidden]; cell likewise, None for a GRU.
    """

    hidden: Tensor
    cell: Tensor | None
    attention: AttentionState

    def select(self, rows: Tensor) -> DecoderState:
        """The state whose row i is this one's row ``rows[i]``."""
        cell = None if self.cell is None else self.cell[:, rows]
        return DecoderState(self.hidden[:, rows], cell, self.attention.select(rows))


class Bridge(nn.Module):
    """From the encoder's final states to the decoder's first.

        s_0 = tanh(W [→h_n ; ←h_1])

    Source: Bahdanau et al. 2015, appendix A.2.2, with both directions. Decoder layer i starts from
    encoder layer i; an LSTM's cell gets a projection of its own.

    Shapes: finals, a layer each [batch, hidden] -> hidden [layers, batch, hidden], and cell
    """

    def __init__(self, cell: str, hidden: int, layers: int) -> None:
        super().__init__()
        self.hidden = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers))
        self.cell = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers if cell == "lstm" else 0))

    def forward(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, Tensor | None]:
        """The decoder's first hidden (and cell) state."""
        hidden = torch.stack([torch.tanh(w(final)) for w, final in zip(self.hidden, finals, strict=True)])
        if not len(self.cell):
            return hidden, None
        return hidden, torch.stack([w(final) for w, final in zip(self.cell, finals, strict=True)])


class RnnDecoder(nn.Module):
    """Say a reply.

        h_t = RNN(y_{t-1}, h_{t-1}),   c_t = attention(h_t),   o_t = tanh(W [c_t ; h_t ; y_{t-1}])

    Source: Luong et al. 2015, section 3 and equation 5, without input feeding: nothing but the state
    goes from step to step, so a whole reply is one call in training. That the last word goes straight
    to the output is the deep output of Bahdanau et al. 2015, appendix A.2.2 (Pascanu et al. 2014): which
    word follows which is learned in a few hundred steps.

    Shapes: embedded [batch, tgt_len, embed] -> features [batch, tgt_len, embed], weights [batch,
    tgt_len, src_len]
    """

    def __init__(
        self,
        cell: str,
        embed: int,
        hidden: int,
        layers: int,
        dropout: float,
        attention: Attention | NoAttention,
    ) -> None:
        super().__init__()
        self.bridge = Bridge(cell, hidden, layers)
        self.recurrent = build_recurrent(cell, embed, hidden, layers, dropout)
        self.attention = attention
        self.combine = nn.Linear(2 * hidden + embed, embed)

    def start(self, finals: tuple[Tensor, ...], memory: Memory) -> DecoderState:
        """The state before the first word."""
        hidden, cell = self.bridge(finals)
        return DecoderState(hidden, cell, AttentionState.initial(memory))

    def forward(
        self, embedded: Tensor, memory: Memory, state: DecoderState
    ) -> tuple[Tensor, Tensor, DecoderState]:
        """Features for the next words, attention weights and the state after."""
        before = state.hidden if state.cell is None else (state.hidden, state.cell)
        outputs, after = self.recurrent(embedded, before)  # [batch, tgt_len, hidden]
        hidden, cell = (after, None) if isinstance(after, Tensor) else after
        attended = self.attention(outputs, memory, state.attention)
        features = torch.tanh(self.combine(torch.cat([attended.context, outputs, embedded], dim=-1)))
        return features, attended.weights, DecoderState(hidden, cell, attended.state)
