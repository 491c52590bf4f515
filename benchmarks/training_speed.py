"""How fast a training step is on the processor, beside other toolkits on their own architectures.

    python benchmarks/training_speed.py [--sizes S L] [--rounds 3] [--seconds 20] [--peers DIR]
        [--device cuda] [--precision bf16]

Each figure is of a process of its own; ours and theirs run in turn, and the middle of the rounds counts.
Target words a second count real tokens and the end of each reply. The share of GEMM is what the step's matrix
products at real positions would take at the rate at which the same process multiplies matrices, over the
time the step took.

DIR holds ``venv`` (JoeyNMT 2.3, OpenNMT-py 3.5), ``venv_fsq`` (fairseq 0.12), and in ``out`` the
configurations that PEERS names, with logs every ten updates. What is missing there is left out. On a machine
that does other work as well, OMP_NUM_THREADS=1 keeps ours and theirs from waiting for a second core.
Results are in docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from training_twin import Tutorial, tutorial_loss

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import Batch, collate
from chatbot.dataset.encoded import EncodedPairs
from chatbot.nn.products import product
from chatbot.text.tokenizer import SPECIALS
from chatbot.training.stepping import Pending, Stepper

PAIRS, ROWS, MEAN, LONGEST = 50_000, 64, 10, 30
WARM_STEPS = 12

TOLD = 4
"""Rates, of ten updates each, that are waited for from another toolkit."""

SIZES = {"S": (8_000, 256), "L": (16_000, 512)}
"""Vocabulary, and numbers of an embedding and of a state."""

MODELS: dict[str, dict[str, Any]] = {
    "bahdanau": {"cell": "gru", "attention": "additive", "ask": "feeding", "tie": False},
    "general": {"cell": "gru", "attention": "general", "tie": False},
    "dot-lstm": {"cell": "lstm", "attention": "dot", "ask": "feeding", "tie": False},
    "default": {},
}
"""What differs from the default options; two layers, and the sizes of SIZES, in all."""

PEERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "joeynmt": ("bahdanau", ("venv/bin/python", "-m", "joeynmt", "train", "joey{size}.yaml", "-t")),
    "opennmt-py": ("general", ("venv/bin/onmt_train", "-config", "onmt{size}_gen_nofeed.yaml")),
    "fairseq": (
        "dot-lstm",
        (
            *("venv_fsq/bin/fairseq-train", "fsqdata", "--cpu", "--arch", "lstm", "--encoder-bidirectional"),
            *("--encoder-layers", "2", "--decoder-layers", "2", "--encoder-embed-dim", "256"),
            *("--encoder-hidden-size", "128", "--decoder-embed-dim", "256", "--decoder-hidden-size", "256"),
            *("--decoder-out-embed-dim", "256", "--dropout", "0.1", "--batch-size", "64"),
            *("--optimizer", "adam", "--lr", "0.001", "--lr-scheduler", "fixed", "--clip-norm", "1.0"),
            *("--criterion", "cross_entropy", "--max-update", "100", "--log-interval", "10"),
            *("--log-format", "simple", "--no-save", "--disable-validation", "--num-workers", "0"),
        ),
    ),
}
"""Which of ours has the architecture of each toolkit, and what trains it."""

RATES = re.compile(r"Tokens per Sec: *([\d.]+)|/ *([\d.]+) tok/s|wps[=': ]+([\d.]+)")
"""Target words a second in the logs of all three."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What a process measured.

    Args:
        words: target words a second.
        step: milliseconds, the median.
        gemm: share of the rate of matrix products.
        rss: most memory held, in MB.
    """

    words: float
    step: float = 0.0
    gemm: float = 0.0
    rss: float = 0.0


def synthetic_pairs(vocab: int) -> EncodedPairs:
    """Pairs of Zipf words with gamma lengths; half of the words of a reply follow from the question."""
    random, words = np.random.default_rng(7), vocab - len(SPECIALS)
    shares = 1 / (np.arange(words) + 2.7)
    lengths = np.clip(np.round(random.gamma(2.6, MEAN / 2.6, (2, PAIRS))), 1, LONGEST).astype(np.int64)
    src, tgt = (random.choice(words, each.sum(), p=shares / shares.sum()) for each in lengths)
    src_starts, tgt_starts = (np.concatenate([[0], np.cumsum(each)]) for each in lengths)
    places = np.arange(len(tgt)) - np.repeat(tgt_starts[:-1], lengths[1])  # in its reply
    asked = np.repeat(src_starts[:-1], lengths[1]) + places % np.repeat(lengths[0], lengths[1])
    tgt = np.where(random.random(len(tgt)) < 0.5, (src[asked] * 3 + 1) % words, tgt)
    first = len(SPECIALS)
    ids = (src + first).astype(np.uint16), src_starts, (tgt + first).astype(np.uint16), tgt_starts
    return EncodedPairs(*ids, lengths[1].astype(np.int32))


def bucketed(pairs: EncodedPairs, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Batches of ROWS pairs of like lengths, in random order, for ever."""
    while True:
        rows = random.permutation(len(pairs))
        rows = rows[np.lexsort((pairs.src_lengths[rows], pairs.tgt_lengths[rows]))]
        starts = random.permutation(len(rows) // ROWS) * ROWS
        yield from (rows[start : start + ROWS] for start in starts)


def shuffled(pairs: EncodedPairs, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Batches of ROWS random pairs, for ever."""
    while True:
        yield random.integers(0, len(pairs), ROWS)


def our_step(
    name: str, size: str, device: str = "cpu", precision: str = "single"
) -> tuple[Callable[[Batch], Any], torch.nn.Module]:
    """An update of ours, and its network; on a GPU it is at work on one while the one before is read."""
    vocab, hidden = SIZES[size]
    shape = {"layers": 2, "embed": hidden, "hidden": hidden, "dropout": 0.1} | MODELS[name]
    where = torch.device(device)
    network = build_network(ModelOptions(**shape), vocab, seed=0).to(where).train()
    stepper = Stepper(network, TrainingOptions(precision=precision), where)
    underway: deque[Pending] = deque()

    def update(batch: Batch) -> None:
        underway.append(stepper.update([batch], 1e-3))
        while len(underway) > (device == "cuda"):
            underway.popleft().read()

    return update, network


def twin_step(size: str) -> tuple[Callable[[Batch], Any], torch.nn.Module]:
    """An update as the tutorial writes it, and its network."""
    network = Tutorial(*SIZES[size])
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def update(batch: Batch) -> None:
        optimizer.zero_grad()
        tutorial_loss(network, batch).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    return update, network


def needed(network: torch.nn.Module, batch: Batch) -> float:
    """FLOP of the matrix products of an update, forwards and twice that backwards, at real positions.

    Every matrix but a table that is looked up meets each source or target word once; that of the output
    layer each target word. Attention adds two products of its own a pair of words.
    """
    src, tgt = int((batch.src != 0).sum()), int((batch.tgt_out != 0).sum())
    total = 0
    for name, matrix in network.named_parameters():
        if matrix.ndim == 2 and "embedding" not in name and "bridge" not in name:
            reads_source = name.startswith(("encoder", "decoder.attention.score.u"))
            reads_source |= name == "decoder.attention.score.w.weight" and "score.u" not in str(network)
            total += 2 * matrix.numel() * (src if reads_source else tgt)
    if "output.table.weight" not in dict(network.named_parameters()):
        total += 2 * network.get_submodule("output.table").weight.numel() * tgt  # tied: has another name
    pairs = ((batch.src != 0).sum(1) * (batch.tgt_out != 0).sum(1)).sum()
    width = network.get_submodule("output.table").weight.shape[1]
    return 3.0 * (total + 4 * width * int(pairs))


def gemm_rate(device: str = "cpu", seconds: float = 0.5) -> float:
    """FLOP a second of products of 1024 x 1024 matrices in single precision, by the faster way there is."""
    left, right = torch.randn(2, 1024, 1024, device=device)
    rates = []
    for multiply in (torch.mm, product):
        done, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds / 2 or done < 4:
            multiply(left, right)
            done += 1
            if device == "cuda":
                torch.cuda.synchronize()
        rates.append(done * 2 * 1024**3 / (time.perf_counter() - started))
    return max(rates)


def measure(name: str, size: str, seconds: float, device: str = "cpu", precision: str = "single") -> Speed:
    """Take steps for some seconds; rates of matrix products are taken before, between and after."""
    torch.manual_seed(0)
    pairs, random = synthetic_pairs(SIZES[size][0]), np.random.default_rng(1)
    update, network = twin_step(size) if name == "twin" else our_step(name, size, device, precision)
    batches = (collate(pairs, rows) for rows in (shuffled if name == "twin" else bucketed)(pairs, random))
    for _ in range(WARM_STEPS):
        update(next(batches))
    rates, steps, words, flops, spent = [gemm_rate(device)], [], 0, 0.0, 0.0
    while spent < seconds:
        started = time.perf_counter()
        batch = next(batches)
        update(batch)
        steps.append(time.perf_counter() - started)
        spent, words = spent + steps[-1], words + int((batch.tgt_out != 0).sum())
        flops += needed(network, batch) if name != "twin" else 0.0
        if spent > seconds / 4 * len(rates):
            rates.append(gemm_rate(device))
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    share = flops / spent / statistics.median(rates)
    return Speed(words / spent, statistics.median(steps) * 1000, share, rss)


def measure_ours(name: str, size: str, seconds: float, *where: str) -> Speed:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--one", name, "--sizes", size, "--seconds", str(seconds), *where]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return Speed(**json.loads(found.stdout))


def measure_peer(name: str, size: str, folder: Path) -> Speed | None:
    """The middle of the later half of the rates that a toolkit's log tells; None where it is not there."""
    program, *arguments = (part.format(size=size) for part in PEERS[name][1])
    config = next((each for each in arguments if each.endswith(".yaml")), "fsqdata/dict.src.txt")
    if not ((folder / program).exists() and (folder / "out" / config).exists()):
        return None
    command = [str(folder / program), *arguments]
    process = subprocess.Popen(
        command, cwd=folder / "out", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    rates: list[float] = []
    for line in process.stdout:
        rates += [float(next(filter(None, found))) for found in RATES.findall(line)]
        if len(rates) >= TOLD:
            process.terminate()
    _, _, usage = os.wait4(process.pid, 0)
    if not rates:
        sys.exit(f"{' '.join(command)} told no rate")
    return Speed(statistics.median(rates[len(rates) // 2 :]), rss=usage.ru_maxrss / 1024)


def middle(speeds: list[Speed]) -> Speed:
    """Of each figure the median."""
    rows = [asdict(speed) for speed in speeds]
    return Speed(**{name: statistics.median(row[name] for row in rows) for name in rows[0]})


def contest(
    size: str, folder: Path | None, rounds: int, seconds: float, *where: str
) -> Iterator[tuple[str, Speed]]:
    """All figures of a size, ours and theirs in turn; the twin is on the processor."""
    entrants: dict[str, Callable[[], Speed | None]] = {
        name: partial(measure_ours, name, size, seconds, *where) for name in MODELS
    }
    entrants["twin"] = partial(measure_ours, "twin", size, seconds)
    for name, (ours, _) in PEERS.items() if folder else ():
        if name != "fairseq" or size == "S":
            entrants[f"{name} ({ours})"] = partial(measure_peer, name, size, folder)
    found: dict[str, list[Speed]] = {}
    for _ in range(rounds):
        for name, run in entrants.items():
            if speed := run():
                found.setdefault(name, []).append(speed)
                print(f"  {size} {name}: {speed}", file=sys.stderr, flush=True)
    yield from ((name, middle(speeds)) for name, speeds in found.items())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["S", "L"], choices=SIZES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--one", help="measure one architecture in this process", choices=[*MODELS, "twin"])
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="single", choices=["single", "bf16", "fp16"])
    told = parser.parse_args()
    where = told.device, told.precision
    if told.one:
        print(json.dumps(asdict(measure(told.one, told.sizes[0], told.seconds, *where))))
        return
    options = "--device", told.device, "--precision", told.precision
    print(f"| size | what | step ms | target words/s | share of GEMM | RSS MB |\n|{'---|' * 6}")
    for size in told.sizes:
        for name, speed in contest(size, told.peers, told.rounds, told.seconds, *options):
            step, share = f"{speed.step:.0f}" if speed.step else "", f"{speed.gemm:.0%}" if speed.gemm else ""
            print(
                f"| {size} | {name} | {step} | {speed.words:,.0f} | {share} | {speed.rss:.0f} |", flush=True
            )


if __name__ == "__main__":
    main()
