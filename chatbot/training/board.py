"""Board: a run's figures as TensorBoard events, under ``tensorboard/`` in the checkpoint's folder."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from chatbot.errors import OptionError
from chatbot.files import private_folder, write_error
from chatbot.training.events import Evaluated, Event, Looked, Reverted, Stepped

FOLDER = "tensorboard"

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


@contextmanager
def board(folder: Path, wanted: bool, since: int | None) -> Iterator[Callable[[Event], None]]:
    """What shows an event on a board; nothing where none is wanted.

    Args:
        folder: of the checkpoint.
        since: the step a resumed run goes on from: later events are struck out, since they happen again.

    Raises:
        OptionError: the package is not installed.
        ChatbotError (of every call too): the disk does not let us write.
    """
    if not wanted:
        yield lambda event: None
        return
    where, make = private_folder(folder / FOLDER), writer_class()

    def writing(since: int | None) -> Writer:
        with _told(where):
            return make(log_dir=str(where), purge_step=None if since is None else since + 1)

    writer = writing(since)

    def show(event: Event) -> None:
        nonlocal writer
        with _told(where):
            if isinstance(event, Reverted):
                writer.close()
                writer = writing(event.step)
            for name, value in _figures(event):
                if math.isfinite(value):
                    writer.add_scalar(f"{GROUPS[type(event)]}/{name}", value, event.step)

    try:
        yield show
    finally:
        with _told(where):
            writer.close()


@contextmanager
def _told(where: Path) -> Iterator[None]:
    """A user is told where the disk does not let us write."""
    try:
        yield
    except OSError as error:
        raise write_error(where, error) from error


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
