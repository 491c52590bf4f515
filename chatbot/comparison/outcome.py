"""Outcome of one variant, Results of all: what ``compare.json`` holds and tables are made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chatbot.comparison.questions import Question

FORMAT = 1
"""Version of ``compare.json``."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of a trained variant.

    Args:
        loss: nats per token, on all that was held out; comparable between equal tokenizers only.
        perplexity: per word, of the same; None where it is infinite.
        bleu: of the replies to the questions, against their references.
        distinct2: of the same replies.
        words_per_second: in training, median over the steps; None where there are too few.
        parameters: of the network.
        entropy: mean entropy of the attention's rows, 0 (one word) to 1 (all alike); None without any.
        steps: optimiser updates.
        minutes: of training.
    """

    loss: float | None
    perplexity: float | None
    bleu: float
    distinct2: float
    words_per_second: float | None
    parameters: int
    entropy: float | None
    steps: int
    minutes: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a variant.

    Args:
        label, folder: of the variant.
        options: those that differ between variants.
        failure: why there are no figures; "" where there are.
        figures: None after a failure.
        replies: to the questions that are shown.
        attention: words and weights of one of these replies, as in ``chatbot chat --json``, or None.
        bleu_signature: what to cite with BLEU.
        fingerprint: of all that the figures hang on; equal ones need not be measured again.
    """

    label: str
    folder: str
    options: Mapping[str, Any]
    failure: str = ""
    figures: Figures | None = None
    replies: tuple[str, ...] = ()
    attention: Mapping[str, Any] | None = None
    bleu_signature: str = ""
    fingerprint: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object of one variant."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, record: Any) -> Outcome | None:
        """Read an object back; None where it is none of ours."""
        try:
            values = dict(record)
            values["figures"] = Figures(**values["figures"]) if values["figures"] else None
            values["replies"] = tuple(values["replies"])
            return cls(**values)
        except (TypeError, KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Results:
    """A comparison as far as it has come.

    Args:
        corpora: as named; none for the default ones.
        questions: how many every variant was asked.
        shown: those whose replies are shown.
        outcomes: in the order of the variants.
    """

    name: str
    command: str
    corpora: tuple[str, ...]
    questions: int
    shown: tuple[Question, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def worked(self) -> list[Outcome]:
        """The outcomes with figures."""
        return [outcome for outcome in self.outcomes if outcome.figures]

    def to_json(self) -> dict[str, Any]:
        """The object in ``compare.json``."""
        return {
            "format": FORMAT,
            "name": self.name,
            "command": self.command,
            "corpora": list(self.corpora),
            "questions": self.questions,
            "shown": [dataclasses.asdict(question) for question in self.shown],
            "variants": [outcome.to_json() for outcome in self.outcomes],
        }


def read_outcomes(record: Any) -> list[Outcome]:
    """The outcomes in an object of ``compare.json``; what cannot be read is none."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return []
    variants = record.get("variants")
    found = map(Outcome.from_json, variants if isinstance(variants, list) else [])
    return [outcome for outcome in found if outcome]
