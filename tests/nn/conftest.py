"""Networks small enough to be checked against loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.nn.seq2seq import Seq2Seq

VOCAB, EMBED, HIDDEN = 11, 6, 8

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]


@pytest.fixture(scope="session")
def make_network() -> MakeNetwork:
    """make_network(cell="lstm", attention="general", layers=1, ask="current", dropout=0.0, OPTION=VALUE)."""

    def build(
        cell: str = "lstm", attention: str = "general", layers: int = 1, ask: str = "current", **options: Any
    ) -> Seq2Seq:
        shape = {"cell": cell, "attention": attention, "layers": layers, "ask": ask, "dropout": 0.0}
        return build_network(ModelOptions(embed=EMBED, hidden=HIDDEN, **(shape | options)), VOCAB)

    return build


@pytest.fixture(scope="session")
def padded() -> Padded:
    """padded(rows, length=0): ids as a tensor, padded with 0 to the longest or to ``length``."""

    def pad(rows: Sequence[Sequence[int]], length: int = 0) -> Tensor:
        longest = max(length, *(len(row) for row in rows))
        return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])

    return pad
