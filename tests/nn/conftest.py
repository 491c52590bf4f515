"""Networks small enough to be checked against loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from chatbot.nn.decoder import RnnDecoder
from chatbot.nn.encoder import RnnEncoder
from chatbot.nn.registry import build_attention
from chatbot.nn.seq2seq import Seq2Seq

VOCAB, EMBED, HIDDEN = 11, 6, 8

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]


@pytest.fixture(scope="session")
def make_network() -> MakeNetwork:
    """make_network(cell="lstm", attention="general", layers=1, tie=True, dropout=0.0, seed=0)."""

    def build(
        cell: str = "lstm",
        attention: str = "general",
        layers: int = 1,
        tie: bool = True,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> Seq2Seq:
        torch.manual_seed(seed)
        looks = build_attention(attention, "global", HIDDEN, HIDDEN)
        shape = (cell, EMBED, HIDDEN, layers, dropout)
        return Seq2Seq(VOCAB, EMBED, RnnEncoder(*shape), RnnDecoder(*shape, looks), dropout, tie)

    return build


@pytest.fixture(scope="session")
def padded() -> Padded:
    """padded(rows, length=0): ids as a tensor, padded with 0 to the longest or to ``length``."""

    def pad(rows: Sequence[Sequence[int]], length: int = 0) -> Tensor:
        longest = max(length, *(len(row) for row in rows))
        return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])

    return pad
