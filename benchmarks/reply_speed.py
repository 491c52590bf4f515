"""How many replies a second, beside other toolkits: setting S, every reply forced to eleven steps.

    python benchmarks/reply_speed.py [--rounds 3] [--peers DIR] [--data DIR]

Setting S: GRU, two layers, 256 numbers, both directions, 8,000 words; ours has general attention without
feeding, each toolkit what its name says. Questions come one by one, or in batches of 64.

A figure is the difference between two processes that answer many questions and few, so that loading takes
no part; it is in seconds of one processor, all on one thread, so that other work on the machine takes little.
Ours and theirs run in turn, and the middle of the rounds counts. Time goes from words to words.

DIR of the peers holds ``venv`` (JoeyNMT 2.3, OpenNMT-py 3.5) and ``out`` with their trained models. Questions
are the lines of ``test.src`` in the folder of the data, words those of ``train.src``. Results are in
docs/replies.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import torch

from chatbot.build import build_network
from chatbot.checkpoint import WEIGHTS, weights_file
from chatbot.config import ModelOptions
from chatbot.decoding.engine import BOS, EOS, PAD, UNK, Engine
from chatbot.decoding.search import search
from chatbot.engines.exporting import export
from chatbot.engines.onnx_engine import OnnxEngine
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.seq2seq import Seq2Seq, named_tensors

STEPS, VOCAB, HIDDEN = 11, 8_000, 256
SPECIALS = (PAD, UNK, BOS, EOS)

MODES = {"greedy, 1": (1, 1), "beam 5, 1": (5, 1), "greedy, 64": (1, 64), "beam 5, 64": (5, 64)}
"""Beam and batch of each figure."""

LINES = {1: (50, 400), 64: (64, 1_000)}
"""Few and many questions, for each size of a batch."""

OPENNMT = (
    *("venv/bin/onmt_translate", "-src", "{questions}", "-output", "{replies}", "-batch_size", "{batch}"),
    *("-beam_size", "{beam}", "-min_length", "10", "-max_length", "11", "-model"),
)

PEERS: dict[str, tuple[str, ...]] = {
    "JoeyNMT, Bahdanau": ("venv/bin/python", "-m", "joeynmt", "translate", "out/joeyS.t{batch}_{beam}.yaml"),
    "OpenNMT-py, mlp": (*OPENNMT, "out/onmtS_mlp_step_150.pt"),
    "OpenNMT-py, general": (*OPENNMT, "out/onmtS_gen_nofeed_step_150.pt"),
}
"""What answers the questions with each toolkit."""


def torch_engine(network: Seq2Seq) -> Engine:
    """Ours, by torch."""
    return TorchEngine(network, VOCAB, torch.device("cpu"))


def onnx_engine(network: Seq2Seq) -> Engine:
    """Ours, by ONNX Runtime."""
    weights = weights_file({name: each.detach().numpy() for name, each in named_tensors(network)})
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {WEIGHTS: weights, **export(network, VOCAB, weights)}.items():
            (Path(folder) / name).write_bytes(data)
        return OnnxEngine.open(Path(folder), VOCAB)


ENGINES: dict[str, Callable[[Seq2Seq], Engine]] = {"ours, ONNX": onnx_engine, "ours, torch": torch_engine}


def answer(engine: str, beam: int, batch: int, asked: Path, data: Path) -> None:
    """Answer the questions of a file."""
    counts = Counter((data / "train.src").read_text(encoding="utf-8").split())
    words = [word for word, _ in counts.most_common(VOCAB - len(SPECIALS))]
    ids = {word: number for number, word in enumerate(words, start=len(SPECIALS))}
    options = ModelOptions(cell="gru", attention="general", layers=2, embed=HIDDEN, hidden=HIDDEN, tie=False)
    made = ENGINES[engine](build_network(options, VOCAB, seed=1))
    questions = asked.read_text(encoding="utf-8").splitlines()
    for start in range(0, len(questions), batch):
        some = questions[start : start + batch]
        sources = [[ids.get(word, UNK) for word in question.split()] for question in some]
        for best, *_ in search(made, sources, beam=beam, max_length=STEPS, never=SPECIALS):
            reply = " ".join(words[token - len(SPECIALS)] for token in best.tokens)
            assert len(reply.split()) == STEPS


def command_of(name: str, mode: str, asked: Path, args: argparse.Namespace) -> list[str]:
    """The process that answers the questions of a file."""
    beam, batch = MODES[mode]
    if name in ENGINES:
        return [sys.executable, __file__, "--one", name, mode, str(asked), "--data", str(args.data)]
    places = {"questions": asked, "replies": f"{asked}.replies", "batch": batch, "beam": beam}
    command = [word.format_map(places) for word in PEERS[name]]
    return [str(args.peers / command[0]), *command[1:]]


def seconds(command: list[str], asked: Path, folder: Path) -> float:
    """Of the processor, that a process takes."""
    with asked.open("rb") as questions:
        process = subprocess.Popen(
            command,
            stdin=questions,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def rate(name: str, mode: str, args: argparse.Namespace) -> float:
    """Replies in a second of the processor."""
    few, many = LINES[MODES[mode][1]]
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (few, many):
            asked = Path(folder) / f"questions{count}"
            with (args.data / "test.src").open(encoding="utf-8") as lines:
                asked.write_text("".join(islice(lines, count)), encoding="utf-8")
            command = command_of(name, mode, asked, args)
            taken.append(seconds(command, asked, Path.cwd() if name in ENGINES else args.peers))
    return (many - few) / (taken[1] - taken[0])


def main() -> None:
    """Print a table, or answer in the place of one process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", type=Path, default=Path(".bench"))
    parser.add_argument("--data", type=Path, default=Path(".bench/data8k"))
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "MODE", "FILE"))
    args = parser.parse_args()
    if args.one:
        engine, mode, asked = args.one
        answer(engine, *MODES[mode], Path(asked), args.data)
        return
    names = [*ENGINES, *(name for name in PEERS if (args.peers / PEERS[name][0]).exists())]
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(args.rounds):
        for mode in MODES:
            for name in names:
                found.setdefault((name, mode), []).append(rate(name, mode, args))
                print(f"{name:20} {mode:12} {found[name, mode][-1]:8.1f}", file=sys.stderr)
    middle = {key: statistics.median(rates) for key, rates in found.items()}
    print(f"{args.rounds} rounds; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| replies/s | " + " | ".join(MODES) + " |\n|---|" + "---|" * len(MODES))
    for name in names:
        print(f"| {name} | " + " | ".join(f"{middle[name, mode]:.0f}" for mode in MODES) + " |")
    theirs = {
        mode: max((middle[name, mode] for name in names[len(ENGINES) :]), default=0.0) for mode in MODES
    }
    for name in ENGINES:
        ratios = (f"{middle[name, mode] / theirs[mode]:.1f}" if theirs[mode] else "" for mode in MODES)
        print(f"| {name}, over the best of theirs | " + " | ".join(ratios) + " |")


if __name__ == "__main__":
    main()
