"""What attention reads and remembers: Memory, AttentionState, Attended."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Memory:
    """A batch of encoded sources, prepared once and read at every step.

    Shapes: keys [batch, src_len, key], values [batch, src_len, value], mask [batch, src_len] (True on
    real tokens), summary [batch, value] (both directions' final states).
    """

    keys: Tensor
    values: Tensor
    mask: Tensor
    summary: Tensor

    def select(self, rows: Tensor) -> Memory:
        """The memory whose row i is this one's row ``rows[i]``."""
        return Memory(self.keys[rows], self.values[rows], self.mask[rows], self.summary[rows])


@dataclass(frozen=True, slots=True)
class AttentionState:
    """What an alignment carries from one reply position to the next.

    Shapes: position [batch] (how many reply tokens came before), weights [batch, src_len] (the last
    ones; zeros at first).
    """

    position: Tensor
    weights: Tensor

    @classmethod
    def initial(cls, memory: Memory) -> AttentionState:
        """The state before the first reply token."""
        batch, src_len = memory.mask.shape
        device = memory.values.device
        return cls(
            torch.zeros(batch, dtype=torch.long, device=device),
            torch.zeros(batch, src_len, dtype=memory.values.dtype, device=device),
        )

    def select(self, rows: Tensor) -> AttentionState:
        """The state whose row i is this one's row ``rows[i]``."""
        return AttentionState(self.position[rows], self.weights[rows])


@dataclass(frozen=True, slots=True)
class Attended:
    """What looking at the memory gave.

    Shapes: context [batch, tgt_len, value], weights [batch, tgt_len, src_len]; log_prob [batch,
    tgt_len] only from alignments that sample.
    """

    context: Tensor
    weights: Tensor
    state: AttentionState
    log_prob: Tensor | None = None
