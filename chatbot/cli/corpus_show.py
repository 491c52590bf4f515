"""``chatbot corpus list``, ``show`` and ``formats``: what there is to learn from.

Texts of a corpus were written by anybody: they reach the terminal without control codes and without
markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chatbot.cli import tables
from chatbot.cli.completion import complete_corpus
from chatbot.cli.corpus_add import PAIR_OPTIONS
from chatbot.cli.exits import show_note
from chatbot.cli.options import config_options, corpora_option, given_options, resolve_config
from chatbot.config import Config

if TYPE_CHECKING:
    from rich.table import Table

    from chatbot.corpus.library import Corpus, Entry
    from chatbot.corpus.statistics import Statistics


@click.command("list")
@corpora_option
def list_(corpora: Path) -> None:
    """List the corpora: the built-in ones and those under --corpora."""
    from chatbot.corpus.library import list_corpora

    tables.show(_entries_table(list_corpora(corpora)))


@click.command()
@click.argument("name", shell_complete=complete_corpus)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@config_options("reading", *PAIR_OPTIONS)
@corpora_option
def show(name: str, as_json: bool, corpora: Path, **params: Any) -> None:
    """Show what is in a corpus: how much, in which languages, the commonest replies, examples.

    NAME is a name that list prints, such as chitchat or chatterbot:english, a name followed by
    :LANGUAGE, or a file of conversations.
    """
    from chatbot.corpus.library import open_corpus
    from chatbot.corpus.statistics import statistics_of
    from chatbot.display.record import json_line

    config = resolve_config(Config(), None, None, given_options(params, "reading", *PAIR_OPTIONS))
    opened = open_corpus(name, corpora, show_note, config.reading)
    statistics = statistics_of(opened.conversations(), opened.options(config.data))
    if as_json:
        record = {"name": opened.name, "origin": opened.origin, "sha256": opened.sha256}
        click.echo(json_line(record | statistics.to_json()))
    else:
        tables.show(*_tables(opened, statistics))


@click.command()
def formats() -> None:
    """List the formats that files of conversations may be in."""
    from chatbot.corpus.formats import FORMATS

    table = tables.table("format", "what it is", "a line of it")
    for name, known in FORMATS.items():
        tables.add(table, name, known.description, known.example)
    tables.add(table, "parallel", "two files, a line of one for a line of the other: --src A --tgt B", "")
    tables.show(table)


def _entries_table(entries: list[Entry]) -> Table:
    table = tables.table("corpus", "kind", "conversations", "turns", "languages", "origin")
    for entry in entries:
        counts = ("", "") if entry.fault else (f"{entry.conversations:,}", f"{entry.turns:,}")
        about = f"cannot be used: {entry.fault}" if entry.fault else entry.origin
        tables.add(table, entry.name, entry.kind, *counts, ", ".join(entry.languages), about)
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
    table = tables.table(opened.name, "")
    tables.add(table, "origin", opened.origin)
    tables.add(
        table, "conversations", f"{cleaning.conversations:,}, of which {cleaning.one_turn:,} got no answer"
    )
    tables.add(table, "turns", f"{cleaning.turns:,} of {statistics.words_per_turn:.1f} words on average")
    left = ", ".join(f"{count:,} {reason}" for reason, count in cleaning.left_out().items())
    tables.add(table, "pairs", f"{cleaning.kept:,}; left out: {left or 'none'}")
    tables.add(table, "languages", languages)
    tables.add(table, "distinct-1", f"{replies.distinct1:.3f}")
    tables.add(table, "distinct-2", f"{replies.distinct2:.3f}")
    return table


def _replies_table(statistics: Statistics) -> Table:
    table = tables.table("commonest replies", "times", "share")
    for reply in statistics.replies.commonest:
        tables.add(table, reply.name, f"{reply.count:,}", f"{reply.share:.2%}")
    return table


def _examples_table(statistics: Statistics) -> Table:
    table = tables.table("example: said", "reply")
    for pair in statistics.examples:
        tables.add(table, " / ".join(pair.src), pair.tgt)
    return table
