"""Board: a run's figures, its sample replies and what they looked at, as TensorBoard events."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.display.heatmaps import draw_pixels
from chatbot.display.text import printable
from chatbot.errors import OptionError
from chatbot.files import private_folder, write_error
from chatbot.training.events import Evaluated, Event, Looked, Reverted, Sampled, Stepped

NO_PICTURES = "--tensorboard: no pictures of attention without matplotlib: pip install 'chatbot[plots]'"

FIGURES: dict[type[Event], tuple[str, ...]] = {
    Stepped: ("loss", "lr", "gradient_norm", "epoch"),
    Evaluated: ("loss", "perplexity", "accuracy"),
    Looked: ("entropy", "heaviest", "moved", "mass", "gain"),
}
"""Numbers of an event that are shown, each by its name; what the event holds by name besides comes along."""

GROUPS: dict[type[Event], str] = {Stepped: "train", Evaluated: "validation", Looked: "attention"}


class Writer(Protocol):
    """What is asked of ``torch.utils.tensorboard.SummaryWriter``."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """A number at a step."""

    def add_text(self, tag: str, text_string: str, global_step: int) -> None:
        """A text in Markdown at a step."""

    def add_image(
        self, tag: str, img_tensor: NDArray[np.uint8], global_step: int, *, dataformats: str
    ) -> None:
        """A picture at a step, whose axes are named: "HWC" is height, width, colour."""

    def close(self) -> None:
        """Everything is on disk."""


def writer_class() -> Callable[..., Writer]:
    """torch's writer of events.

    Raises:
        OptionError: the package behind it is not installed.
    """
    try:
        module = importlib.import_module("torch.utils.tensorboard")
    except ImportError:
        what = "the package tensorboard is not installed"
        raise OptionError("--tensorboard", what, "pip install 'chatbot[tensorboard]'") from None
    found: Callable[..., Writer] = module.SummaryWriter
    return found


def folder_of(folder: str, name: str) -> Path | None:
    """Where the events of a run go: TensorBoard lays the folders in one folder side by side.

    Args:
        folder: of --tensorboard; "" where nothing is wanted.
        name: of the checkpoint.
    """
    return Path(folder) / name if folder else None


@contextmanager
def board(where: Path | None, since: int | None) -> Iterator[Callable[[Event], None]]:
    """What shows an event on a board; nothing where none is wanted.

    Args:
        where: the folder of the run's events, see ``folder_of``.
        since: the step a resumed run goes on from: later events are struck out, since they happen again. A
            new run strikes out whatever an earlier one of its name has left.

    Raises:
        OptionError: the package is not installed.
        ChatbotError (of every call too): the disk does not let us write.
    """
    if where is None:
        yield lambda event: None
        return
    folder, make = private_folder(where), writer_class()

    def writing(since: int | None) -> Writer:
        with _told(folder):
            return make(log_dir=str(folder), purge_step=0 if since is None else since + 1)

    writer = writing(since)

    def show(event: Event) -> None:
        nonlocal writer
        with _told(folder):
            if isinstance(event, Reverted):
                writer.close()
                writer = writing(event.step)
            for name, value in _figures(event):
                if math.isfinite(value):
                    writer.add_scalar(f"{GROUPS[type(event)]}/{name}", value, event.step)
            if isinstance(event, Sampled):
                _show_samples(writer, event)

    try:
        yield show
    finally:
        with _told(folder):
            writer.close()


@contextmanager
def _told(where: Path) -> Iterator[None]:
    """A user is told where the disk does not let us write."""
    try:
        yield
    except OSError as error:
        raise write_error(where, error) from error


def _show_samples(writer: Writer, event: Sampled) -> None:
    """Each sample as a text, and as a picture where there is anything to see."""
    for number, (question, reply) in enumerate(event.samples, start=1):
        # Markdown leaves lines behind four blanks as they are.
        text = f"    {printable(question)}\n    -> {printable(reply)}"
        writer.add_text(f"samples/{number}", text, event.step)
    for number, ((question, _), drawn) in enumerate(zip(event.samples, event.maps, strict=False), start=1):
        if drawn is not None and drawn.source and drawn.reply:
            picture = draw_pixels(drawn, question)
            writer.add_image(f"attention of samples/{number}", picture, event.step, dataformats="HWC")


def _figures(event: Event) -> Iterator[tuple[str, float]]:
    """The numbers of an event by name; perplexities of corpora and gauges have their own names."""
    record: Mapping[str, Any] = dataclasses.asdict(event)
    for name in FIGURES.get(type(event), ()):
        if record[name] is not None:
            yield name, record[name]
    inner: Mapping[str, float] = record.get("corpora", {}) if isinstance(event, Evaluated) else {}
    yield from ((f"perplexity of {name}", value) for name, value in inner.items())
    gauges: Mapping[str, float] = record.get("gauges", {}) if type(event) in FIGURES else {}
    yield from gauges.items()
