"""The pictures of a comparison: validation curves of all variants, attention maps for one question."""

from __future__ import annotations

from pathlib import Path

from chatbot.comparison.metrics import validation_curve
from chatbot.comparison.outcome import Results
from chatbot.comparison.questions import drawn_place
from chatbot.display.heatmaps import Map, draw_maps
from chatbot.display.plots import draw_curves
from chatbot.training.metrics import read_events

CURVES, MAPS = "compare", "attention"
"""Files of the pictures, without what says that they are PNG or SVG."""


def draw(results: Results, folder: Path) -> list[tuple[str, str]]:
    """Draw what there is.

    Returns:
        Title and file name of each PNG.
    """
    # Variants of one checkpoint have one curve.
    runs = list(dict.fromkeys(outcome.folder for outcome in results.outcomes))
    curves = [validation_curve(run, read_events(folder / run)) for run in runs]
    question = results.shown[drawn_place(results.shown)].text
    drawn = {
        "Validation perplexity": draw_curves(curves, folder / CURVES),
        "Attention": draw_maps(_maps(results), question, folder / MAPS),
    }
    return [(title, files[0].name) for title, files in drawn.items() if files]


def _maps(results: Results) -> list[Map]:
    return [
        Map(
            outcome.label,
            [word["text"] for word in outcome.attention["source"]],
            [word["text"] for word in outcome.attention["reply"]],
            outcome.attention["weights"],
        )
        for outcome in results.worked
        if outcome.attention
    ]
