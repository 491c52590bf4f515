"""How far an evaluation is, on stderr: one line that changes at a terminal, a line a stage elsewhere."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType

from rich.live import Live
from rich.text import Text

from chatbot.cli.progress import note, stderr_console


class Telling:
    """Tells what is being done; a context manager.

    Args:
        quiet: tell nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._console = stderr_console()
        self._stack = ExitStack()
        self._live: Live | None = None
        self._stage = ""

    def __enter__(self) -> Telling:
        if self._console.is_terminal and not self._console.is_dumb_terminal and not self._quiet:
            live = Live(Text(""), console=self._console, refresh_per_second=4, transient=True)
            self._live = self._stack.enter_context(live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def tell(self, stage: str, done: int, total: int) -> None:
        """What is being done, and how much of it is."""
        if self._quiet:
            return
        if self._live is not None:
            share = f" {done:,} of {total:,}" if total else ""
            self._live.update(Text(f"{stage} ...{share}"))
        elif stage != self._stage:
            size = f" ({total:,})" if total else ""
            self._console.print(Text(f"{stage}{size} ..."), soft_wrap=True)
        self._stage = stage

    def note(self, message: str) -> None:
        """A notice."""
        if not self._quiet:
            note(self._console, message)
