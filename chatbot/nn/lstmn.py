"""LSTMN: an LSTM that looks back over all its earlier states instead of carrying the last one.

Source: Cheng et al. 2016 (Long Short-Term Memory-Networks for Machine Reading), section 3.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from chatbot.nn.encoder import Encoded, Encoder
from chatbot.nn.recurrent import last_real, reverse_real


class LstmnLayer(nn.Module):
    """Read a sequence with a tape of hidden and of memory states, one of each a position (intra-attention).

        a_i = v · tanh(W_h h_i + W_x x_t + W_h̃ h̃_{t-1})  for i < t,   s = softmax(a)
        h̃_t = Σ_i s_i h_i,   c̃_t = Σ_i s_i c_i
        i, f, o = σ(...), ĉ = tanh(...) of W [h̃_t ; x_t] + b
        c_t = f ⊙ c̃_t + i ⊙ ĉ,   h_t = o ⊙ tanh(c_t)

    Source: Cheng et al. 2016, section 3. The tape is empty at the first position: h̃ and c̃ are 0 there.
    W_h h_i is computed once a position. Weights start as those of ``build_recurrent`` do.

    Shapes: inputs [batch, src_len, size] -> [batch, src_len, hidden]
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.asked = nn.Linear(size, hidden)
        self.found = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Parameter(torch.empty(hidden).uniform_(-1, 1) / math.sqrt(hidden))
        self.read = nn.Linear(size, 4 * hidden)
        self.recall = nn.Linear(hidden, 4 * hidden, bias=False)
        nn.init.xavier_uniform_(self.read.weight)
        nn.init.zeros_(self.read.bias)
        nn.init.ones_(self.read.bias.data[hidden : 2 * hidden])
        for gate in self.recall.weight.data.view(4, hidden, hidden):
            nn.init.orthogonal_(gate)

    def forward(self, inputs: Tensor) -> Tensor:
        """The hidden states of all positions."""
        asked, read = self.asked(inputs), self.read(inputs)
        hidden = cell = inputs.new_zeros(len(inputs), self.hidden)  # h̃ and c̃
        tape = inputs.new_zeros(len(inputs), 0, 3 * self.hidden)  # h, c and W_h h of each position
        for t in range(inputs.shape[1]):
            if t:
                hidden, cell = self._look(tape, asked[:, t] + self.found(hidden))
            written = self._write(read[:, t] + self.recall(hidden), cell)
            tape = torch.cat([tape, written[:, None]], dim=1)
        return tape[..., : self.hidden]

    def _look(self, tape: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """h̃ and c̃, each [batch, hidden], of asked [batch, hidden]."""
        states, keys = tape[..., : 2 * self.hidden], tape[..., 2 * self.hidden :]
        scores = torch.tanh(keys + asked[:, None]) @ self.v  # [batch, before]
        weights = torch.softmax(scores, dim=-1)
        hidden, cell = (weights[:, None] @ states).squeeze(1).chunk(2, dim=-1)
        return hidden, cell

    def _write(self, gates: Tensor, cell: Tensor) -> Tensor:
        """What comes onto the tape [batch, 3 hidden], of gates [batch, 4 hidden] and c̃."""
        let, keep, new, show = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(keep) * cell + torch.sigmoid(let) * torch.tanh(new)
        hidden = torch.sigmoid(show) * torch.tanh(cell)
        return torch.cat([hidden, cell, self.key(hidden)], dim=-1)


class LstmnEncoder(Encoder):
    """Read a source with LSTMN layers, forwards, and backwards as well.

        h_j = [→h_j ; ←h_j]

    Source: Cheng et al. 2016, section 3; both directions as in ``RnnEncoder``, and so are ``finals``, a
    layer each. A position looks only at those read before it, and padding is read last in both directions,
    so no real position ever sees it.

    Args:
        bidirectional: False reads forwards only.
        residual: a layer's input is added to its output, from the second layer on.
    """

    def __init__(
        self,
        embed: int,
        hidden: int,
        layers: int,
        dropout: float,
        *,
        bidirectional: bool = True,
        residual: bool = False,
    ) -> None:
        super().__init__()
        sizes = [embed] + [hidden] * (layers - 1)
        back = hidden - hidden // 2 if bidirectional else 0
        self.forwards = nn.ModuleList(LstmnLayer(size, hidden - back) for size in sizes)
        self.backwards = nn.ModuleList(LstmnLayer(size, back) for size in sizes if back)
        self.dropout = nn.Dropout(dropout)
        self.residual = residual

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        lengths = mask.sum(1)
        outputs, finals = embedded, []
        for layer in range(len(self.forwards)):
            made, final = self._layer(layer, self.dropout(outputs) if layer else outputs, lengths)
            outputs = outputs + made if layer and self.residual else made
            finals.append(final)
        return Encoded(outputs, tuple(finals))

    def _layer(self, layer: int, read: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """One layer's outputs [batch, src_len, hidden] and final state [batch, hidden]."""
        ahead: Tensor = self.forwards[layer](read)
        final = last_real(ahead, lengths)
        if not len(self.backwards):
            return ahead, final
        back = self.backwards[layer](reverse_real(read, lengths))
        final = torch.cat([final, last_real(back, lengths)], dim=-1)
        return torch.cat([ahead, reverse_real(back, lengths)], dim=-1), final
