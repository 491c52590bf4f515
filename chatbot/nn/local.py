"""Local alignments: only positions near a centre compete."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import Align, Aligned, masked_softmax
from chatbot.nn.memory import AttentionState
from chatbot.nn.precision import single
from chatbot.nn.sizes import AttentionSizes


class LocalMonotonicAlign(Align):
    """Positions compete in a window that moves on by one with every reply token.

        p_t = min(t, S - 1),   α_s = softmax over p_t - D <= s <= p_t + D

    Source: Luong et al. 2015, section 3.2, local-m. Positions and reply tokens count from 0. Once t is
    past the end of the source the window stays there, so that no reply is too long to look at something.
    """

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """Softmax over the window around each reply token's own position."""
        steps = torch.arange(scores.shape[1], device=scores.device)
        centre = torch.minimum(state.position[:, None] + steps, mask.sum(1, keepdim=True) - 1)
        return Aligned(masked_softmax(scores, _near(centre, mask, self.sizes.window)))


class LocalPredictiveAlign(Align):
    """Positions compete in a window around a predicted one, and weigh less the further off they are.

        p_t = (S - 1) · sigmoid(v · tanh(W q))
        α_s = softmax over |s - p_t| <= D · exp(-(s - p_t)² / 2σ²),   σ = D / 2

    Source: Luong et al. 2015, section 3.2, local-p, equations 9 and 10. The paper's p_t = S · sigmoid(...)
    counts positions from 1; ours count from 0, so S - 1 is where the last one stands and p_t never leaves
    the sentence. A row is not normalised again: it sums to 1 at most, and to e⁻² at least. The gauge "centre"
    is p_t as a share of the sentence, 0 its first token and 1 its last.

    Raises:
        ValueError: the window has no width.
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        if sizes.window < 1:
            raise ValueError(f"local-p needs a window of 1 at least, not {sizes.window}")
        self.w = nn.Linear(sizes.query, sizes.inner, bias=False)
        self.v = nn.Parameter(torch.empty(sizes.inner).uniform_(-1, 1) / math.sqrt(sizes.inner))

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """Softmax over the window around the predicted position, times a Gaussian."""
        share = torch.sigmoid(single(torch.tanh(self.w(query)) @ self.v))  # [batch, tgt_len]
        centre = (mask.sum(1, keepdim=True) - 1) * share
        weights = masked_softmax(scores, _near(centre, mask, self.sizes.window))
        bell = torch.exp(-2.0 * (_offsets(centre, mask) / self.sizes.window).square())  # 2σ² = D²/2
        return Aligned(weights * bell, gauges={"centre": share.detach()})


def _offsets(centre: Tensor, mask: Tensor) -> Tensor:
    """How far each position is from each centre.

    Shapes: centre [batch, tgt_len], mask [batch, src_len] -> [batch, tgt_len, src_len]
    """
    return torch.arange(mask.shape[1], device=mask.device) - centre[:, :, None]


def _near(centre: Tensor, mask: Tensor, width: int) -> Tensor:
    """Which real positions are at most ``width`` from each centre."""
    return (_offsets(centre, mask).abs() <= width) & mask[:, None]
