"""``chatbot checkpoint``: the bots that were trained, one module for each kind of verb."""

from __future__ import annotations

import click

from chatbot.cli.lazy import LazyGroup

VERBS = {
    "list": "chatbot.cli.checkpoint_show:list_",
    "show": "chatbot.cli.checkpoint_show:show",
    "verify": "chatbot.cli.checkpoint_care:verify",
    "export": "chatbot.cli.checkpoint_care:export",
    "remove": "chatbot.cli.checkpoint_care:remove",
}
"""Where each verb lives, in the order of the help."""


@click.group(cls=LazyGroup, verbs=VERBS)
def checkpoint() -> None:
    """Look at trained bots, and take care of them."""
