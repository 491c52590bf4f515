"""Coverage: scores that know what was looked at before, and a price on looking there again."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from chatbot.nn.memory import AttentionState


class Coverage(nn.Module):
    """Shift every key by how much its position has been looked at so far.

        c_i = Σ over earlier steps of α_i,   score(q, k_i + c_i w)

    For the additive score this is v · tanh(W q + U k_i + w c_i), the form of the source; for a product it
    adds c_i (q · w).

    Source: See et al. 2017, equations 10 and 11.

    Args:
        key: size of the keys.

    Shapes: keys [batch, src_len, key] -> the same
    """

    def __init__(self, key: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.empty(key).uniform_(-1, 1) / math.sqrt(key))

    def forward(self, keys: Tensor, state: AttentionState) -> Tensor:
        """The shifted keys of one step."""
        shifted: Tensor = keys + state.coverage[:, :, None] * self.w
        return shifted

    def penalty(self, weights: Tensor, state: AttentionState) -> Tensor:
        """What one step adds to its token's loss: Σ_i min(α_i, c_i).

        Source: See et al. 2017, equation 12, with λ = 1 (section 5).

        Shapes: weights [batch, 1, src_len] -> [batch, 1]
        """
        return torch.minimum(weights, state.coverage[:, None]).sum(-1)
