"""Saying: what replies look like, beside the true ones and beside those of cheap baselines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.statistics import reply_statistics
from chatbot.corpus.words import words_of
from chatbot.evaluation.bleu import bleu_sums, chrf_sums
from chatbot.evaluation.figure import Figure
from chatbot.evaluation.resampling import Sums, ratio

PEOPLE = "people"
"""Who gave the true replies."""


@dataclass(frozen=True, slots=True)
class Said:
    """Replies of one system.

    Args:
        replies, questions, references: a reply, what it was a reply to, and the true reply, one each.
        known: whether a text is word for word a training reply; None where those are not at hand.
    """

    replies: Sequence[str]
    questions: Sequence[str]
    references: Sequence[str]
    known: Callable[[str], bool] | None = None


def folded(text: str) -> str:
    """A text as copies are told by: upper and lower case and white space make no difference."""
    return " ".join(text.casefold().split())


def entropy(replies: Sequence[str]) -> float:
    """Entropy of the replies, in bits: 0 where all are the same, log₂ n where all n differ.

    H = - Σ_r p(r) log₂ p(r), p(r) the share of the replies that read r. Source: Shannon 1948, section 6.
    """
    counts = Counter(map(folded, replies)).values()
    return sum(count / len(replies) * math.log2(len(replies) / count) for count in counts)


def commonest_share(replies: Sequence[str]) -> float:
    """The share of the replies that the commonest one makes up."""
    return max(Counter(map(folded, replies)).values()) / len(replies)


def _length_ratio(said: Said) -> Sums:
    return ratio(_lengths(said.replies), _lengths(said.references))


def _copies_question(said: Said) -> Sums:
    pairs = zip(said.replies, said.questions, strict=True)
    return ratio(np.array([folded(reply) == folded(question) for reply, question in pairs]))


def _copies_training(said: Said) -> Sums | None:
    known = said.known
    return ratio(np.array([known(reply) for reply in said.replies])) if known else None


def _lengths(texts: Sequence[str]) -> NDArray[np.int64]:
    return np.array([len(words_of(text)) for text in texts], dtype=np.int64)


SUMMED: dict[str, Callable[[Said], Sums | None]] = {
    "bleu": lambda said: bleu_sums(said.replies, said.references),
    "chrf": lambda said: chrf_sums(said.replies, said.references),
    "length_ratio": _length_ratio,
    "question_copied": _copies_question,
    "training_copied": _copies_training,
}
"""Figures that are functions of sums over replies, so that they have an interval and a paired test."""

WHOLE: dict[str, Callable[[Sequence[str]], float]] = {
    "distinct_1": lambda replies: reply_statistics(replies).distinct1,
    "distinct_2": lambda replies: reply_statistics(replies).distinct2,
    "reply_entropy": entropy,
    "commonest_reply": commonest_share,
}
"""Figures of replies as a set. They have no interval: a resample repeats replies, as they count."""

AGAINST_THE_TRUE = {"bleu", "chrf", "length_ratio"}
"""Figures that say nothing of the true replies themselves."""


def figures(said: Said, others: Mapping[str, Sequence[str]], seed: int) -> list[Figure]:
    """The figures of a system's replies.

    Args:
        others: replies of other systems to the same questions, by name; PEOPLE are always among them.
    """
    every = {**others, PEOPLE: said.references}
    found = []
    for name, sums_of in SUMMED.items():
        sums = sums_of(said)
        if sums is None:
            continue
        beside = {
            other: made.value
            for other, replies in every.items()
            if not (other == PEOPLE and name in AGAINST_THE_TRUE)
            and (made := sums_of(Said(replies, said.questions, said.references, said.known))) is not None
        }
        found.append(Figure.of(name, sums, seed, beside))
    for name, measure in WHOLE.items():
        beside = {other: measure(replies) for other, replies in every.items()}
        found.append(Figure(name, measure(said.replies), len(said.replies), None, beside))
    return found
