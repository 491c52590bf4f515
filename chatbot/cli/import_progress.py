"""The progress of an import on stderr: a bar with the time left, or a line now and then."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from chatbot.display.text import visible

if TYPE_CHECKING:
    from chatbot.corpus.importing import Import

PLAIN_SECONDS = 15.0
"""On no terminal a line at least so often."""


class ImportProgress:
    """Shows how far an import is.

    Args:
        quiet: show nothing but notices.
    """

    def __init__(self, quiet: bool) -> None:
        self._console = Console(stderr=True, highlight=False)
        live = self._console.is_terminal and not self._console.is_dumb_terminal and not quiet
        self._quiet = quiet
        self._bar = _bar(self._console) if live else None
        self._began = self._told = time.monotonic()
        self._read = self._size = 0
        self._import: Import | None = None

    def __enter__(self) -> ImportProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, imported: Import) -> None:
        """The input is known: from here on there is something to show."""
        self._import, self._size, self._read = imported, imported.size, 0
        self._began = time.monotonic()
        if self._bar is not None:
            self._bar.add_task(f"reading {imported.format}", total=self._size or None)
            self._bar.start()

    def advance(self, count: int) -> None:
        """So many bytes were read."""
        self._read += count
        if self._bar is not None and self._bar.tasks:
            self._bar.update(self._bar.tasks[0].id, completed=min(self._read, self._size))
        elif self._import is not None and not self._quiet:
            self._tell()

    def note(self, message: str) -> None:
        """A notice about the input; it is told even when progress is not."""
        self._console.print(
            Text(f"Note: {visible(message)}", style="yellow"), soft_wrap=not self._console.is_terminal
        )

    def say(self, message: str) -> None:
        """A line of the summary."""
        self._console.print(Text(visible(message)), soft_wrap=not self._console.is_terminal)

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._told < PLAIN_SECONDS or not self._size or not self._read:
            return
        self._told = now
        share = min(self._read / self._size, 1.0)
        left = (now - self._began) * (1 - share) / share
        self.say(f"{share:.0%} read, {int(left) // 60}:{int(left) % 60:02d} left")


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
