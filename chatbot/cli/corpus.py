"""``chatbot corpus``: what there is to learn from.

Texts of a corpus were written by anybody: they reach the terminal without control codes and without
markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chatbot.cli.exits import show_note
from chatbot.cli.options import corpora_option

if TYPE_CHECKING:
    from rich.table import Table

    from chatbot.corpus.library import Corpus, Entry
    from chatbot.corpus.statistics import Statistics

ENDLESS = 1_000_000
"""Columns where there is no terminal: nothing is wrapped, a line is a record."""


@click.group()
def corpus() -> None:
    """List corpora and look into them."""


@corpus.command("list")
@corpora_option
def list_(corpora: Path) -> None:
    """List the corpora: the built-in ones and those under --corpora."""
    from chatbot.corpus.library import list_corpora

    _print(_entries_table(list_corpora(corpora)))


@corpus.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@corpora_option
def show(name: str, as_json: bool, corpora: Path) -> None:
    """Show what is in a corpus: how much, in which languages, the commonest replies, examples.

    NAME is a name that list prints, such as chitchat or chatterbot:english, a name followed by
    :LANGUAGE, or a file of conversations.
    """
    from chatbot.corpus.library import open_corpus
    from chatbot.corpus.statistics import statistics_of
    from chatbot.display.record import json_line

    opened = open_corpus(name, corpora, show_note)
    statistics = statistics_of(opened.conversations())
    if as_json:
        record = {"name": opened.name, "origin": opened.origin, "sha256": opened.sha256}
        click.echo(json_line(record | statistics.to_json()))
    else:
        _print(*_tables(opened, statistics))


def _entries_table(entries: list[Entry]) -> Table:
    table = _table("corpus", "kind", "conversations", "turns", "languages", "origin")
    for entry in entries:
        counts = ("", "") if entry.fault else (f"{entry.conversations:,}", f"{entry.turns:,}")
        about = f"cannot be used: {entry.fault}" if entry.fault else entry.origin
        _add(table, entry.name, entry.kind, *counts, ", ".join(entry.languages), about)
    return table


def _tables(opened: Corpus, statistics: Statistics) -> list[Table]:
    return [
        _facts_table(opened, statistics),
        _replies_table(statistics),
        _examples_table(statistics),
    ]


def _facts_table(opened: Corpus, statistics: Statistics) -> Table:
    cleaning, replies = statistics.cleaning, statistics.replies
    languages = ", ".join(f"{share.name} {share.share:.0%}" for share in statistics.languages)
    table = _table(opened.name, "")
    _add(table, "origin", opened.origin)
    _add(table, "conversations", f"{cleaning.conversations:,}, of which {cleaning.one_turn:,} got no answer")
    _add(table, "turns", f"{cleaning.turns:,} of {statistics.words_per_turn:.1f} words on average")
    _add(table, "pairs", f"{cleaning.kept:,}, after {cleaning.duplicates:,} duplicates were left out")
    _add(table, "languages", languages)
    _add(table, "distinct-1", f"{replies.distinct1:.3f}")
    _add(table, "distinct-2", f"{replies.distinct2:.3f}")
    return table


def _replies_table(statistics: Statistics) -> Table:
    table = _table("commonest replies", "times", "share")
    for reply in statistics.replies.commonest:
        _add(table, reply.name, f"{reply.count:,}", f"{reply.share:.2%}")
    return table


def _examples_table(statistics: Statistics) -> Table:
    table = _table("example: said", "reply")
    for pair in statistics.examples:
        _add(table, " / ".join(pair.src), pair.tgt)
    return table


NUMBERS = {"conversations", "turns", "times", "share"}


def _table(*headings: str) -> Table:
    """An empty table without lines, numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    from chatbot.display.text import printable

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        table.add_column(
            Text(printable(heading)), justify="right" if heading in NUMBERS else "left", overflow="fold"
        )
    return table


def _add(table: Table, *cells: str) -> None:
    """A row of plain texts: no markup, no control codes."""
    from rich.text import Text

    from chatbot.display.text import printable

    table.add_row(*(Text(printable(cell)) for cell in cells))


def _print(*tables: Table) -> None:
    """Print tables to stdout, a blank line between two, no line ending in spaces."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = ENDLESS
    with console.capture() as capture:
        for position, table in enumerate(tables):
            if position:
                console.print()
            console.print(table)
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))
