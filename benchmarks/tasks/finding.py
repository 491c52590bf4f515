"""One position of the source matters: does attention find it?"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.tasks.harness import FIRST, Learned, Pair, Recipe, Table, collate, exact, learn
from chatbot.config import ModelOptions

KINDS = 10
"""Symbols that mean nothing, and as many that are the answer."""

SHORTEST, LONGEST = 5, 20
VOCAB = FIRST + 2 * KINDS
SHAPE = {
    "attention": "general",
    "cell": "gru",
    "embed": 32,
    "hidden": 64,
    "dropout": 0.0,
    "bidirectional": False,
}


def make(random: np.random.Generator) -> Pair:
    """Noise with one answer somewhere in it, and that answer."""
    source = random.integers(FIRST, FIRST + KINDS, int(random.integers(SHORTEST, LONGEST + 1)))
    answer = int(random.integers(FIRST + KINDS, VOCAB))
    source[random.integers(len(source))] = answer
    return source.tolist(), [answer]


@torch.inference_mode()
def found(learned: Learned, number: int = 500) -> tuple[float, float]:
    """The share of sources whose answer is looked at most, and the mean weight it gets."""
    random = np.random.default_rng(2)
    batch = collate([make(random) for _ in range(number)])
    decoded, _ = learned.network.eval()(batch.src, batch.tgt_in)
    weights = decoded.weights[:, 0]  # [pairs, src_len], of the first reply token
    where = (batch.src >= FIRST + KINDS).int().argmax(1)
    share = (weights.argmax(1) == where).float().mean()
    return float(share), float(weights.gather(1, where[:, None]).mean())


def run() -> Table:
    """Soft, hard and no attention."""
    rows: list[tuple[str | float, ...]] = []
    for name in ("global", "hard", "straight-through"):
        learned = learn(ModelOptions(align=name, **SHAPE), VOCAB, make, Recipe(1500, lr=3e-3))
        rows.append((name, exact(learned.network, VOCAB, make), *found(learned)))
    return Table(
        "The one position that matters",
        f"Noise of {SHORTEST} to {LONGEST} symbols with one answer in it; the reply is the answer; "
        "1,500 steps of 64. Xu et al. 2015, section 4.1: attention that draws one position can be trained by "
        "its reward alone.",
        ("align", "right", "looks there", "weight there"),
        tuple(rows),
    )
