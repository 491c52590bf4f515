"""The course of a run, as its ``metrics.jsonl`` tells it: what was told before it was resumed included."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chatbot.display.course import Course, Validation
from chatbot.training.metrics import read_events


def read_course(folder: Path) -> Course:
    """The losses of the run in a checkpoint's folder; what is no number is left out.

    Raises:
        OSError: the file cannot be read.
    """
    minutes = 0.0
    train: list[tuple[int, float]] = []
    validations: list[Validation] = []
    for event in read_events(folder):
        kind = event.get("event")
        if kind == "stepped" and _numbers(event, "step", "loss", "seconds"):
            minutes = event["seconds"] / 60
            train.append((int(event["step"]), float(event["loss"])))
        elif kind == "evaluated" and _numbers(event, "step", "loss", "perplexity"):
            validations.append(_validation(event, minutes))
    return Course(tuple(train), tuple(validations))


def _validation(event: Mapping[str, Any], minutes: float) -> Validation:
    corpora = event.get("corpora")
    named = corpora if isinstance(corpora, Mapping) else {}
    return Validation(
        int(event["step"]),
        minutes,
        float(event["loss"]),
        float(event["perplexity"]),
        bool(event.get("best")),
        {str(name): float(value) for name, value in named.items() if _is_number(value)},
    )


def _numbers(event: Mapping[str, Any], *names: str) -> bool:
    return all(_is_number(event.get(name)) for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
