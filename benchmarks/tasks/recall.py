"""Associative recall: keys with a value each, then the keys in another order; what were their values?"""

from __future__ import annotations

import numpy as np

from benchmarks.tasks.harness import FIRST, Pair, Recipe, Table, exact, learn
from chatbot.config import ModelOptions

KEYS, VALUES, PAIRS = 16, 16, 6
MARK = FIRST + KEYS + VALUES
"""Stands after each value."""

VOCAB = MARK + 1
SHAPE = {"embed": 128, "hidden": 128, "heads": 4, "dropout": 0.0}

NETWORKS: dict[str, tuple[ModelOptions, Recipe]] = {
    "rnn, no attention": (ModelOptions(attention="none", **SHAPE), Recipe(1500, lr=3e-3)),
    "rnn, attention": (ModelOptions(attention="general", **SHAPE), Recipe(1500, lr=3e-3)),
    "snail": (
        ModelOptions(encoder="snail", decoder="snail", attention="scaled-dot", **SHAPE),
        Recipe(1500, lr=3e-3),
    ),
    "transformer": (
        ModelOptions(encoder="transformer", decoder="transformer", attention="multi-head", layers=2, **SHAPE),
        Recipe(3000, lr=1.5e-3),
    ),
}


def make(random: np.random.Generator) -> Pair:
    """Six keys with their values and the keys once more, shuffled; each of these with its value."""
    keys = FIRST + random.permutation(KEYS)[:PAIRS]
    values = FIRST + KEYS + random.integers(0, VALUES, PAIRS)
    order = random.permutation(PAIRS)
    shown = np.stack([keys, values, np.full(PAIRS, MARK)], axis=1)
    return [*shown.flatten().tolist(), *keys[order].tolist()], shown[order, :2].flatten().tolist()


def run() -> Table:
    """With and without a way to look back."""
    rows: list[tuple[str | float, ...]] = []
    for name, (options, recipe) in NETWORKS.items():
        learned = learn(options, VOCAB, make, recipe)
        right = exact(learned.network, VOCAB, make)
        rows.append((name, f"{learned.parameters:,}", f"{recipe.steps:,}", f"{learned.loss:.3f}", right))
    return Table(
        "Associative recall",
        f"{PAIRS} keys of {KEYS} with a value each, then the keys in another order; the reply says each with "
        "its value, all of them right. Graves et al. 2014, section 4.3, has the task with one key; Mishra et "
        "al. 2018, section 3: causal attention finds what convolutions alone would have to carry along.",
        ("network", "weights", "steps", "nats a token", "right"),
        tuple(rows),
    )
