"""Align(scores): how source positions compete for weight."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.memory import AttentionState


class Align(nn.Module):
    """The contract: scores, mask and state in; weights and their next state out.

    Weights are exactly 0 on padding. Masking happens here and nowhere else.

    Shapes: scores [batch, tgt_len, src_len], mask [batch, src_len] -> weights [batch, tgt_len, src_len]
    """

    def forward(self, scores: Tensor, mask: Tensor, state: AttentionState) -> Tensor:
        """Weights of each query over the source."""
        raise NotImplementedError


class GlobalAlign(Align):
    """Every real position competes in one softmax (soft attention).

        α_j = exp(e_j) / Σ_k exp(e_k)

    Source: Bahdanau et al. 2015, section 3.1; Luong et al. 2015, section 3.1.
    """

    def forward(self, scores: Tensor, mask: Tensor, state: AttentionState) -> Tensor:
        """Softmax over the real positions."""
        return torch.softmax(scores.masked_fill(~mask[:, None], float("-inf")), dim=-1)
