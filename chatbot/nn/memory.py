"""What attention reads and remembers: Memory, AttentionState, Attended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from chatbot.nn.rows import Rows


@dataclass(frozen=True, slots=True)
class Memory(Rows):
    """A batch of encoded sources, prepared once and read at every step.

    Shapes: keys [batch, src_len, key], values [batch, src_len, value], mask [batch, src_len] (True on
    real tokens), summary [batch, value] (both directions' final states), focus [batch, src_len] (by how much
    the score of each position is raised; None: no score is).
    """

    keys: Tensor
    values: Tensor
    mask: Tensor
    summary: Tensor
    focus: Tensor | None = None

    def focused(self, scores: Tensor) -> Tensor:
        """Scores raised where more is to be looked: e_j + f_j, so that α_j ∝ exp(f_j) · exp(e_j).

        Shapes: scores [batch, ..., tgt_len, src_len] -> the same
        """
        if self.focus is None:
            return scores
        return scores + (self.focus[:, None] if scores.dim() == 3 else self.focus[:, None, None])


@dataclass(frozen=True, slots=True)
class AttentionState(Rows):
    """What attention carries from one reply position to the next.

    Shapes: position [batch] (how many reply tokens came before), weights [batch, src_len] (the last
    ones), coverage [batch, src_len] (the sum of all before).
    """

    position: Tensor
    weights: Tensor
    coverage: Tensor

    @classmethod
    def initial(cls, memory: Memory, weights: Tensor | None = None) -> AttentionState:
        """The state before the first reply token.

        Args:
            weights: what counts as looked at before; nothing when None.
        """
        zeros = torch.zeros_like(memory.mask, dtype=memory.values.dtype)
        position = torch.zeros(zeros.shape[0], dtype=torch.long, device=zeros.device)
        return cls(position, zeros if weights is None else weights, zeros)

    def after(self, weights: Tensor) -> AttentionState:
        """The state once these weights [batch, tgt_len, src_len] have been looked with."""
        return AttentionState(
            self.position + weights.shape[1], weights[:, -1], self.coverage + weights.sum(1)
        )


@dataclass(frozen=True, slots=True)
class Attended:
    """What looking at the memory gave.

    Args:
        log_prob: of the positions drawn, from alignments that draw; the loss learns from it (REINFORCE).
        penalty: what is added to the loss of each reply token.
        gauges: numbers worth watching in training, by name; they change nothing.
        heads: the weights of each head, where there are several; ``weights`` are their mean.

    Shapes: context [batch, tgt_len, value], weights [batch, tgt_len, src_len]; log_prob, penalty and each
    gauge [batch, tgt_len]; heads [batch, heads, tgt_len, src_len]
    """

    context: Tensor
    weights: Tensor
    state: AttentionState
    log_prob: Tensor | None = None
    penalty: Tensor | None = None
    gauges: Mapping[str, Tensor] = field(default_factory=dict)
    heads: Tensor | None = None

    @classmethod
    def join(cls, steps: Sequence[Attended]) -> Attended:
        """Steps taken one after the other as one."""
        return cls(
            torch.cat([step.context for step in steps], dim=1),
            torch.cat([step.weights for step in steps], dim=1),
            steps[-1].state,
            join([step.log_prob for step in steps]),
            join([step.penalty for step in steps]),
            join_gauges([step.gauges for step in steps]),
        )


def join(parts: Sequence[Tensor | None]) -> Tensor | None:
    """Parts [batch, 1] as [batch, tgt_len]; None where they are None."""
    tensors = [part for part in parts if part is not None]
    return torch.cat(tensors, dim=1) if tensors else None


def join_gauges(parts: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The gauges of steps, name by name."""
    return {name: torch.cat([part[name] for part in parts], dim=1) for name in parts[0]}
