"""Ctrl-C, SIGTERM and SIGHUP during long work: the first lets it save and end, a second one ends it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

from chatbot.cli.streams import silence_terminals

HANGUP = getattr(signal, "SIGHUP", None)
"""What comes when a terminal or a connection is gone; where there is such a thing."""

SIGNALS = tuple(number for number in (signal.SIGINT, signal.SIGTERM, HANGUP) if number is not None)
"""What a terminal sends, a batch system or a machine that is shut down, and both when they are gone."""


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
        if number == HANGUP:
            silence_terminals()
            if asked:  # it may come from the system and from the shell
                return
        if asked or not stop():
            raise KeyboardInterrupt
        asked = True
        with contextlib.suppress(OSError, RuntimeError):  # stderr is gone, or in the midst of a line
            tell("finishing the step and saving; Ctrl-C again stops at once")

    heeded = [number for number in SIGNALS if not _is_to_be_outlived(number)]
    before = {number: signal.signal(number, handle) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _is_to_be_outlived(number: int) -> bool:
    """Whether somebody (nohup) wants the work to go on without its terminal."""
    return number == HANGUP and signal.getsignal(number) == signal.SIG_IGN
