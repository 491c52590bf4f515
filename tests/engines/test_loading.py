from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import Checkpoint, load, save
from chatbot.config import Config
from chatbot.decoding.engine import BOS
from chatbot.engines.loading import load_engine
from chatbot.engines.torch_engine import TorchEngine
from chatbot.errors import CheckpointError, OptionError
from chatbot.nn.seq2seq import Seq2Seq, named_tensors
from chatbot.text.tokenizer import Tokenizer

SOURCES = [[5, 6, 7], [8]]


@pytest.fixture
def config() -> Config:
    return Config().replace({"embed": 6, "hidden": 8, "tokenizer": "chars"})


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train("chars", [("a b", "c")], 300, "keep")


@pytest.fixture
def trained(config: Config, tokenizer: Tokenizer) -> Seq2Seq:
    return build_network(config.model, tokenizer.vocab, seed=11)


def stored(
    folder: Path, config: Config, tokenizer: Tokenizer, network: Seq2Seq, kind: torch.dtype
) -> Checkpoint:
    weights = {name: p.detach().to(kind).numpy() for name, p in named_tensors(network)}
    save(folder, {"options": config.to_json()}, tokenizer, weights, "")
    return load(folder)


def first_step(engine: TorchEngine) -> np.ndarray:
    return engine.step(np.full(2, BOS), engine.start(SOURCES), 5).log_probs


@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float32, 0.0), (torch.float16, 1e-2)])
def test_loaded_engine_says_what_the_trained_network_says(
    config: Config,
    tokenizer: Tokenizer,
    trained: Seq2Seq,
    tmp_path: Path,
    kind: torch.dtype,
    tolerance: float,
) -> None:
    checkpoint = stored(tmp_path / "bot", config, tokenizer, trained, kind)
    engine = load_engine(checkpoint, tokenizer.vocab, "cpu")
    wanted = first_step(TorchEngine(trained, tokenizer.vocab, torch.device("cpu")))
    np.testing.assert_allclose(first_step(engine), wanted, atol=tolerance)


def test_tied_table_is_stored_once_and_tied_again(
    config: Config, tokenizer: Tokenizer, trained: Seq2Seq, tmp_path: Path
) -> None:
    checkpoint = stored(tmp_path / "bot", config, tokenizer, trained, torch.float16)
    shapes = [tensor.shape for tensor in checkpoint.weights().values()]
    assert shapes.count((tokenizer.vocab, 6)) == 1


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("change", [{"hidden": 10}, {"cell": "gru"}, {"layers": 2}, {"tie": False}])
def test_weights_of_another_network_are_refused(
    config: Config, tokenizer: Tokenizer, tmp_path: Path, change: dict[str, object], turned: bool
) -> None:
    configs = [config, config.replace(change)]
    told, true = configs[::-1] if turned else configs
    network = build_network(true.model, tokenizer.vocab)
    checkpoint = replace(stored(tmp_path / "bot", config, tokenizer, network, torch.float32), config=told)
    with pytest.raises(CheckpointError, match=r"bot/model\.safetensors: does not fit config\.json at "):
        load_engine(checkpoint, tokenizer.vocab, "cpu")


def test_device_that_is_not_there_is_refused(
    config: Config, tokenizer: Tokenizer, trained: Seq2Seq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    checkpoint = stored(tmp_path / "bot", config, tokenizer, trained, torch.float32)
    with pytest.raises(OptionError, match="--device"):
        load_engine(checkpoint, tokenizer.vocab, "cuda")
