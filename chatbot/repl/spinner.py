"""A sign that something is going on, shown only where it takes a while."""

from __future__ import annotations

import itertools
import threading
from types import TracebackType
from typing import Self

from rich.console import Console

DELAY_SECONDS = 0.2
"""What comes sooner needs no sign."""

FRAME_SECONDS = 0.1
FRAMES, ASCII_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"


class Spinner:
    """Turns at the beginning of the line from when the block has taken ``DELAY_SECONDS`` to its end.

    Nothing is ever written where the console is no terminal, or one that cannot erase.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        utf8 = console.encoding.lower().startswith("utf")
        self._frames = FRAMES if utf8 else ASCII_FRAMES

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._thread = threading.Thread(target=self._turn, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Vanish; may be called again."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _turn(self) -> None:
        if self._over.wait(DELAY_SECONDS):
            return
        for frame in itertools.cycle(self._frames):
            self._write(f"\r{frame}")
            if self._over.wait(FRAME_SECONDS):
                break
        self._write("\r\x1b[K")  # ECMA-48 EL: erase to the end of the line

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()
