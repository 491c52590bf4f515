"""Pointer networks: answers that are positions of the question, as in sorting and in convex hulls.

A question is some points, numbers or pairs of numbers; an answer says positions among them. Two networks
that differ in their output alone say it: one points, the other has an id for each position.

Source: Vinyals et al. 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.tasks.harness import FIRST, Recipe, Table, collate, fit
from chatbot.dataset.batches import BOS, EOS, Batch
from chatbot.nn.copying import PointerOutput
from chatbot.nn.core import RnnCore
from chatbot.nn.decoder import CurrentStateDecoder, Decoded
from chatbot.nn.embedding import new_embedding
from chatbot.nn.encoder import Encoded, RnnEncoder
from chatbot.nn.output import Output, SoftmaxOutput
from chatbot.nn.registry import build_attention
from chatbot.nn.rows import Rows
from chatbot.nn.seq2seq import UNK, Seq2Seq, Source, with_ends
from chatbot.nn.sizes import AttentionSizes

SHORTEST = 5
"""How many points questions have at least."""

EMBED = HIDDEN = 128
RECIPE = Recipe(4000, lr=4e-3)

Points = NDArray[np.float64]
"""The points of one question [n, numbers]."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of some points.

    Args:
        numbers: that make a point.
        answer: the positions to say.
        right: whether the positions said answer as well as those to say.
        longest: how many points training shows at most.
        asked: how many points the questions have afterwards.
    """

    numbers: int
    answer: Callable[[Points], list[int]]
    right: Callable[[list[int], list[int]], bool]
    longest: int
    asked: tuple[int, ...]


def ascending(points: Points) -> list[int]:
    """Positions of numbers [n, 1] from the least to the greatest."""
    order: list[int] = np.argsort(points[:, 0]).tolist()
    return order


def hull(points: Points) -> list[int]:
    """The corners of the convex hull, counter-clockwise from the one that stands first among the points.

    Source: Andrew 1979 (monotone chain); where it starts: Vinyals et al. 2015, section 3.1.
    """
    placed = [tuple(point) for point in points.tolist()]
    order = sorted(range(len(placed)), key=placed.__getitem__)
    cycle = _below(placed, order) + _below(placed, order[::-1])
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def _below(placed: Sequence[tuple[float, ...]], order: Sequence[int]) -> list[int]:
    """The chain that has all points on its left, without its last corner."""
    chain: list[int] = []
    for place in order:
        while len(chain) > 1 and _turn(placed[chain[-2]], placed[chain[-1]], placed[place]) <= 0:
            chain.pop()
        chain.append(place)
    return chain[:-1]


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    """Above 0 where a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def same_polygon(said: list[int], wanted: list[int]) -> bool:
    """Whether two lists of corners go round the same polygon, from whichever corner and either way."""
    return len(said) == len(wanted) and _edges(said) == _edges(wanted)


def _edges(cycle: list[int]) -> set[frozenset[int]]:
    return {frozenset(ends) for ends in zip(cycle, cycle[1:] + cycle[:1], strict=True)}


TASKS = {
    "sorting": Task(1, ascending, list.__eq__, 10, (5, 7, 10, 12)),
    "convex hull": Task(2, hull, same_polygon, 50, (5, 10, 50, 100)),
}


@dataclass(frozen=True, slots=True)
class PointSource(Source):
    """Encoded points.

    Shapes: table [batch, ids, embed], what each id is embedded as: those of positions as the point there.
    """

    table: Tensor


class PointNetwork(Seq2Seq):
    """A Seq2Seq whose questions are points and whose words are positions, FIRST the first of them.

    Word j is read, by the encoder and by the decoder, as W p_j + b. Recurrent layers read forwards only and
    additive attention asks with the current state, as in the paper.

    Source: Vinyals et al. 2015, section 2.3.

    Args:
        numbers: that make a point.
    """

    def __init__(self, numbers: int, output: Output) -> None:
        attention = build_attention("additive", "global", AttentionSizes.square(HIDDEN))
        core = RnnCore("lstm", EMBED, HIDDEN, 1, 0.0)
        encoder = RnnEncoder("lstm", EMBED, HIDDEN, 1, 0.0, bidirectional=False)
        decoder = CurrentStateDecoder(core, attention, EMBED, HIDDEN)
        specials = new_embedding(FIRST, EMBED)
        super().__init__(specials, specials, encoder, decoder, output, 0.0)
        self.point = nn.Linear(numbers, EMBED)

    def encode(self, src: Tensor) -> tuple[PointSource, Rows]:
        """Read points [batch, n, numbers] and the end behind them."""
        batch, n, _ = src.shape
        specials = self.src_embedding.weight.expand(batch, -1, -1)
        table = torch.cat([specials, self.point(src)], dim=1)
        ids = with_ends(torch.arange(FIRST, FIRST + n).expand(batch, -1))
        mask = torch.ones_like(ids, dtype=torch.bool)
        encoded: Encoded = self.encoder(_read(table, ids), mask)
        memories = self.decoder.prepare(encoded, mask)
        return PointSource(ids, mask, memories, table), self.decoder.start(encoded, memories)

    def decode(self, tgt: Tensor, source: Source, state: Rows) -> Decoded:
        """Features for what follows each position of ``tgt`` and what was looked at."""
        assert isinstance(source, PointSource)
        decoded: Decoded = self.decoder(_read(source.table, tgt), source.memories, state)
        return decoded


