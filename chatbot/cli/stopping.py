"""Ctrl-C and SIGTERM during long work: the first lets it save and end, a second one ends it at once."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""What a terminal sends, and what a batch system or a machine that is shut down does."""


@contextlib.contextmanager
def stopping(stop: Callable[[], bool], tell: Callable[[str], None]) -> Iterator[None]:
    """Ask work to end when a signal comes.

    Args:
        stop: asks; False where nothing can be saved and the work may end at once.
        tell: is handed a line for the person who typed it.

    Raises:
        KeyboardInterrupt: the work is to end at once; files are written whole or not at all even then.
    """
    asked = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or not stop():
            raise KeyboardInterrupt
        asked = True
        with contextlib.suppress(OSError, RuntimeError):  # stderr is gone, or in the midst of a line
            tell("finishing the step and saving; Ctrl-C again stops at once")

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
