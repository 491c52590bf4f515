"""Associative recall: pairs of a key and a value, then a key; what was its value?"""

from __future__ import annotations

import numpy as np

from benchmarks.tasks.harness import FIRST, Pair, Recipe, Table, exact, learn
from chatbot.config import ModelOptions

KEYS, VALUES, PAIRS = 16, 16, 8
VOCAB = FIRST + KEYS + VALUES
SHAPE = {"embed": 64, "hidden": 64, "heads": 4, "dropout": 0.0}

NETWORKS: dict[str, ModelOptions] = {
    "rnn, no attention": ModelOptions(attention="none", **SHAPE),
    "rnn, attention": ModelOptions(attention="general", **SHAPE),
    "snail, no attention on the source": ModelOptions(encoder="snail", attention="none", **SHAPE),
    "snail": ModelOptions(encoder="snail", decoder="snail", attention="general", **SHAPE),
    "transformer": ModelOptions(
        encoder="transformer", decoder="transformer", attention="multi-head", layers=2, **SHAPE
    ),
}
RATES = {"transformer": 1e-3}


def make(random: np.random.Generator) -> Pair:
    """Eight keys with a value each, and one of the keys again; its value."""
    keys = FIRST + random.permutation(KEYS)[:PAIRS]
    values = FIRST + KEYS + random.integers(0, VALUES, PAIRS)
    asked = int(random.integers(PAIRS))
    return [*np.stack([keys, values], axis=1).flatten().tolist(), int(keys[asked])], [int(values[asked])]


def run() -> Table:
    """With and without a way to look back."""
    rows: list[tuple[str | float, ...]] = []
    for name, options in NETWORKS.items():
        learned = learn(options, VOCAB, make, Recipe(3000, lr=RATES.get(name, 3e-3)))
        rows.append((name, f"{learned.parameters:,}", exact(learned.network, VOCAB, make)))
    return Table(
        "Associative recall",
        f"{PAIRS} keys of {KEYS} with a value each, then one of the keys: its value; guessing is right in "
        f"{1 / VALUES:.1%}; 3,000 steps of 64. Graves et al. 2014, section 4.3, has the task; Mishra et al. "
        "2018, section 3: causal attention finds what convolutions alone would have to carry along.",
        ("network", "weights", "right"),
        tuple(rows),
    )
