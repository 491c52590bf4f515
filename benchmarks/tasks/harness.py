"""What the toy tasks share: training a network on sequences made as needed, and exact matches.

A task makes (source, reply) pairs of token ids from a random generator. Networks are built from the same
options as a chatbot's, trained by the same loss and optimiser, and answer through the same search.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import BOS, EOS, PAD, Batch
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.loss import sequence_loss
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.schedule import rate_factor
from chatbot.training.stepping import build_optimizer

FIRST = 4
"""The first id that is no special token."""

Pair = tuple[list[int], list[int]]
"""A source and its reply, without BOS and EOS."""

Make = Callable[[np.random.Generator], Pair]
"""Makes one pair."""

CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how fast to train.

    Args:
        steps: optimiser updates.
        batch: pairs in each.
        lr: highest learning rate.
        warmup: share of the steps over which it rises.
    """

    steps: int
    batch: int = 64
    lr: float = 5e-3
    warmup: float = 0.05


@dataclass(frozen=True, slots=True)
class Learned:
    """A trained network and what it cost.

    Args:
        loss: nats per token, averaged over the last twentieth of the steps.
        seconds: of training.
    """

    network: Seq2Seq
    loss: float
    seconds: float

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return sum(parameter.numel() for parameter in self.network.parameters())


def collate(pairs: Sequence[Pair]) -> Batch:
    """The padded tensors of some pairs."""
    src = _padded([source for source, _ in pairs])
    tgt_in = _padded([[BOS, *reply] for _, reply in pairs])
    tgt_out = _padded([[*reply, EOS] for _, reply in pairs])
    words = sum(len(reply) + 1 for _, reply in pairs)
    return Batch(*(torch.from_numpy(part) for part in (src, tgt_in, tgt_out)), words)


def stream(make: Make, batch: int, seed: int) -> Iterator[Batch]:
    """Endless batches of new pairs."""
    random = np.random.default_rng(seed)
    while True:
        yield collate([make(random) for _ in range(batch)])


def learn(options: ModelOptions, vocab: int, make: Make, recipe: Recipe, seed: int = 0) -> Learned:
    """Train a new network on pairs made as needed, with a line of progress on stderr."""
    network = build_network(options, vocab, seed)
    torch.manual_seed(seed)
    return fit(network, stream(make, recipe.batch, seed), recipe)


def fit(network: Seq2Seq, batches: Iterator[Batch], recipe: Recipe) -> Learned:
    """Train a network on batches."""
    optimizer = build_optimizer(network, TrainingOptions(lr=recipe.lr, weight_decay=0.0))
    started, losses = time.monotonic(), []
    network.train()
    for step, batch in zip(range(recipe.steps), batches, strict=False):
        for group in optimizer.param_groups:
            group["lr"] = recipe.lr * rate_factor(step / recipe.steps, recipe.warmup)
        loss = sequence_loss(network, batch.src, batch.tgt_in, batch.tgt_out, 0.0)
        loss.objective.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss.nats) / loss.tokens)
        if step % max(1, recipe.steps // 20) == 0:
            print(f"  step {step}/{recipe.steps}: {losses[-1]:.3f} nats a token", file=sys.stderr, flush=True)
    last = losses[-max(1, recipe.steps // 20) :]
    return Learned(network, sum(last) / len(last), time.monotonic() - started)


def replies(network: Seq2Seq, vocab: int, sources: Sequence[list[int]], longest: int) -> list[list[int]]:
    """Greedy replies of at most so many tokens, without their end."""
    engine = TorchEngine(network, vocab, CPU)
    found = search(engine, sources, beam=1, max_length=longest + 1, block_ngram=0)
    return [[token for token in best.tokens if token != EOS] for (best,) in found]


def exact(network: Seq2Seq, vocab: int, make: Make, number: int = 500, seed: int = 1) -> float:
    """The share of new pairs whose greedy reply is right to its end."""
    random = np.random.default_rng(seed)
    pairs = [make(random) for _ in range(number)]
    longest = max(len(reply) for _, reply in pairs) + 1
    found = replies(network, vocab, [source for source, _ in pairs], longest)
    return sum(said == reply for said, (_, reply) in zip(found, pairs, strict=True)) / number


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    table = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for row, ids in enumerate(rows):
        table[row, : len(ids)] = ids
    return table


@dataclass(frozen=True, slots=True)
class Table:
    """What a task found, as a page shows it.

    Args:
        title: of the task.
        claim: what the paper says, with its source.
        columns: their names.
        rows: text, or shares of 1 that are shown in per cent.
    """

    title: str
    claim: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]

    def markdown(self) -> str:
        """A section of a page."""
        lines = [" | ".join(self.columns), " | ".join("---" for _ in self.columns)]
        lines += [
            " | ".join(each if isinstance(each, str) else f"{each:.1%}" for each in row) for row in self.rows
        ]
        return "\n".join([f"### {self.title}", "", self.claim, "", *(f"| {line} |" for line in lines), ""])
