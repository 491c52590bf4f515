"""Memory of a training run over many pairs: random ids, written straight into the files of a cache.

    python benchmarks/large_corpus.py [--pairs N] [--steps N] [--folder DIR]

Writes N pairs of about ten tokens a side (60 bytes each) into a temporary folder of DIR, trains a tiny
network on them for some steps, then goes through the batches of a whole epoch, and prints one JSON line
with the most memory held at each stage: "anonymous" is what the process needs for itself, "resident" counts
the pages of mapped files too, which the system takes back when it needs them. The files are deleted
afterwards.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import TrainingBatches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import joined
from chatbot.training.stepping import Stepper

VOCAB = 4096
LENGTHS = 2, 19
"""Fewest and one above the most tokens of a side."""


def main() -> None:
    """Write, train, tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        sizes = [chosen.pairs // 4, chosen.pairs - chosen.pairs // 4]
        for number, size in enumerate(sizes):
            write(Path(folder), f"train-{number}", size, seed=number)
        print(json.dumps({"pairs": chosen.pairs, **measured(Path(folder), sizes, chosen.steps)}))


def write(folder: Path, name: str, count: int, seed: int) -> None:
    """Files of random pairs, a million pairs at a time."""
    random, million = np.random.default_rng(seed), 1_000_000
    for side in ("src", "tgt"):
        starts = memory_map(folder / f"{name}.{side}_starts.npy", np.int64, count + 1)
        for first in range(0, count, million):
            lengths = random.integers(*LENGTHS, min(million, count - first))
            starts[first + 1 : first + 1 + len(lengths)] = starts[first] + np.cumsum(lengths)
        ids = memory_map(folder / f"{name}.{side}.npy", np.uint16, int(starts[-1]))
        for first in range(0, len(ids), million):
            ids[first : first + million] = random.integers(4, VOCAB, min(million, len(ids) - first))
    memory_map(folder / f"{name}.words.npy", np.int32, count)[:] = 8


def memory_map(path: Path, kind: type, length: int) -> np.memmap:
    """A new file of numbers, all of them 0."""
    return np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(length,))


def measured(folder: Path, sizes: list[int], steps: int) -> dict[str, object]:
    """Most memory in MB, and times, at each stage."""
    network = build_network(ModelOptions(embed=32, hidden=32), VOCAB, seed=1)
    options = TrainingOptions()
    stepper = Stepper(network, options, torch.device("cpu"))
    found: dict[str, object] = {"model": memory()}
    pairs = joined([EncodedPairs.load(folder, f"train-{number}") for number in range(len(sizes))])
    batches = TrainingBatches(pairs, sizes, [1.0] * len(sizes), options.batch_tokens, seed=0)
    stream = batches.stream()
    started = time.perf_counter()
    next(stream)
    found["first_batch_seconds"] = round(time.perf_counter() - started, 2)
    found["training"] = most(stepper.update([batch], 1e-3).read() for *_, batch in islice(stream, steps))
    started = time.perf_counter()
    found["epoch"] = most(takewhile(lambda placed: placed[0] == 0, stream))
    found["epoch_seconds"] = round(time.perf_counter() - started, 1)
    return found


def most(work: Iterable[object]) -> dict[str, int]:
    """The most memory while work goes on."""
    peak = memory()
    for number, _ in enumerate(work):
        if number % 50 == 0:
            peak = {name: max(size, peak[name]) for name, size in memory().items()}
    return peak


def memory() -> dict[str, int]:
    """Memory of this process in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    kinds = {"resident": "VmRSS", "anonymous": "RssAnon"}
    return {name: int(status[key].split()[0]) // 1024 for name, key in kinds.items()}


if __name__ == "__main__":
    main()
