"""Copy and reverse by length: a fixed vector fills up, attention does not."""

from __future__ import annotations

import numpy as np

from benchmarks.tasks.harness import FIRST, Make, Pair, Recipe, Table, exact, learn
from chatbot.config import ModelOptions

SYMBOLS = 20
LONGEST = 24
BANDS = ((1, 6), (7, 12), (13, 18), (19, 24))
SHAPE = {"embed": 64, "hidden": 128, "dropout": 0.0}
STEPS = 3000

NETWORKS: dict[str, ModelOptions] = {
    "none": ModelOptions(attention="none", cell="lstm", **SHAPE),
    "none, source reversed": ModelOptions(attention="none", cell="lstm", reverse_source=True, **SHAPE),
    "additive": ModelOptions(attention="additive", cell="lstm", **SHAPE),
    "general": ModelOptions(attention="general", cell="lstm", **SHAPE),
}


def making(task: str, shortest: int, longest: int) -> Make:
    """Makes pairs whose reply is the source, or the source turned round."""

    def make(random: np.random.Generator) -> Pair:
        length = int(random.integers(shortest, longest + 1))
        source = random.integers(FIRST, FIRST + SYMBOLS, length).tolist()
        return source, source if task == "copy" else source[::-1]

    return make


def run() -> Table:
    """Every network on both tasks, asked by length."""
    rows: list[tuple[str | float, ...]] = []
    for task in ("copy", "reverse"):
        for name, options in NETWORKS.items():
            network = learn(options, FIRST + SYMBOLS, making(task, 1, LONGEST), Recipe(STEPS)).network
            right = [exact(network, FIRST + SYMBOLS, making(task, *band), 300) for band in BANDS]
            rows.append((task, name, *right))
    return Table(
        "Copy and reverse by length",
        f"Sequences of {SYMBOLS} symbols, 1 to {LONGEST} long, right to their end; {STEPS} steps of 64. "
        "Bahdanau et al. 2015, section 1 and figure 2: one fixed vector cannot hold a long sequence, "
        "attention need not. Sutskever et al. 2014, section 3.3: it helps to read the source from its end.",
        ("task", "attention", *(f"{low}-{high} long" for low, high in BANDS)),
        tuple(rows),
    )
