"""Encoders: the contract, the source read by recurrent layers, and the source turned round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from chatbot.nn.dropout import DROPOUTS
from chatbot.nn.lstmn import LstmnLayer
from chatbot.nn.recurrent import build_recurrent, last_real, reverse_real


@dataclass(frozen=True, slots=True)
class Encoded:
    """What an encoder makes of its sources.

    Shapes: outputs [batch, src_len, hidden], finals: one or a layer each [batch, hidden], what a decoder
    starts from; the last one stands for the whole source.
    """

    outputs: Tensor
    finals: tuple[Tensor, ...]


class Encoder(nn.Module):
    """The contract: a batch of embedded sources in, as many vectors and a summary out.

    Whatever stands on padding changes nothing at real positions; what comes out on padding is unspecified.

    Shapes: embedded [batch, src_len, embed], mask [batch, src_len] -> Encoded
    """

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        raise NotImplementedError


LAYERS: dict[str, Callable[..., nn.Module]] = {
    "lstm": partial(build_recurrent, "lstm"),
    "gru": partial(build_recurrent, "gru"),
    "lstmn": LstmnLayer,
}
"""Layers that read from the left, from the sizes of input and output and a ``weight_dropout``; they give
outputs, and a state."""


class RnnEncoder(Encoder):
    """Read a source forwards, and backwards as well.

        h_j = [→h_j ; ←h_j]

    Source: Bahdanau et al. 2015, section 3.2; residual connections: Wu et al. 2016, section 3.1. Both
    directions together have ``hidden`` numbers. The backward direction reads each row's real part turned
    round, so padding is never read before it. ``finals`` are a layer each: forward at the last real token,
    backward at the first, joined.

    Args:
        layer: a name of LAYERS.
        bidirectional: False reads forwards only.
        residual: a layer's input is added to its output, from the second layer on.
        dropout_kind: a name of DROPOUTS.
        weight_dropout: share of the hidden-to-hidden weights dropped in training.
    """

    def __init__(
        self,
        layer: str,
        embed: int,
        hidden: int,
        layers: int,
        dropout: float,
        *,
        bidirectional: bool = True,
        residual: bool = False,
        dropout_kind: str = "input",
        weight_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        sizes = [embed] + [hidden] * (layers - 1)
        back = hidden - hidden // 2 if bidirectional else 0
        new_layer = partial(LAYERS[layer], weight_dropout=weight_dropout)
        self.forwards = nn.ModuleList(new_layer(size, hidden - back) for size in sizes)
        self.backwards = nn.ModuleList(new_layer(size, back) for size in sizes if back)
        self.dropouts = nn.ModuleList(DROPOUTS[dropout_kind](dropout) for _ in sizes[1:])
        self.residual = residual

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        lengths = mask.sum(1)
        outputs, finals = embedded, []
        for layer in range(len(self.forwards)):
            read = self.dropouts[layer - 1](outputs) if layer else outputs
            made, final = self._layer(layer, read, lengths)
            outputs = outputs + made if layer and self.residual else made
            finals.append(final)
        return Encoded(outputs, tuple(finals))

    def _layer(self, layer: int, read: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """One layer's outputs [batch, src_len, hidden] and final state [batch, hidden]."""
        ahead: Tensor = self.forwards[layer](read)[0]
        final = last_real(ahead, lengths)
        if not len(self.backwards):
            return ahead, final
        back = self.backwards[layer](reverse_real(read, lengths))[0]
        final = torch.cat([final, last_real(back, lengths)], dim=-1)
        return torch.cat([ahead, reverse_real(back, lengths)], dim=-1), final


class ReversedEncoder(Encoder):
    """Read a source from its end; what comes out stands where it was said.

    Source: Sutskever et al. 2014, section 3.3: the first words of question and reply come close together.
    """

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        lengths = mask.sum(1)
        encoded: Encoded = self.encoder(reverse_real(embedded, lengths), mask)
        return Encoded(reverse_real(encoded.outputs, lengths), encoded.finals)
