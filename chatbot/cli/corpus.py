"""``chatbot corpus``: what there is to learn from, one module for each kind of verb."""

from __future__ import annotations

import click

from chatbot.cli.lazy import LazyGroup

VERBS = {
    "add": "chatbot.cli.corpus_add:add",
    "list": "chatbot.cli.corpus_show:list_",
    "show": "chatbot.cli.corpus_show:show",
    "check": "chatbot.cli.corpus_check:check",
    "export": "chatbot.cli.corpus_export:export",
    "forget": "chatbot.cli.corpus_forget:forget",
    "remove": "chatbot.cli.corpus_forget:remove",
    "formats": "chatbot.cli.corpus_show:formats",
}
"""Where each verb lives, in the order of the help."""


@click.group(cls=LazyGroup, verbs=VERBS)
def corpus() -> None:
    """Add corpora, look into them, and take care of them."""
