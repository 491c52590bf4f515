"""A small network, untrained: its numbers are as good as any other's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import WEIGHTS, weights_file
from chatbot.config import ModelOptions
from chatbot.engines.exporting import export
from chatbot.engines.onnx_engine import OnnxEngine
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.seq2seq import Seq2Seq, named_tensors

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


@dataclass(frozen=True)
class Both:
    """The same network behind both engines, and the folder its graphs lie in."""

    network: Seq2Seq
    torch: TorchEngine
    onnx: OnnxEngine
    folder: Path


MakeBoth = Callable[..., Both]


@pytest.fixture
def make_both(tmp_path: Path) -> MakeBoth:
    """make_both(vocab=30, OPTION=VALUE): a small random network, exported."""

    def build(vocab: int = 30, **options: Any) -> Both:
        sizes = {"embed": 8, "hidden": 8, "heads": 2, "slots": 4, "slot_size": 4}
        network = build_network(ModelOptions(**(sizes | options)), vocab, seed=5, max_src=12).eval()
        with torch.no_grad():
            for name, tensor in named_tensors(network):
                if tensor.is_floating_point() and "norm" not in name:
                    tensor.mul_(1.5)  # so that tokens differ clearly
        stored = {name: tensor.detach().numpy() for name, tensor in named_tensors(network)}
        weights = weights_file(stored)
        for name, data in {WEIGHTS: weights, **export(network, vocab, weights)}.items():
            (tmp_path / name).write_bytes(data)
        engine = TorchEngine(network, vocab, torch.device("cpu"))
        return Both(network, engine, OnnxEngine.open(tmp_path, vocab), tmp_path)

    return build
