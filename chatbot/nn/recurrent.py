"""Recurrent layers: LSTM and GRU over whole sequences, exact under padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.dropout import DropConnectGru, DropConnectLstm
from chatbot.nn.unrolled import UnrolledGru


class Gru(nn.GRU):
    """torch's GRU, batch first, which learns by UnrolledGru on a processor.

    torch's LSTM has a fast way of its own there (oneDNN), its GRU has none.
    """

    def forward(  # type: ignore[override]
        self, inputs: Tensor, state: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Outputs [batch, length, hidden] and the state after."""
        learns = self.training and torch.is_grad_enabled() and isinstance(inputs, Tensor)
        if not (learns and self.num_layers == 1 and inputs.device.type == "cpu"):
            outputs, after = super().forward(inputs, state)
            return outputs, after
        first = inputs.new_zeros(len(inputs), self.hidden_size) if state is None else state[0]
        made: Tensor = UnrolledGru.apply(inputs.transpose(0, 1), first, *self.parameters())  # type: ignore[no-untyped-call]
        return made.transpose(0, 1), made[-1:]


CELLS: dict[str, type[nn.LSTM] | type[Gru]] = {"lstm": nn.LSTM, "gru": Gru}


MASKED_CELLS: dict[str, type[DropConnectLstm] | type[DropConnectGru]] = {
    "lstm": DropConnectLstm,
    "gru": DropConnectGru,
}
"""The same cells, of whose weights some are dropped."""


def build_recurrent(
    cell: str,
    size: int,
    hidden: int,
    layers: int = 1,
    dropout: float = 0.0,
    *,
    weight_dropout: float = 0.0,
) -> nn.LSTM | nn.GRU:
    """A one-directional stack of layers, batch first.

    Matrices start orthogonal a gate (Saxe et al. 2014) and biases at 0, but for the LSTM's forget gate
    at 1 (Jozefowicz et al. 2015, section 2.1), so that memory lasts before anything is learned.

    Args:
        weight_dropout: share of the hidden-to-hidden weights dropped in training, see DropConnect.
    """
    between = dropout if layers > 1 else 0.0
    stack = (
        MASKED_CELLS[cell](size, hidden, layers, between, weight_dropout)
        if weight_dropout
        else CELLS[cell](size, hidden, layers, batch_first=True, dropout=between)
    )
    for name, parameter in stack.named_parameters():
        if name.startswith("bias"):
            nn.init.zeros_(parameter)
            if cell == "lstm" and name.startswith("bias_ih"):
                nn.init.ones_(parameter.data[hidden : 2 * hidden])
        elif name.startswith("weight_hh"):
            for gate in parameter.data.view(-1, hidden, hidden):
                nn.init.orthogonal_(gate)
        else:
            nn.init.xavier_uniform_(parameter)
    return stack


def reverse_real(sequence: Tensor, lengths: Tensor) -> Tensor:
    """Each row's real part turned round; padding stays at the end.

    Shapes: sequence [batch, src_len, size], lengths [batch] -> [batch, src_len, size]
    """
    positions = torch.arange(sequence.shape[1], device=sequence.device)[None]  # [1, src_len]
    turned = torch.where(positions < lengths[:, None], lengths[:, None] - 1 - positions, positions)
    return sequence.gather(1, turned[:, :, None].expand_as(sequence))


def last_real(sequence: Tensor, lengths: Tensor) -> Tensor:
    """Each row's last real vector.

    Shapes: sequence [batch, src_len, size], lengths [batch] -> [batch, size]
    """
    index = (lengths - 1)[:, None, None].expand(-1, 1, sequence.shape[2])
    return sequence.gather(1, index)[:, 0]
