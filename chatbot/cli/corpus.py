"""``chatbot corpus``: what there is to learn from, one module for each kind of verb."""

from __future__ import annotations

import click

from chatbot.cli.lazy import LazyGroup, Verb

VERBS = {
    "add": Verb(
        "chatbot.cli.corpus_add:add",
        "Turn files into a corpus: chat exports, logs, mail, subtitles, tables, public corpora.",
    ),
    "list": Verb(
        "chatbot.cli.corpus_show:list_", "List the corpora: the built-in ones and those under --corpora."
    ),
    "show": Verb(
        "chatbot.cli.corpus_show:show",
        "Show what is in a corpus: how much, in which languages, the commonest replies, examples.",
    ),
    "check": Verb(
        "chatbot.cli.corpus_check:check",
        "Say what is good and bad about a corpus before anybody spends an hour training on it.",
    ),
    "export": Verb(
        "chatbot.cli.corpus_export:export", "Write a corpus as JSON lines, TSV, parallel text or ChatML."
    ),
    "forget": Verb(
        "chatbot.cli.corpus_forget:forget",
        "Take a person's turns out of a stored corpus and write a receipt.",
    ),
    "remove": Verb("chatbot.cli.corpus_forget:remove", "Delete a stored corpus and what was encoded of it."),
    "formats": Verb(
        "chatbot.cli.corpus_show:formats", "List the formats that files of conversations may be in."
    ),
}
"""Every verb, in the order of the help."""


@click.group(cls=LazyGroup, verbs=VERBS)
def corpus() -> None:
    """Add corpora, look into them, and take care of them."""
