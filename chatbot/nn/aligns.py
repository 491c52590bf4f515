"""Align(scores): how source positions compete for weight; the contract, and soft attention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from chatbot.nn.memory import AttentionState
from chatbot.nn.precision import single
from chatbot.nn.sizes import AttentionSizes


@dataclass(frozen=True, slots=True)
class Aligned:
    """The weights of an alignment, and what else came of them: see Attended.

    Shapes: weights [batch, tgt_len, src_len]; log_prob, penalty and each gauge [batch, tgt_len]
    """

    weights: Tensor
    log_prob: Tensor | None = None
    penalty: Tensor | None = None
    gauges: Mapping[str, Tensor] = field(default_factory=dict)


class Align(nn.Module):
    """The contract: scores, the queries they are of, mask and state in; weights out.

    Weights are exactly 0 on padding. Masking happens here and nowhere else. An alignment is made from
    AttentionSizes. One whose weights depend on those of the step before says so by ``sequential`` and is
    then asked for one step at a time (tgt_len 1).

    Shapes: scores [batch, tgt_len, src_len], query [batch, tgt_len, query], mask [batch, src_len]
    """

    sequential = False

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__()
        self.sizes = sizes

    def before(self, mask: Tensor) -> Tensor | None:
        """The weights [batch, src_len] that come before the first step; None: nothing is looked at."""
        return None

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """Weights of each query over the source."""
        raise NotImplementedError


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the positions that are True; the others get exactly 0.

    Shapes: scores [batch, tgt_len, src_len], mask broadcast to it; one position a row at least is True
    """
    return torch.softmax(single(scores).masked_fill(~mask, float("-inf")), dim=-1)


class GlobalAlign(Align):
    """Every real position competes in one softmax (soft attention).

        α_j = exp(e_j) / Σ_k exp(e_k)

    Source: Bahdanau et al. 2015, section 3.1; Luong et al. 2015, section 3.1.
    """

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """Softmax over the real positions."""
        return Aligned(masked_softmax(scores, mask[:, None]))
