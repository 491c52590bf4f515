"""What rounding the decoder's matrices to 8 bits changes: size, speed, and how many replies.

    python benchmarks/eight_bits.py [--checkpoint NAME] [--questions 500] [--rounds 3]

The checkpoint's graphs are made as they are by default, and in 8 bits with a scale for each 32 and for each
128 numbers. Replies are those to held-out chitchat questions, with the checkpoint's own way to search. Speeds
are replies in a second of processor time, the best round of each, in turn. Results are in docs/replies.md.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chatbot.checkpoint import STEP, WEIGHTS, Checkpoint, find, load, renew
from chatbot.config import Config
from chatbot.corpus.library import open_corpus
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.split import is_held_out
from chatbot.engines import narrowing
from chatbot.engines.answering import BATCH, Answering
from chatbot.engines.exporting import export
from chatbot.engines.network import load_network
from chatbot.engines.onnx_engine import OnnxEngine

KINDS = {"as stored": 0, "8 bits, blocks of 32": 32, "8 bits, blocks of 128": 128}
"""Numbers that share a scale."""


def held_out_questions(share: float, most: int) -> list[str]:
    """Questions of chitchat that no training with this share saw, spread evenly over all."""
    corpus = open_corpus("chitchat", Path(), print, Config().reading)
    talks = (each for each in corpus.conversations() if is_held_out(each.id, share))
    questions = [pair.src[-1] for talk in talks for pair in pairs_of(talk)]
    return [questions[int(row)] for row in np.linspace(0, len(questions) - 1, most)]


def answering_of(checkpoint: Checkpoint, folder: Path, block: int) -> Answering:
    """The checkpoint, copied to a folder, with graphs of a kind."""
    shutil.copytree(checkpoint.home, folder)
    tokenizer = checkpoint.tokenizer()
    narrowing.BLOCK = block or narrowing.BLOCK
    weights = (checkpoint.home / WEIGHTS).read_bytes()
    network = load_network(checkpoint, tokenizer.vocab)
    renew(folder, export(network, tokenizer.vocab, weights, narrowed=bool(block)))
    return Answering.of(checkpoint.config, tokenizer, OnnxEngine.open(folder, tokenizer.vocab))


def measured(
    answering: Answering, checkpoint: Checkpoint, questions: Sequence[str]
) -> tuple[list[str], float, float]:
    """The replies, and how many a second one by one and in batches."""
    began = time.process_time()
    replies = [each.text for each in answering.answers(questions, checkpoint.config.decoding)]
    batches = len(questions) / (time.process_time() - began)
    began = time.process_time()
    some = questions[:100]
    for question in some:
        answering.answers([question], checkpoint.config.decoding)
    return replies, len(some) / (time.process_time() - began), batches


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--checkpoint", default="starter")
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    checkpoint = load(find(args.checkpoint, Path("checkpoints")))
    questions = held_out_questions(checkpoint.config.data.validation, args.questions)
    print(f"| step | MB | replies/s, 1 | replies/s, {BATCH} | replies changed, of {len(questions)} |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folders = {name: Path(place) / str(block) for name, block in KINDS.items()}
        bots = {name: answering_of(checkpoint, folders[name], block) for name, block in KINDS.items()}
        rounds = [
            {name: measured(bot, checkpoint, questions) for name, bot in bots.items()}
            for _ in range(args.rounds)
        ]
        plain = rounds[0]["as stored"][0]
        for name, folder in folders.items():
            one, many = (max(each[name][column] for each in rounds) for column in (1, 2))
            changed = sum(a != b for a, b in zip(plain, rounds[0][name][0], strict=True))
            size = (folder / STEP).stat().st_size / 1e6
            print(f"| {name} | {size:.2f} | {one:.0f} | {many:.0f} | {changed} |")


if __name__ == "__main__":
    main()
