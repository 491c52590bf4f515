"""What ``metrics.jsonl`` of a trained variant tells: its validation curve and its speed."""

from __future__ import annotations

import statistics
from itertools import pairwise
from typing import Any

from chatbot.display.plots import Curve


def words_per_second(events: list[dict[str, Any]]) -> float | None:
    """Words learned from in a second, median over the steps; None below two steps.

    The median leaves out what validations take, which stand between few steps.
    """
    steps = [event for event in events if event.get("event") == "stepped"]
    rates = [
        before["words"] / (after["seconds"] - before["seconds"])
        for before, after in pairwise(steps)
        if after["seconds"] > before["seconds"]
    ]
    return round(statistics.median(rates), 1) if rates else None


def validation_curve(label: str, events: list[dict[str, Any]]) -> Curve:
    """Perplexity per word at each validation, over steps and minutes of training."""
    seconds, points = 0.0, []
    for event in events:
        if event.get("event") == "stepped":
            seconds = event["seconds"]
        elif event.get("event") == "evaluated" and event["perplexity"] is not None:
            points.append((event["step"], seconds / 60, event["perplexity"]))
    return Curve(label, tuple(points))
