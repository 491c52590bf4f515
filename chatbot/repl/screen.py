"""What the person at the terminal sees."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chatbot.display.maps import MAPS
from chatbot.display.terminal import look_of, styled
from chatbot.display.text import printable, visible
from chatbot.display.why import why_lines

if TYPE_CHECKING:
    from chatbot.repl.talk import Talk
    from chatbot.reply import Reply

ANSWER = "bot: "
QUIET, LOUD = "dim", "bold"


class Screen:
    """Writes replies, tables, notices and errors to a console, wrapped to its width.

    Args:
        quiet: leave out the greeting and the notices.
    """

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet

    def greet(self, name: str) -> None:
        """Who answers, and how to find out more."""
        self.note(f"{name} is listening. /help lists the commands, Ctrl-D leaves.")

    def reply(self, reply: Reply, talk: Talk) -> None:
        """A reply, with as much about it as the conversation shows."""
        self._print(Text.assemble((ANSWER, LOUD), printable(reply.text)))
        if talk.candidates > 1:
            for place, candidate in enumerate(reply.candidates, start=1):
                self._print(Text(f"  {place:2}  {candidate.score:7.3f}  {printable(candidate.reply)}", QUIET))
        if talk.attention and reply.attention is not None:
            for line in MAPS[talk.map](reply.attention, look_of(self._console, os.environ)):
                self._console.print(styled(line), soft_wrap=True)
        elif talk.attention and reply.text and not reply.fallback:
            self.note("This checkpoint has no attention to show.")
        for line in why_lines(reply):
            self._print(Text(line, QUIET))
        if reply.truncated:
            self.note("The question is longer than this checkpoint reads; only its end was read.")

    def say(self, text: str) -> None:
        """A line that was asked for."""
        self._print(Text(visible(text)))

    def note(self, text: str) -> None:
        """A line that was not."""
        if not self._quiet:
            self._print(Text(visible(text), QUIET))

    def error(self, text: str) -> None:
        """What went wrong, on one line."""
        self._console.print(Text(f"Error: {visible(text)}"), soft_wrap=True)

    def table(self, rows: Iterable[tuple[str, str]]) -> None:
        """A name and what it means, a row each."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for name, meaning in rows:
            grid.add_row(Text(name, LOUD), Text(meaning))
        self._console.print(grid)

    def _print(self, text: Text) -> None:
        self._console.print(text)
