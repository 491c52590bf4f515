"""The held-out questions every variant is asked, as texts, so that tokenizers may differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from chatbot.config import Config
from chatbot.corpus.clean import Cleaner
from chatbot.corpus.conversation import Pair
from chatbot.corpus.library import Corpus
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.split import is_held_out
from chatbot.training.data import open_all

MOST = 500
"""Questions asked at most, spread evenly over all that are held out."""

T = TypeVar("T")

SHOWN = 3
"""Questions whose replies people see."""

READABLE = range(4, 11)
"""Words of a question that is good to show."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what was replied to it in the corpus."""

    text: str
    reference: str


def open_corpora(names: Sequence[str], library: Path, reading: ReadingOptions | None = None) -> list[Corpus]:
    """The corpora of a comparison, each once; what is odd about one is told when it is trained on.

    Args:
        reading: how files are read.

    Raises:
        CorpusError: one is missing or cannot be used.
    """
    return open_all(names, library, reading or ReadingOptions(), lambda notice: None)


def held_out_questions(corpora: Sequence[Corpus], configs: Sequence[Config]) -> list[Question]:
    """At most ``MOST`` questions that no variant learned from.

    A larger share holds out what a smaller one does and more, so the smallest share of the variants is
    held out in all of them. Where it is nothing, questions of the training pairs are asked. All variants get
    the same question, without the turns before it.
    """
    share = min(config.data.validation for config in configs)
    cleaner = Cleaner()
    held: list[Pair] = []
    rest: list[Pair] = []
    for corpus in corpora:
        options = dataclasses.replace(corpus.options(configs[0].data), context=0)
        for pair in cleaner.pairs(corpus.conversations(), options):
            (held if is_held_out(pair.conversation, share) else rest).append(pair)
    pairs = spread(held if rest and held else held + rest, MOST)
    return [Question(pair.src[-1], pair.tgt) for pair in pairs]


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most so many items, spread evenly over all."""
    if len(items) <= most:
        return list(items)
    return [items[(2 * place + 1) * len(items) // (2 * most)] for place in range(most)]


def shown_rows(questions: Sequence[Question]) -> list[int]:
    """Places of a few questions to show: spread evenly over those of a readable length, if there are any."""
    places = range(len(questions))
    readable = [place for place in places if len(questions[place].text.split()) in READABLE]
    return spread(readable if len(readable) >= SHOWN else places, SHOWN)


def drawn_place(shown: Sequence[Question]) -> int:
    """Which of the questions that are shown is drawn with its attention: the one with most words."""
    return max(range(len(shown)), key=lambda place: len(shown[place].text.split()))
