"""LSTMN: an LSTM that looks back over all its earlier states instead of carrying the last one.

Source: Cheng et al. 2016 (Long Short-Term Memory-Networks for Machine Reading), section 3.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from chatbot.nn.dropout import DropConnect


class LstmnLayer(nn.Module):
    """Read a sequence with a tape of hidden and of memory states, one of each a position (intra-attention).

        a_i = v · tanh(W_h h_i + W_x x_t + W_h̃ h̃_{t-1})  for i < t,   s = softmax(a)
        h̃_t = Σ_i s_i h_i,   c̃_t = Σ_i s_i c_i
        i, f, o = σ(...), ĉ = tanh(...) of W [h̃_t ; x_t] + b
        c_t = f ⊙ c̃_t + i ⊙ ĉ,   h_t = o ⊙ tanh(c_t)

    Source: Cheng et al. 2016, section 3. The tape is empty at the first position: h̃ and c̃ are 0 there.
    W_h h_i is computed once a position. Weights start as those of ``build_recurrent`` do. A position looks
    only at those read before it, so padding that is read last changes no real one.

    Shapes: inputs [batch, src_len, size] -> hidden states [batch, src_len, hidden], tape [batch, src_len,
    3 hidden]

    Args:
        weight_dropout: share of the weights from h̃ to the gates dropped in training.
    """

    def __init__(self, size: int, hidden: int, *, weight_dropout: float = 0.0) -> None:
        super().__init__()
        self.hidden = hidden
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.asked = nn.Linear(size, hidden)
        self.found = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Parameter(torch.empty(hidden).uniform_(-1, 1) / math.sqrt(hidden))
        self.read = nn.Linear(size, 4 * hidden)
        self.recall = nn.Linear(hidden, 4 * hidden, bias=False)
        self.drop = DropConnect(weight_dropout)
        nn.init.xavier_uniform_(self.read.weight)
        nn.init.zeros_(self.read.bias)
        nn.init.ones_(self.read.bias.data[hidden : 2 * hidden])
        for gate in self.recall.weight.data.view(4, hidden, hidden):
            nn.init.orthogonal_(gate)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden states of all positions, and the tape: h, c and W_h h of each."""
        asked, read = self.asked(inputs), self.read(inputs)
        recall: Tensor = self.drop("recall", self.recall.weight)
        matrices = self.found.weight, recall, self.key.weight
        if torch.onnx.is_in_onnx_export():  # a trace would hold as many positions as its example has
            tape: Tensor = torch.jit.script(read_tape)(asked, read, *matrices, self.v)
        else:
            tape = read_tape(asked, read, *matrices, self.v)
        return tape[..., : self.hidden], tape


def read_tape(asked: Tensor, read: Tensor, found: Tensor, recall: Tensor, key: Tensor, v: Tensor) -> Tensor:
    """Position by position, looking back over the tape and writing on it; TorchScript can compile it.

    Shapes: asked [batch, src_len, hidden], read [batch, src_len, 4 hidden], found and key [hidden, hidden],
    recall [4 hidden, hidden], v [hidden] -> tape [batch, src_len, 3 hidden]
    """
    size = v.shape[0]
    hidden = cell = torch.zeros_like(asked[:, 0])  # h̃ and c̃
    tape = torch.zeros_like(asked[:, :0]).repeat(1, 1, 3)
    for t in range(asked.shape[1]):
        if t > 0:
            question = asked[:, t] + torch.nn.functional.linear(hidden, found)
            scores = torch.matmul(
                torch.tanh(tape[:, :, 2 * size :] + question[:, None]), v
            )  # [batch, before]
            weights = torch.softmax(scores, dim=-1)
            looked = torch.matmul(weights[:, None], tape[:, :, : 2 * size])[:, 0]
            hidden, cell = looked[:, :size], looked[:, size:]
        gates = read[:, t] + torch.nn.functional.linear(hidden, recall)
        let, keep, new, show = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(keep) * cell + torch.sigmoid(let) * torch.tanh(new)
        said = torch.sigmoid(show) * torch.tanh(cell)
        written = torch.cat([said, cell, torch.nn.functional.linear(said, key)], dim=-1)
        tape = torch.cat([tape, written[:, None]], dim=1)
    return tape
