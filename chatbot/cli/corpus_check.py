"""``chatbot corpus check``: is it worth an hour of training?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from chatbot.cli.completion import complete_corpus
from chatbot.cli.corpus_add import PAIR_OPTIONS
from chatbot.cli.exits import show_note
from chatbot.cli.options import config_options, corpora_option, given_options, resolve_config
from chatbot.config import Config


@click.command()
@click.argument("name", shell_complete=complete_corpus)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a report.")
@config_options("reading", *PAIR_OPTIONS, "data.validation")
@corpora_option
def check(name: str, as_json: bool, corpora: Path, **params: Any) -> None:
    """Say what is good and bad about a corpus before anybody spends an hour training on it.

    NAME is a name that list prints, or a file. Findings are ok, worth a look, or reasons to stop: with one of
    those, training on the corpus needs --force.
    """
    from chatbot.cli.verdict import show_verdict
    from chatbot.corpus.doctor.doctor import examine
    from chatbot.corpus.library import open_corpus
    from chatbot.display.record import json_line

    wanted = given_options(params, "reading", *PAIR_OPTIONS, "data.validation")
    config = resolve_config(Config(), None, None, wanted)
    opened = open_corpus(name, corpora, show_note, config.reading)
    verdict = examine(opened.conversations(), opened.options(config.data))
    if as_json:
        click.echo(json_line({"name": opened.name, "origin": opened.origin} | verdict.to_json()))
    else:
        show_verdict(verdict, opened.name)
