"""``chatbot corpus export``: a corpus in the forms that other programs read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from chatbot.cli.completion import complete_corpus
from chatbot.cli.corpus_add import PAIR_OPTIONS
from chatbot.cli.exits import show_note
from chatbot.cli.options import config_options, corpora_option, given_options, resolve_config
from chatbot.config import Config
from chatbot.errors import OptionError


@click.command()
@click.argument("name", shell_complete=complete_corpus)
@click.option(
    "--to", "form", metavar="[jsonl|tsv|parallel|chatml]", required=True, help="Form of the output."
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File to write, readable by you alone; parallel writes FILE.src and FILE.tgt.  [default: stdout]",
)
@config_options("reading", *PAIR_OPTIONS)
@corpora_option
def export(name: str, form: str, output: Path | None, corpora: Path, **params: Any) -> None:
    """Write a corpus as JSON lines, TSV, parallel text or ChatML.

    jsonl holds whole conversations, the others clean pairs, as training would see them.
    """
    from chatbot.corpus.clean import Cleaner
    from chatbot.corpus.exporting import FORMS, PAIRS, conversation_records
    from chatbot.corpus.library import open_corpus

    if form not in FORMS:
        raise OptionError("--to", f"no form {form!r}", "choose one of " + ", ".join(FORMS))
    if form == "parallel" and output is None:
        raise OptionError("--to parallel", "writes two files", "name them with --output FILE")
    config = resolve_config(Config(), None, None, given_options(params, "reading", *PAIR_OPTIONS))
    opened = open_corpus(name, corpora, show_note, config.reading)
    if form in PAIRS:
        pairs = Cleaner().pairs(opened.conversations(), opened.options(config.data))
        items: Iterable[Any] = PAIRS[form](pairs)
    else:
        items = conversation_records(opened.conversations())
    paths = [] if output is None else [output]
    if form == "parallel" and output is not None:
        paths = [output.with_name(output.name + ending) for ending in (".src", ".tgt")]
    _write(items, form, paths)
    for path in paths:
        click.echo(str(path))


def _write(items: Iterable[Any], form: str, paths: list[Path]) -> None:
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(_writer(path)) for path in paths] or [click.echo]
        for item in items:
            lines = list(_lines(item, form))
            for write, line in zip(writers, lines, strict=True):
                write(line)


def _lines(item: Any, form: str) -> Iterator[str]:
    from chatbot.display.record import json_line
    from chatbot.display.text import printable

    if form == "tsv":
        yield "\t".join(printable(side) for side in item)
    elif form == "parallel":
        yield from (printable(side) for side in item)
    else:
        yield json_line(item)


@contextlib.contextmanager
def _writer(path: Path) -> Iterator[Callable[[str], None]]:
    from chatbot.files import atomic_writer

    with atomic_writer(path) as out:

        def write(line: str) -> None:
            out.write(line.encode() + b"\n")

        yield write
