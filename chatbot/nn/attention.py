"""Attention = Score x Align, behind one contract, and the baseline that has none."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import Align
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.scores import Score


class Attention(nn.Module):
    """Look at a memory with queries.

        context = Σ_j α_j v_j,   α = align(score(q, k_1), ..., score(q, k_n))

    Source: Bahdanau et al. 2015, equations 5 and 6.

    Shapes: forward query [batch, tgt_len, query] -> Attended; asking step by step or all at once is
    the same.
    """

    def __init__(self, score: Score, align: Align) -> None:
        super().__init__()
        self.score = score
        self.align = align

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources; everything that depends on them alone is computed here."""
        return Memory(self.score.project(values), values, mask, summary)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """Context and weights of every query."""
        weights = self.align(self.score(query, memory.keys), memory.mask, state)  # [batch, tgt_len, src_len]
        context = weights @ memory.values  # [batch, tgt_len, value]
        after = AttentionState(state.position + query.shape[1], weights[:, -1])
        return Attended(context, weights, after)


class NoAttention(nn.Module):
    """One fixed vector for the whole source, the same at every step; weights are all 0.

    Source: Sutskever et al. 2014 (the last state is all a decoder gets); Cho et al. 2014, section 2.2
    (it is given at every step).
    """

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources."""
        return Memory(values[..., :0], values, mask, summary)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """The summary, once a query."""
        batch, tgt_len, _ = query.shape
        context = memory.summary[:, None].expand(-1, tgt_len, -1)
        weights = torch.zeros(
            batch, tgt_len, memory.mask.shape[1], dtype=memory.values.dtype, device=memory.values.device
        )
        return Attended(context, weights, AttentionState(state.position + tgt_len, weights[:, -1]))
