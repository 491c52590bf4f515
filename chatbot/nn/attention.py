"""Attention: the contract, Score x Align behind it, and the baseline that has none."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import Align
from chatbot.nn.coverage import Coverage
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.scores import Score


class Attention(nn.Module):
    """The contract: sources are prepared once, then looked at with queries, a state going from step to step.

    ``context`` is the size of what a query gets back. Asking step by step or all at once is the same.

    Shapes: values [batch, src_len, value], mask [batch, src_len], summary [batch, value], query [batch,
    tgt_len, query]
    """

    context: int

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources; everything that depends on them alone is computed here."""
        raise NotImplementedError

    def start(self, memory: Memory) -> AttentionState:
        """The state before the first query."""
        return AttentionState.initial(memory)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """Context and weights of every query."""
        raise NotImplementedError


class ScoredAttention(Attention):
    """Attention = Score x Align.

        context = Σ_j α_j v_j,   α = align(score(q, k_1), ..., score(q, k_n))

    Source: Bahdanau et al. 2015, equations 5 and 6.

    Args:
        coverage: lets the scores know what was looked at before; None: they do not.
    """

    def __init__(self, score: Score, align: Align, coverage: Coverage | None = None) -> None:
        super().__init__()
        self.score = score
        self.align = align
        self.coverage = coverage
        self.context = score.sizes.value

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources, with the score's keys."""
        return Memory(self.score.project(values, mask), values, mask, summary)

    def start(self, memory: Memory) -> AttentionState:
        """The state before the first query."""
        return AttentionState.initial(memory, self.align.before(memory.mask))

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """Context and weights of every query; one after the other where each depends on the last."""
        if not self.align.sequential and self.coverage is None:
            return self._look(query, memory, state)
        steps: list[Attended] = []
        for t in range(query.shape[1]):
            steps.append(self._look(query[:, t : t + 1], memory, state))
            state = steps[-1].state
        return Attended.join(steps)

    def _look(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        keys = memory.keys if self.coverage is None else self.coverage(memory.keys, state)
        aligned = self.align(memory.focused(self.score(query, keys)), query, memory.mask, state)
        penalty = aligned.penalty
        if self.coverage is not None:
            again = self.coverage.penalty(aligned.weights, state)
            penalty = again if penalty is None else penalty + again
        context = aligned.weights @ memory.values  # [batch, tgt_len, value]
        after = state.after(aligned.weights)
        return Attended(context, aligned.weights, after, aligned.log_prob, penalty, aligned.gauges)


class NoAttention(Attention):
    """One fixed vector for the whole source, the same at every step; weights are all 0.

    Source: Sutskever et al. 2014 (the last state is all a decoder gets); Cho et al. 2014, section 2.2
    (it is given at every step).
    """

    def __init__(self, context: int) -> None:
        super().__init__()
        self.context = context

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources."""
        return Memory(values[..., :0], values, mask, summary)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """The summary, once a query."""
        tgt_len = query.shape[1]
        context = memory.summary[:, None].expand(-1, tgt_len, -1)
        weights = torch.zeros_like(memory.mask, dtype=memory.values.dtype)[:, None].repeat(1, tgt_len, 1)
        return Attended(context, weights, state.after(weights))
