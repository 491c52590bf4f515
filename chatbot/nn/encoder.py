"""RnnEncoder: the source read in both directions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.recurrent import build_recurrent, last_real, reverse_real


@dataclass(frozen=True, slots=True)
class Encoded:
    """What an encoder makes of its sources.

    Shapes: outputs [batch, src_len, hidden] (the top layer, both directions joined), finals: a layer
    each [batch, hidden] (forward at the last real token, backward at the first, joined).
    """

    outputs: Tensor
    finals: tuple[Tensor, ...]


class RnnEncoder(nn.Module):
    """Read a source forwards and backwards.

        h_j = [→h_j ; ←h_j]

    Source: Bahdanau et al. 2015, section 3.2. Both directions together have ``hidden`` numbers. The
    backward direction reads each row's real part turned round, so padding is never read before it.

    Shapes: embedded [batch, src_len, embed], lengths [batch] -> Encoded
    """

    def __init__(self, cell: str, embed: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [embed] + [hidden] * (layers - 1)
        half = hidden // 2
        self.forwards = nn.ModuleList(build_recurrent(cell, size, half) for size in sizes)
        self.backwards = nn.ModuleList(build_recurrent(cell, size, hidden - half) for size in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, embedded: Tensor, lengths: Tensor) -> Encoded:
        """Encode a batch."""
        outputs, finals = embedded, []
        for layer, (ahead, back) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            if layer:
                outputs = self.dropout(outputs)
            forward = ahead(outputs)[0]  # [batch, src_len, hidden/2]
            backward = back(reverse_real(outputs, lengths))[0]
            finals.append(torch.cat([last_real(forward, lengths), last_real(backward, lengths)], dim=-1))
            outputs = torch.cat([forward, reverse_real(backward, lengths)], dim=-1)
        return Encoded(outputs, tuple(finals))
