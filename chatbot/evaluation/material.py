"""Material: the texts that checkpoints are evaluated on, and those they learned from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from chatbot.corpus.conversation import Pair
from chatbot.corpus.tally import Tally, fingerprint
from chatbot.evaluation.saying import folded
from chatbot.evaluation.tfidf import TfIdf

LOOKED_UP = 200_000
"""Training pairs that a reply is looked up among, at most; some 100 MB."""

_CHUNK = 4096


class Rereadable(Protocol):
    """Pairs that can be gone through as often as needed."""

    def __iter__(self) -> Iterator[Pair]:
        """The pairs, in the same order each time."""

    def __len__(self) -> int:
        """How many."""


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to evaluate on.

    Args:
        corpora: names, each with its pairs to evaluate on.
        train: training pairs of each corpus, to make baselines of and to know copies by; () where none is at
            hand.
        held_out: nothing of the pairs was learned from.
    """

    corpora: tuple[tuple[str, Rereadable], ...]
    train: tuple[Rereadable, ...]
    held_out: bool

    def training_pairs(self) -> Iterator[Pair]:
        """All training pairs."""
        return (pair for pairs in self.train for pair in pairs)


@dataclass(frozen=True, slots=True)
class Questions:
    """The pairs that figures are made of.

    Args:
        corpora: the name of the corpus each is from.
        left_out: pairs that a system cannot read or say, being too long or empty.
        passed_over: pairs that fit and were not looked at, since enough others were.
    """

    pairs: tuple[Pair, ...]
    corpora: tuple[str, ...]
    left_out: int
    passed_over: int


def chosen(material: Material, fits: Callable[[Sequence[Pair]], Sequence[bool]], most: int) -> Questions:
    """At most so many pairs, spread evenly over all that fit; 0: all. Memory holds no others.

    Args:
        fits: which of some pairs can be used.
    """
    fitting = array("b")
    for _, pairs in material.corpora:
        for chunk in _chunks(iter(pairs)):
            fitting.extend(map(int, fits(chunk)))
    total = sum(fitting)
    number = min(most, total) if most else total
    wanted = {(2 * place + 1) * total // (2 * number) for place in range(number)}
    every = ((name, pair) for name, pairs in material.corpora for pair in pairs)
    found = (item for item, good in zip(every, fitting, strict=True) if good)
    kept = [item for place, item in enumerate(found) if place in wanted]
    return Questions(
        tuple(pair for _, pair in kept),
        tuple(name for name, _ in kept),
        len(fitting) - total,
        total - number,
    )


class Memory:
    """What training pairs tell a baseline: replies by question, which replies there are, the commonest one.

    Args:
        material: with at least one training pair.
    """

    def __init__(self, material: Material) -> None:
        total = sum(map(len, material.train))
        every = -(-total // LOOKED_UP)
        self._tally, counts = Tally(), Counter[str]()
        self._replies: list[str] = []
        questions: list[str] = []
        for number, pair in enumerate(material.training_pairs()):
            text = folded(pair.tgt)
            if self._tally.add(fingerprint(text)) > 1:
                counts[text] += 1  # only what occurs twice can be the commonest
            if number % every == 0:
                questions.append(pair.src[-1])
                self._replies.append(pair.tgt)
        self.index = TfIdf(questions)
        top = max(counts, key=lambda text: counts[text]) if counts else folded(self._replies[0])
        self.commonest = next(p.tgt for p in material.training_pairs() if folded(p.tgt) == top)

    def knows(self, reply: str) -> bool:
        """Whether a text is a training reply, but for case and white space."""
        return self._tally.count(fingerprint(folded(reply))) > 0

    def look_up(self, question: str) -> str:
        """The reply to the training question that is most like a question; the commonest where none is."""
        place = self.index.nearest(question)
        return self.commonest if place is None else self._replies[place]


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, _CHUNK)):
        yield chunk
