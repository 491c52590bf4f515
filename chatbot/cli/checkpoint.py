"""``chatbot checkpoint``: the bots that were trained, one module for each kind of verb."""

from __future__ import annotations

import click

from chatbot.cli.lazy import LazyGroup, Verb

VERBS = {
    "list": Verb(
        "chatbot.cli.checkpoint_show:list_",
        "List the checkpoints under --checkpoints, newest first, and the one that comes with the program.",
    ),
    "show": Verb(
        "chatbot.cli.checkpoint_show:show",
        "Show a checkpoint: what made it, its corpora, how good it is, its files and what answers from it.",
    ),
    "verify": Verb(
        "chatbot.cli.checkpoint_care:verify",
        "Check every file of a checkpoint against its manifest; exit status 1 where one is damaged.",
    ),
    "export": Verb(
        "chatbot.cli.checkpoint_care:export",
        "Write a checkpoint's network as ONNX, so that it is answered from without torch.",
    ),
    "remove": Verb(
        "chatbot.cli.checkpoint_care:remove",
        "Delete a checkpoint and all that is needed to go on training it.",
    ),
}
"""Every verb, in the order of the help."""


@click.group(cls=LazyGroup, verbs=VERBS)
def checkpoint() -> None:
    """Look at trained bots, and take care of them."""
