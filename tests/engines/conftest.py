"""A small network, untrained: its numbers are as good as any other's."""

from __future__ import annotations

import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.seq2seq import Seq2Seq

VOCAB = 9
SHAPES = [("lstm", "general", 1), ("gru", "additive", 2), ("gru", "none", 1)]


@pytest.fixture(params=SHAPES, ids=["-".join(map(str, shape)) for shape in SHAPES])
def network(request: pytest.FixtureRequest) -> Seq2Seq:
    cell, attention, layers = request.param
    options = ModelOptions(
        attention=attention, cell=cell, layers=layers, embed=6, hidden=8, dropout=0.5, tie=False
    )
    network = build_network(options, VOCAB, seed=3)
    with torch.no_grad():
        network.output.table.weight.mul_(4)  # so that tokens differ clearly
    return network


@pytest.fixture
def engine(network: Seq2Seq) -> TorchEngine:
    return TorchEngine(network, VOCAB, torch.device("cpu"))
