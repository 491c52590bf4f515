"""Two reply symbols for each source symbol: does local-p learn that the alignment is a straight line?"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.tasks.harness import FIRST, Learned, Pair, Recipe, Table, collate, exact, learn
from chatbot.config import ModelOptions

SYMBOLS = 20
SHORTEST, LONGEST = 4, 12
VOCAB = FIRST + 2 * SYMBOLS
SHAPE = {"attention": "general", "cell": "gru", "embed": 48, "hidden": 96, "dropout": 0.0, "window": 5}


def make(random: np.random.Generator) -> Pair:
    """Symbols, and each of them spelled by two others."""
    source = random.integers(FIRST, FIRST + SYMBOLS, int(random.integers(SHORTEST, LONGEST + 1))).tolist()
    spelled = [FIRST + SYMBOLS + (3 * (s - FIRST) + part) % SYMBOLS for s in source for part in (0, 7)]
    return source, spelled


@torch.inference_mode()
def distance(learned: Learned, number: int = 200) -> float:
    """How many symbols beside the one it spells a reply symbol's heaviest weight lies, on average."""
    random = np.random.default_rng(2)
    batch = collate([make(random) for _ in range(number)])
    decoded, _ = learned.network.eval()(batch.src, batch.tgt_in)
    heaviest = decoded.weights.argmax(-1)  # [pairs, tgt_len]
    wanted = torch.arange(heaviest.shape[1])[None] // 2
    real = wanted < (batch.src != 0).sum(1, keepdim=True)
    return float((heaviest - wanted).abs()[real].float().mean())


def run() -> Table:
    """A predicted centre against one that goes with the reply position, and against no window."""
    rows: list[tuple[str | float, ...]] = []
    for name in ("global", "local-m", "local-p"):
        learned = learn(ModelOptions(align=name, **SHAPE), VOCAB, make, Recipe(1500, lr=4e-3))
        rows.append((name, exact(learned.network, VOCAB, make), f"{distance(learned):.2f}"))
    return Table(
        "A straight alignment",
        f"Each of {SHORTEST} to {LONGEST} symbols is spelled by two; windows of half-width 5; "
        "1,500 steps of 64. Luong et al. 2015, section 3.2: local-m takes for granted that source and reply "
        "go at one pace, local-p learns where to look.",
        ("align", "right", "symbols beside"),
        tuple(rows),
    )
