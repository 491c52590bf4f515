"""Hard alignments: one position gets all the weight."""

from __future__ import annotations

import torch
from torch import Tensor

from chatbot.nn.aligns import Align, Aligned, masked_softmax
from chatbot.nn.memory import AttentionState
from chatbot.nn.precision import single

ENTROPY = 0.01
"""λ_e: what a nat of entropy is worth to the loss of a token, so that draws do not settle too early.
Reversing 16 tokens was learned equally well with anything from 0 to 0.05."""


class HardAlign(Align):
    """Look at one position, drawn by its soft weight in training and the likeliest otherwise.

        s ~ softmax(e),   α = one-hot(s),   log_prob = log softmax(e)_s,   penalty = -λ_e H[softmax(e)]

    Source: Xu et al. 2015, section 4.1. No gradient passes through a draw; the loss learns from its
    log-probability (REINFORCE, Williams 1992). The gauge "entropy" is H, in nats.
    """

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """One position a query."""
        if not self.training:
            return Aligned(_one_hot(masked_softmax(scores, mask[:, None])))
        real = mask[:, None].expand_as(scores)
        log_weights = torch.log_softmax(single(scores).masked_fill(~real, float("-inf")), dim=-1)
        log_weights = log_weights.masked_fill(~real, 0.0)  # 0 · -inf is no number
        weights = log_weights.exp() * real
        drawn = _draw(weights)  # [batch, tgt_len, 1]
        entropy = -(weights * log_weights).sum(-1)
        return Aligned(
            torch.zeros_like(weights).scatter(-1, drawn, 1.0),
            log_prob=log_weights.gather(-1, drawn).squeeze(-1),
            penalty=-ENTROPY * entropy,
            gauges={"entropy": entropy.detach()},
        )


class StraightThroughAlign(Align):
    """Look at one position, but learn as if every position had been looked at by its soft weight.

        forward: α = one-hot(s),   backward: ∂α/∂e = ∂ softmax(e)/∂e

    Source: Bengio et al. 2013 (the straight-through estimator). s is drawn by its soft weight in training
    and the likeliest otherwise.
    """

    def forward(self, scores: Tensor, query: Tensor, mask: Tensor, state: AttentionState) -> Aligned:
        """One position a query, with the gradient of the soft weights."""
        soft = masked_softmax(scores, mask[:, None])
        hard = torch.zeros_like(soft).scatter(-1, _draw(soft), 1.0) if self.training else _one_hot(soft)
        return Aligned(hard + (soft - soft.detach()))  # the bracket is 0


def _draw(weights: Tensor) -> Tensor:
    """A position a query, by its weight, from torch's global generator.

    Shapes: [batch, tgt_len, src_len] -> [batch, tgt_len, 1]
    """
    batch, tgt_len, _ = weights.shape
    return torch.multinomial(weights.detach().flatten(0, 1), 1).view(batch, tgt_len, 1)


def _one_hot(weights: Tensor) -> Tensor:
    """All the weight for the first of the heaviest positions."""
    return torch.zeros_like(weights).scatter(-1, weights.argmax(-1, keepdim=True), 1.0)
