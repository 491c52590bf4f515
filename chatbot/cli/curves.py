"""The losses of a run: a chart on stderr when it ends, and a picture where one is asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.errors import ChatbotError, CheckpointError, OptionError

if TYPE_CHECKING:
    from rich.console import Console

    from chatbot.display.course import Course

KINDS = ("png", "svg")
"""Files that a picture can be."""

STEM = "training"
"""Name of the picture in a checkpoint's folder, without its ending."""


def show_chart(folder: Path, console: Console) -> None:
    """Print a chart of the losses of the run in a folder; on a terminal alone."""
    if not console.is_terminal:
        return
    from chatbot.display.course import chart
    from chatbot.display.terminal import look_of, styled

    for line in chart(_course(folder), look_of(console, os.environ)):
        console.print(styled(line), soft_wrap=True)


def check_plot(path: Path) -> None:
    """Refuse a picture that cannot be drawn, before anything else is done.

    Raises:
        OptionError: its ending is that of no picture, or matplotlib is not installed.
    """
    if path.suffix.lower().removeprefix(".") not in KINDS:
        raise OptionError("--plot", f"{path} is no picture by its ending", "name a file .png or .svg")
    from chatbot.display.drawing import can_draw

    if not can_draw():
        raise OptionError("--plot", "the package matplotlib is not installed", "pip install 'chatbot[plots]'")


def draw_plot(folder: Path, path: Path) -> None:
    """Draw the losses of the run in a checkpoint's folder.

    Raises:
        CheckpointError: nothing is written down of its steps.
        ChatbotError: the picture cannot be written.
    """
    from chatbot.display.plots import draw_course

    course = _course(folder)
    if not (course.train or course.validations):
        what = "has no metrics.jsonl with steps in it, so no losses to draw"
        raise CheckpointError(str(folder), what, "name a checkpoint that was trained here")
    draw_course(course, folder.resolve().name, path)


def _course(folder: Path) -> Course:
    from chatbot.checkpoint import METRICS
    from chatbot.training.course import read_course

    try:
        return read_course(folder)
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise ChatbotError(str(folder / METRICS), what, "check its permissions") from None