def _read(table: Tensor, ids: Tensor) -> Tensor:
    """The embeddings of ids; a position beyond the points is read as <unk>.

    Shapes: table [batch, ids, embed], ids [batch, length] -> [batch, length, embed]
    """
    known = ids.masked_fill(ids >= table.shape[1], UNK)
    return table.gather(1, known[:, :, None].expand(-1, -1, table.shape[2]))


OUTPUTS: dict[str, Callable[[int], Output]] = {
    "LSTM with attention": lambda positions: SoftmaxOutput(new_embedding(FIRST + positions, EMBED)),
    "pointer network": lambda positions: PointerOutput(FIRST),
}
"""From how many positions training shows to an output."""


def stream(task: Task, recipe: Recipe, seed: int = 0) -> Iterator[Batch]:
    """Endless batches of new questions, each batch with points of one number."""
    random = np.random.default_rng(seed)
    while True:
        n = int(random.integers(SHORTEST, task.longest + 1))
        yield ask(task, random.random((recipe.batch, n, task.numbers)))


def ask(task: Task, questions: Points) -> Batch:
    """Questions [batch, n, numbers] with their answers."""
    made = collate([([EOS], [FIRST + place for place in task.answer(points)]) for points in questions])
    return Batch(torch.from_numpy(questions).float(), made.tgt_in, made.tgt_out, made.words)


@torch.inference_mode()
def answers(network: PointNetwork, questions: Points) -> list[list[int]]:
    """The likeliest position at every step, up to the end or to one more than there are points."""
    source, state = network.eval().encode(torch.from_numpy(questions).float())
    said, steps = torch.full((len(questions), 1), BOS), list[Tensor]()
    ended = torch.zeros_like(said, dtype=torch.bool)
    while not ended.all() and len(steps) <= questions.shape[1]:
        decoded = network.decode(said, source, state)
        said, state = network.logits(decoded, source).argmax(-1, keepdim=True), decoded.state
        steps.append(said)
        ended |= said == EOS
    rows = torch.cat(steps, dim=1).tolist()
    return [[place - FIRST for place in row[: row.index(EOS) if EOS in row else None]] for row in rows]


def accuracy(network: PointNetwork, task: Task, n: int, number: int = 1000, seed: int = 1) -> float:
    """The share of new questions of n points that are answered right."""
    questions = np.random.default_rng([seed, n]).random((number, n, task.numbers))
    wanted = [task.answer(points) for points in questions]
    return sum(map(task.right, answers(network, questions), wanted)) / number


def train(task: Task, output: str, recipe: Recipe, seed: int = 0) -> PointNetwork:
    """A network that has learned a task."""
    torch.manual_seed(seed)
    network = PointNetwork(task.numbers, OUTPUTS[output](task.longest))
    fit(network, stream(task, recipe, seed), recipe)
    return network


def run() -> Table:
    """Both networks on both tasks, asked by the number of points."""
    rows: list[tuple[str | float, ...]] = []
    for name, task in TASKS.items():
        networks = [train(task, output, RECIPE) for output in OUTPUTS]
        for n in task.asked:
            points = f"{n}, never trained" if n > task.longest else f"{n}"
            rows.append((name, points, *(accuracy(network, task, n) for network in networks)))
    return Table(
        "Pointer networks",
        f"Random numbers to sort, {SHORTEST} to {TASKS['sorting'].longest} in training; random points of a "
        f"square whose convex hull is asked for, {SHORTEST} to {TASKS['convex hull'].longest} in training; "
        f"{RECIPE.steps:,} steps of {RECIPE.batch}. The networks differ in their output alone: an id for "
        "each position, or its weight of attention. Vinyals et al. 2015, table 1, after more training: of "
        "hulls of 50 points an LSTM with attention has 38.9 % right and a pointer network 72.6 %; one "
        "trained on 5 to 50 points has 92.0 % right of 5, 87.0 % of 10, 69.6 % of 50 and 50.3 % of 100.",
        ("task", "points", *OUTPUTS),
        tuple(rows),
    )
