"""Gaze: which of a network's attentions to a source one looks through: a layer, a head.

The networks that have several are those with ``--attention multi-head`` and Transformer decoders.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from chatbot.errors import OptionError
from chatbot.nn.attention import Attention
from chatbot.nn.decoder import Decoded
from chatbot.nn.seq2seq import Seq2Seq


@dataclass(frozen=True, slots=True)
class Gaze:
    """A layer and a head, each counted from 1.

    Args:
        layer: 0 is the last one.
        head: 0 is the mean of all.
    """

    layer: int = 0
    head: int = 0

    def check(self, network: Seq2Seq) -> None:
        """Refuse a layer or a head that the network does not have.

        Raises:
            OptionError: how many there are.
        """
        heads = [
            getattr(each, "heads", 1) for each in network.decoder.modules() if isinstance(each, Attention)
        ]
        _check("--layer", self.layer, len(heads), "leave it out for the last one")
        _check("--head", self.head, heads[self.layer - 1], "leave it out for the mean of all")

    def weights(self, decoded: Decoded) -> Tensor:
        """What this layer and head looked at.

        Shapes: [batch, tgt_len, src_len]
        """
        if not decoded.looks:  # there is but one
            return decoded.weights
        looked = decoded.looks[self.layer - 1]  # [batch, heads, tgt_len, src_len]
        return looked[:, self.head - 1] if self.head else looked.mean(1)


def _check(name: str, wanted: int, count: int, remedy: str) -> None:
    if wanted > count:
        noun = name.removeprefix("--") + ("" if count == 1 else "s")
        say = f"say 1 to {count}, or {remedy}" if count > 1 else "leave it out"
        raise OptionError(name, f"{wanted}, but this checkpoint looks with {count} {noun}", say)
