"""Embedding tables: random ones, and ones whose pretrained rows stay as they are."""

from __future__ import annotations

import torch
from torch import Tensor, nn

PAD = 0


class FrozenEmbedding(nn.Embedding):
    """A table of which some rows are never learned: those that ``frozen`` [vocab] marks."""

    def __init__(self, vocab: int, embed: int) -> None:
        super().__init__(vocab, embed, padding_idx=PAD)
        self.frozen: Tensor
        self.register_buffer("frozen", torch.zeros(vocab, dtype=torch.bool))
        self.weight.register_hook(self._learned)  # type: ignore[no-untyped-call]

    def _learned(self, gradient: Tensor) -> Tensor:
        return gradient.masked_fill(self.frozen[:, None], 0.0)


def new_embedding(vocab: int, embed: int, *, frozen: bool = False) -> nn.Embedding:
    """A table of random vectors of about length 1; that of padding is 0 and stays so.

    Args:
        frozen: rows that ``set_rows`` sets are not learned any further.
    """
    table = FrozenEmbedding(vocab, embed) if frozen else nn.Embedding(vocab, embed, padding_idx=PAD)
    nn.init.normal_(table.weight, std=embed**-0.5)
    with torch.no_grad():
        table.weight[PAD].zero_()
    return table


@torch.no_grad()
def set_rows(table: nn.Embedding, rows: Tensor, which: Tensor) -> None:
    """Let some rows start from given vectors, all scaled by one number so that their mean length is 1.

    That is the length random rows have; directions and the lengths of rows among each other stay.

    Shapes: rows [vocab, embed], which [vocab] (True: set it)
    """
    length = rows[which].norm(dim=1).mean().clamp_min(1e-6)
    table.weight[which] = (rows[which] / length).to(table.weight.dtype)
    if isinstance(table, FrozenEmbedding):
        table.frozen |= which
