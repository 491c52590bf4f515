"""Runs that take a second: a small network on a few made-up pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import Config, ModelOptions, TrainingOptions
from chatbot.dataset.batches import TrainingBatches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.engines.torch_engine import TorchEngine
from chatbot.training.events import Sampled
from chatbot.training.request import Request
from chatbot.training.state import Progress, States, Stored
from chatbot.training.trainer import Trainer

VOCAB = 12
CPU = torch.device("cpu")

MakeTrainer = Callable[..., Trainer]
MakeRequest = Callable[..., Request]


@dataclass
class Saves:
    """Where a trainer's states go: a folder, and all of them into memory."""

    folder: Path
    kept: list[tuple[Progress, dict[str, Tensor]]] = field(default_factory=list)

    def save(self, progress: Progress, tensors: Mapping[str, Tensor]) -> str:
        where = States(self.folder).save(progress, tensors)
        stored = self.load()
        self.kept.append((stored.progress, dict(stored.tensors)))
        return where

    def load(self) -> Stored:
        return States(self.folder).load()


@pytest.fixture
def saves(tmp_path: Path) -> Saves:
    """What the trainers of ``make_trainer`` have saved, as read back from disk."""
    return Saves(tmp_path / "resume")


def random_pairs(count: int, seed: int) -> EncodedPairs:
    """Replies that repeat their question."""
    random = np.random.default_rng(seed)
    rows = [random.integers(4, VOCAB, random.integers(1, 6)).tolist() for _ in range(count)]
    return EncodedPairs.from_lists(rows, rows, [len(row) for row in rows], VOCAB)


@pytest.fixture
def make_trainer(saves: Saves) -> MakeTrainer:
    """make_trainer(pairs=None, cell="lstm", **training options): fresh weights, dropout on, 40 pairs."""

    def make(pairs: EncodedPairs | None = None, cell: str = "lstm", **options: Any) -> Trainer:
        shape = ModelOptions(cell=cell, embed=8, hidden=8, dropout=0.3)
        network = build_network(shape, VOCAB, seed=1)
        torch.manual_seed(2)
        chosen = TrainingOptions(**{"minutes": 0.0, "steps": 20, "lr": 0.01, "patience": 0} | options)
        pairs = pairs or random_pairs(40, seed=3)
        batches = TrainingBatches(pairs, [len(pairs)], [1.0], 60, seed=4)
        validation = [("random", random_pairs(10, seed=5), 1.0)]

        def sample(step: int) -> Sampled:
            engine = TorchEngine(network, VOCAB, CPU)  # which puts the network into evaluation mode
            return Sampled(step, (("first token", str(engine.start([[4]]).owners.tolist())),))

        return Trainer(network, batches, validation, chosen, CPU, saves, sample)

    return make


@pytest.fixture
def make_request(tmp_path: Path) -> MakeRequest:
    """make_request("NAME", start=None, resume=False, lines=None, **options): train on ``talk.tsv``."""
    corpus = tmp_path / "talk.tsv"
    corpus.write_text("".join(f"question {n}\tanswer {n * n}\n" for n in range(60)), encoding="utf-8")
    small = {"tokenizer": "chars", "embed": 8, "hidden": 8, "batch_tokens": 200, "device": "cpu"}

    def make(name: str = "bot", start: Path | None = None, resume: bool = False, **options: Any) -> Request:
        config = Config().replace(small | {"minutes": 0.0, "steps": 6, "beam": 1} | options)
        command = "chatbot train talk.tsv"
        folder = tmp_path / "checkpoints" / name
        return Request(
            (str(corpus),), folder, tmp_path / "corpora", config, command, start, resume, half=False
        )

    return make
