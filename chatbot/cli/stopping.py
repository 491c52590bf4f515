"""Ctrl-C during long work: the first lets it save and end, a second one ends it at once."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stopping(stop: Callable[[], bool], tell: Callable[[str], None]) -> Iterator[None]:
    """Ask work to end when Ctrl-C is typed.

    Args:
        stop: asks; False where nothing can be saved and the work may end at once.
        tell: is handed a line for the person who typed it.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        if not stop():
            raise KeyboardInterrupt
        tell("finishing the step and saving; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
