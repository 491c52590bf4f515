"""What the person at the terminal sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from chatbot.display.maps import MAPS
from chatbot.display.terminal import look_of, styled
from chatbot.display.text import printable, visible
from chatbot.display.why import why_lines
from chatbot.repl.exchange import Exchange
from chatbot.repl.spinner import Spinner
from chatbot.repl.talk import OFF, Talk
from chatbot.repl.wrapping import Wrapping

if TYPE_CHECKING:
    from chatbot.reply import Reply

ANSWER = "bot: "
GAP = 2
"""Columns between a name and what it means."""

NARROWEST = 24
"""Columns that a meaning takes at least; with fewer it stands under its name."""

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

    def waiting(self) -> Spinner:
        """A block that may take a while."""
        return Spinner(self._console)

    def exchange(self, ask: Callable[[Callable[[str], None]], Exchange], talk: Talk) -> None:
        """Show a reply while it is being made, then all that the conversation shows of it.

        Args:
            ask: makes the exchange; what it is given hears the reply piece by piece, where it comes so.
        """
        with self._hearing() as (hear, heard):
            exchange = ask(hear)
        if not heard:
            self._print(Text.assemble((ANSWER, LOUD), printable(exchange.said)))
        self.about(exchange, talk)

    @contextmanager
    def _hearing(self) -> Iterator[tuple[Callable[[str], None], list[str]]]:
        """A function that shows a piece of a reply, and the pieces it was given."""
        heard: list[str] = []
        wrapping = Wrapping(self._console.file.write, self._console.width, len(ANSWER))
        with self.waiting() as spinner:

            def hear(piece: str) -> None:
                spinner.stop()
                if not heard:
                    self._console.print(Text(ANSWER, LOUD), end="")
                heard.append(piece)
                wrapping.add(printable(piece))
                self._console.file.flush()

            try:
                yield hear, heard
            finally:
                if heard:
                    wrapping.flush()
                    self._console.file.write("\n")

    def about(self, exchange: Exchange, talk: Talk) -> None:
        """What the conversation shows of a reply besides its text."""
        if talk.shown.candidates > 1:
            self._candidates(exchange)
        self._looked(exchange, talk)
        if exchange.reply.truncated:
            self.note("The question is longer than this checkpoint reads; only its end was read.")

    def _candidates(self, exchange: Exchange) -> None:
        grid = Table.grid(padding=(0, GAP))
        for justify in ("right", "right", "left"):
            grid.add_column(justify=justify, no_wrap=justify == "right")
        for place, candidate in enumerate(exchange.reply.candidates, start=1):
            cells = (f"{place:4}", f"{candidate.score:.3f}", printable(candidate.reply))
            grid.add_row(*(Text(cell, QUIET) for cell in cells))
        self._console.print(grid)

    def picked(self, exchange: Exchange, talk: Talk) -> None:
        """The candidate that counts from now on, and what the conversation shows of it."""
        self.say(f"Picked: {printable(exchange.said)}")
        self._looked(exchange, talk)

    def _looked(self, exchange: Exchange, talk: Talk) -> None:
        self.why(exchange.counted)
        if talk.shown.attention != OFF:
            self.attention(exchange, talk.shown.attention)

    def attention(self, exchange: Exchange, name: str) -> None:
        """What each word of a reply looked at, as a map."""
        reply = exchange.counted
        if not reply.text:
            return
        if reply.attention is None:
            self.note(
                "The fallback looked at nothing." if reply.fallback else "There is no attention to show."
            )
            return
        for line in MAPS[name](reply.attention, look_of(self._console, os.environ)):
            self._console.print(styled(line), soft_wrap=True)

    def why(self, reply: Reply) -> None:
        """Where a reply comes from: how sure it is, and the training pairs nearest to the question."""
        for line in why_lines(reply):
            bare = line.lstrip(" ")
            self._console.print(Padding(Text(bare, QUIET), (0, 0, 0, len(line) - len(bare)), expand=False))

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
        """A name and what it means, a row each; where that is narrow, one under the other."""
        shown = [(Text(visible(name), LOUD), Text(visible(meaning))) for name, meaning in rows]
        widest = max((name.cell_len for name, _ in shown), default=0)
        if widest + GAP + NARROWEST > self._console.width:
            for name, meaning in shown:
                self._print(name)
                self._console.print(Padding(meaning, (0, 0, 0, 2)))
            return
        grid = Table.grid(padding=(0, GAP))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for name, meaning in shown:
            grid.add_row(name, meaning)
        self._console.print(grid)

    def _print(self, text: Text) -> None:
        self._console.print(text)
