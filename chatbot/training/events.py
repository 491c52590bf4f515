"""What a training run tells while it goes on. Displays, metrics files and tests consume these."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chatbot.display.heatmaps import Map


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at an optimiser step (0: before the first)."""

    step: int

    def to_json(self) -> dict[str, Any]:
        """The object of one line of ``metrics.jsonl``."""
        record: dict[str, Any] = finite(dataclasses.asdict(self))
        return {"event": type(self).__name__.lower(), **record}


def finite(value: Any) -> Any:
    """The value with null wherever JSON has no number: infinity, and what is no number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class Prepared(Event):
    """The data is ready: what was kept, dropped and held out."""

    summary: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stepped(Event):
    """One optimiser update.

    Args:
        progress: share of the run that is done, 0 to 1.
        epoch: passes over the training pairs, with the fraction of the current one.
        loss: nats per token, without what label smoothing and attention add to the objective.
        lr: the learning rate of the step.
        gradient_norm: before clipping.
        words: white-space words of the replies in the batch, ends counted.
        seconds: training time so far.
        gauges: what the attention tells of itself, averaged over the batch; for most attentions nothing.
    """

    progress: float
    epoch: float
    loss: float
    lr: float
    gradient_norm: float
    words: int
    seconds: float
    gauges: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evaluated(Event):
    """A validation.

    Args:
        loss: nats per token, corpora weighted as in the mix.
        perplexity: per word, of the same.
        best: it is the best so far, in what ``--stop-on`` says.
        corpora: perplexity per word of each corpus.
        accuracy: share of the tokens that are the likeliest ones.
        averaged: all of this is of the averaged weights, which were better than the weights themselves.
    """

    loss: float
    perplexity: float
    best: bool
    corpora: Mapping[str, float]
    accuracy: float = 0.0
    averaged: bool = False


@dataclass(frozen=True, slots=True)
class Looked(Event):
    """What attention did on held-out pairs; None is what cannot be measured.

    Args:
        entropy, heaviest, moved, mass, gain, gauges: see ``chatbot.evaluation.looking.Looking``.
    """

    entropy: float | None
    heaviest: float | None
    moved: float | None
    mass: float | None
    gain: float | None
    gauges: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Sampled(Event):
    """Replies to a few validation questions.

    Args:
        samples: question and reply of each.
        maps: what the words of each reply looked at, None where that is nothing; () where nobody wants to see
            it. They are for pictures, and no part of ``metrics.jsonl``.
    """

    samples: tuple[tuple[str, str], ...]
    maps: tuple[Map | None, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The questions and replies."""
        record = Event.to_json(dataclasses.replace(self, maps=()))
        del record["maps"]
        return record


@dataclass(frozen=True, slots=True)
class Saved(Event):
    """The training state, or at the end the checkpoint, is on disk."""

    path: str


@dataclass(frozen=True, slots=True)
class Warned(Event):
    """Something a person should know; training goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Reverted(Warned):
    """The numbers have gone wrong, and the run goes on from the state of an earlier step: what was told of
    later ones happens again, another way."""


@dataclass(frozen=True, slots=True)
class Finished(Event):
    """The run is over.

    Args:
        reason: "done", "early stop", "interrupted" or "diverged".
        best_step: the step whose weights are kept; -1 where no validation chose any.
        seconds: training time.
    """

    reason: str
    best_step: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reported(Event):
    """The kept weights measured on all that was held out.

    Args:
        report: figures by name, see ``chatbot.training.report``.
    """

    report: Mapping[str, Any]
