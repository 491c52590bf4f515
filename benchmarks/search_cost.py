"""What the search itself costs beside an engine that costs nothing, and what drawing costs beside a real one.

    .venv/bin/python benchmarks/search_cost.py
    .venv/bin/python benchmarks/search_cost.py --checkpoint checkpoints/starter

Processor time of this process, the best of many repeats, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import Bias, Candidates
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.sampling import Sampling
from chatbot.decoding.terms import Terms

STEPS, WORDS, VOCAB, KNOWN = 11, 10, 4096, 400
QUESTIONS = ("hello", "what is your name?", "do you like music?", "tell me something about yourself")


@dataclass(frozen=True)
class Rows:
    """How many."""

    count: int

    def select(self, rows: NDArray[np.int64]) -> Rows:
        """As many as named."""
        return Rows(len(rows))


class Trivial:
    """An engine whose answer is ready; it never ends a reply, so that each takes all steps."""

    vocab = VOCAB

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        logits = np.sort(random.normal(size=(KNOWN, VOCAB - 4)) * 2)[:, ::-1]
        sums = np.log(np.exp(logits).sum(1, keepdims=True))
        self._log_probs = (logits - sums).astype(np.float32)
        self._tokens = np.argsort(random.random((KNOWN, VOCAB - 4)), axis=1) + 4
        self._weights = np.full((KNOWN, WORDS), 1 / WORDS, np.float32)

    def start(self, sources: Sequence[Sequence[int]]) -> Rows:
        """One row each."""
        return Rows(len(sources))

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        """The same as ever."""
        n = len(tokens)
        return Candidates(self._tokens[:n, :k], self._log_probs[:n, :k], self._weights[:n], Rows(n))


def best_of(run: Callable[[], object], repeats: int) -> float:
    """Seconds of processor time, the least of all repeats."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def search_alone(repeats: int) -> None:
    """Microseconds a step of each way, one source and 64."""
    engine, ngram = Trivial(), Limits(STEPS, block_ngram=3)
    plain = Limits(STEPS)
    rows = [
        ("greedy", Greedy(), plain),
        ("beam 5", Beam(5), plain),
        ("beam 5, block-ngram 3", Beam(5), ngram),
        ("beam 5, coverage-penalty", Beam(5), Limits(STEPS, coverage_penalty=0.2)),
        ("beam 5, repetition-penalty", Beam(5), Limits(STEPS, repetition_penalty=1.2)),
        ("beam 6, beam-groups 3", Beam(6, 3), plain),
        ("sample, top-k 40", Sampling(top_k=40), plain),
        ("sample, top-p 0.9", Sampling(0.7, top_p=0.9), plain),
        ("sample, all", Sampling(), plain),
    ]
    print("| way | 1 source, µs a step | 64 sources, µs a step |\n|---|---|---|")
    for name, way, limits in rows:
        costs = []
        for count in (1, 64):
            sources = [list(range(4, 4 + WORDS))] * count
            seconds = best_of(lambda: way.find(engine, sources, Terms(limits)), repeats)  # noqa: B023
            costs.append(f"{seconds / STEPS * 1e6:.0f}")
        print(f"| {name} | {' | '.join(costs)} |")


def beside_a_bot(folder: Path, repeats: int) -> None:
    """Milliseconds a reply of a checkpoint, one by one and 64 together."""
    from chatbot.bot import Chatbot
    from chatbot.config import DecodingOptions

    bot = Chatbot.load(folder, "cpu")
    ways = {
        "greedy": DecodingOptions(beam=1),
        "beam 4": DecodingOptions(),
        "sample, top-k 40": DecodingOptions(search="sample", top_k=40, top_p=1.0),
        "sample, top-p 0.9": DecodingOptions(search="sample"),
        "sample, all": DecodingOptions(search="sample", top_p=1.0),
    }
    print("| way | one by one, ms a reply | 64 together, ms a reply |\n|---|---|---|")
    many = list(QUESTIONS) * 16
    for name, options in ways.items():
        single = best_of(lambda: [bot.reply(text, (), options) for text in QUESTIONS], repeats)  # noqa: B023
        batch = best_of(lambda: bot.replies(many, options), max(1, repeats // 4))  # noqa: B023
        print(f"| {name} | {single / len(QUESTIONS) * 1e3:.1f} | {batch / len(many) * 1e3:.2f} |")


def main() -> None:
    """Print the table asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--repeats", type=int, default=40)
    arguments = parser.parse_args()
    if arguments.checkpoint is None:
        search_alone(arguments.repeats)
    else:
        beside_a_bot(arguments.checkpoint, arguments.repeats)


if __name__ == "__main__":
    main()
