"""A tiny network of every attention and cell learns to copy and to reverse: more than a loss that falls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.loss import sequence_loss
from chatbot.nn.recurrent import CELLS
from chatbot.nn.registry import NONE, SCORES
from chatbot.training.schedule import rate_factor
from chatbot.training.trainer import build_optimizer

VOCAB, SHORT, LONG = 12, 6, 16
CPU = torch.device("cpu")

TASKS = {"copy": slice(None), "reverse": slice(None, None, -1)}
STEPS = {"scaled-dot": 600, NONE: 900}  # scores divided by √d sharpen slowly, a fixed vector fills slowly
QUICK = [(attention, "gru", "reverse") for attention in SCORES] + [("general", "lstm", "copy")]
EVERY = list(product([*SCORES, NONE], CELLS, TASKS))


def lengths(random: np.random.Generator, longest: int) -> Iterator[int]:
    """Random lengths, long ones more often."""
    while True:
        yield int(random.integers(1, longest + 1, 2).max())


def batch(random: np.random.Generator, length: int, task: str) -> Batch:
    src = random.integers(4, VOCAB, (64, length))
    tgt, ends = src[:, TASKS[task]], np.ones((64, 1), dtype=np.int64)
    parts = src, np.hstack([BOS * ends, tgt]), np.hstack([tgt, EOS * ends])
    return Batch(*(torch.from_numpy(np.ascontiguousarray(part)) for part in parts), words=0)


def learned(attention: str, cell: str, task: str, longest: int, steps: int = 0) -> TorchEngine:
    """A network after some steps on random sequences, as an engine; STEPS says how many where 0."""
    options, random = TrainingOptions(lr=0.01, weight_decay=0.0), np.random.default_rng(0)
    shape = ModelOptions(attention=attention, cell=cell, embed=32, hidden=64, dropout=0.0)
    network, steps = build_network(shape, VOCAB, seed=0), steps or STEPS.get(attention, 300)
    optimizer = build_optimizer(network, options, CPU)
    for step, length in zip(range(steps), lengths(random, longest), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = options.lr * rate_factor(step / steps, 0.05)
        made = batch(random, length, task)
        loss: Any = sequence_loss(network, made.src, made.tgt_in, made.tgt_out, 0.0).objective
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return TorchEngine(network, VOCAB, CPU)


def exact(engine: TorchEngine, task: str, longest: int) -> float:
    """The share of new sequences, of mixed lengths in one batch, whose greedy reply is right to its end."""
    random = np.random.default_rng(1)
    draws = zip(range(300), lengths(random, longest), strict=False)
    sources = [random.integers(4, VOCAB, length).tolist() for _, length in draws]
    found = search(engine, sources, beam=1, max_length=longest + 2)
    wanted = [(*source[TASKS[task]], EOS) for source in sources]
    return sum(best.tokens == reply for (best,), reply in zip(found, wanted, strict=True)) / 300


@pytest.mark.parametrize(("attention", "cell", "task"), QUICK)
def test_attention_learns_to_copy_and_to_reverse(attention: str, cell: str, task: str) -> None:
    assert exact(learned(attention, cell, task, SHORT), task, SHORT) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("attention", "cell", "task"), [each for each in EVERY if each not in QUICK])
def test_every_network_learns_to_copy_and_to_reverse(attention: str, cell: str, task: str) -> None:
    least = 0.9 if attention == NONE else 0.99
    assert exact(learned(attention, cell, task, SHORT), task, SHORT) >= least


@pytest.mark.slow
def test_long_sequences_need_attention() -> None:
    """Both with the same number of steps."""
    with_it, without = (
        exact(learned(each, "gru", "copy", LONG, steps=900), "copy", LONG) for each in ("general", NONE)
    )
    assert with_it >= 0.95
    assert without < 0.6


@pytest.mark.slow
def test_attention_looks_where_the_copied_token_stands() -> None:
    engine = learned("general", "gru", "reverse", SHORT)
    (found,) = search(engine, [[4, 9, 5, 11, 7]], beam=1, max_length=SHORT + 2)[0]
    assert found.weights[:5].argmax(1).tolist() == [4, 3, 2, 1, 0]
