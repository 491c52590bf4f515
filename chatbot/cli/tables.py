"""Tables on stdout: no lines, plain texts, numbers to the right; on a pipe a line is a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

ENDLESS = 1_000_000
"""Columns where there is no terminal: nothing is wrapped."""

NUMBERS = {"conversations", "turns", "times", "share", "MB", "perplexity", "pairs", "n-gram", "ratio"}


def table(*headings: str) -> Table:
    """An empty table without lines, numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    from chatbot.display.text import printable

    found = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        found.add_column(
            Text(printable(heading)), justify="right" if heading in NUMBERS else "left", overflow="fold"
        )
    return found


def add(table: Table, *cells: str) -> None:
    """A row of plain texts: no markup, no control codes."""
    from rich.text import Text

    from chatbot.display.text import printable

    table.add_row(*(Text(printable(cell)) for cell in cells))


def show(*tables: Table) -> None:
    """Print tables to stdout, a blank line between two, no line ending in spaces."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = ENDLESS
    with console.capture() as capture:
        for position, each in enumerate(tables):
            if position:
                console.print()
            console.print(each)
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))
