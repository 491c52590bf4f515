"""A tiny network of every kind learns to copy or to reverse: more than a loss that falls."""

from __future__ import annotations

from collections.abc import Iterator
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
from chatbot.nn.registry import ALIGNS, NONE, SCORES
from chatbot.training.schedule import rate_factor
from chatbot.training.stepping import build_optimizer

VOCAB, SHORT, LONG = 12, 6, 16
CPU = torch.device("cpu")

TASKS = {"copy": slice(None), "reverse": slice(None, None, -1)}
STEPS = {  # scores divided by √d sharpen slowly, a fixed vector fills slowly, a location knows no content
    "scaled-dot": 900,
    "location": 600,
    NONE: 900,
}
QUICK = [(attention, "gru", "reverse") for attention in SCORES if attention != "location"]
QUICK += [("general", "lstm", "copy")]
EVERY = [
    (attention, *each) for attention in [*SCORES, NONE] for each in (("lstm", "copy"), ("gru", "reverse"))
]

OTHERS: dict[str, dict[str, Any]] = {
    **{align: {"align": align} for align in ALIGNS if align not in ("global", "local-m")},
    "coverage": {"attention": "additive", "coverage": True},
    "multi-head": {"attention": "multi-head"},
    "previous": {"ask": "previous"},
    "feeding": {"ask": "feeding"},
    "gated": {"self_attention": True},
    "lstmn": {"encoder": "lstmn"},
    "ntm memory": {"decoder": "ntm", "cell": "lstm", "slots": 8, "slot_size": 8},
    "snail": {"encoder": "snail", "decoder": "snail"},
    "transformer": {"encoder": "transformer", "decoder": "transformer", "attention": "multi-head"},
    "pointer": {"output": "pointer", "ask": "feeding"},
    "pointer-generator": {"output": "pointer-generator"},
}
"""What differs from the default in one part; local-m looks where the reply is and cannot turn round."""

LRS = {"transformer": 3e-3, "snail": 5e-3}


def lengths(random: np.random.Generator, longest: int) -> Iterator[int]:
    """Random lengths, long ones more often."""
    while True:
        yield int(random.integers(1, longest + 1, 2).max())


def batch(random: np.random.Generator, length: int, task: str) -> Batch:
    src = random.integers(4, VOCAB, (64, length))
    tgt, ends = src[:, TASKS[task]], np.ones((64, 1), dtype=np.int64)
    parts = src, np.hstack([BOS * ends, tgt]), np.hstack([tgt, EOS * ends])
    return Batch(*(torch.from_numpy(np.ascontiguousarray(part)) for part in parts), words=0)


def learned(task: str, longest: int, steps: int = 300, lr: float = 0.01, **options: Any) -> TorchEngine:
    """A network after some steps on random sequences, as an engine."""
    training, random = TrainingOptions(lr=lr, weight_decay=0.0), np.random.default_rng(0)
    shape = ModelOptions(**{"cell": "gru", "embed": 32, "hidden": 64, "dropout": 0.0} | options)
    network = build_network(shape, VOCAB, seed=0)
    torch.manual_seed(0)
    optimizer = build_optimizer(network, training)
    for step, length in zip(range(steps), lengths(random, longest), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = training.lr * rate_factor(step / steps, 0.05)
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
    engine = learned(task, SHORT, STEPS.get(attention, 300), attention=attention, cell=cell)
    assert exact(engine, task, SHORT) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("attention", "cell", "task"), [each for each in EVERY if each not in QUICK])
def test_every_network_learns_to_copy_and_to_reverse(attention: str, cell: str, task: str) -> None:
    least = 0.9 if attention == NONE else 0.99
    engine = learned(task, SHORT, STEPS.get(attention, 300), attention=attention, cell=cell)
    assert exact(engine, task, SHORT) >= least


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_other_part_learns_to_reverse(name: str) -> None:
    engine = learned("reverse", SHORT, steps=600, lr=LRS.get(name, 0.01), **OTHERS[name])
    assert exact(engine, "reverse", SHORT) >= (0.95 if name == "pointer" else 0.99)


@pytest.mark.slow
def test_long_sequences_need_attention() -> None:
    """Both with the same number of steps."""
    with_it, without = (
        exact(learned("copy", LONG, steps=900, attention=each), "copy", LONG) for each in ("general", NONE)
    )
    assert with_it >= 0.95
    assert without < 0.6


@pytest.mark.slow
def test_attention_looks_where_the_copied_token_stands() -> None:
    engine = learned("reverse", SHORT)
    (found,) = search(engine, [[4, 9, 5, 11, 7]], beam=1, max_length=SHORT + 2)[0]
    assert found.weights[:5].argmax(1).tolist() == [4, 3, 2, 1, 0]
