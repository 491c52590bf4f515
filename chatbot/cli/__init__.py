"""The command line: a click group whose verbs are imported when they are asked for.

The verbs, their options and the exit codes are described by ``chatbot --help``; what is heavy (torch,
nltk, rich) is imported inside a verb, when it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from chatbot.cli.exits import heed_signals, leave, run
from chatbot.cli.lazy import LazyGroup, Verb
from chatbot.cli.streams import use_utf8

VERBS = {
    "train": Verb("chatbot.cli.train:train", "Train a bot, fine-tune one or go on with a run."),
    "chat": Verb("chatbot.cli.chat:chat", "Talk with a bot."),
    "attend": Verb("chatbot.cli.attend:attend", "Show which words of each TEXT the reply's words looked at."),
    "evaluate": Verb("chatbot.cli.evaluate:evaluate", "Measure how good a bot is."),
    "compare": Verb(
        "chatbot.cli.compare:compare", "Compare attentions, cells or any other options on the same data."
    ),
    "corpus": Verb("chatbot.cli.corpus:corpus", "Add corpora, look into them, and take care of them."),
    "checkpoint": Verb("chatbot.cli.checkpoint:checkpoint", "Look at trained bots, and take care of them."),
    "completion": Verb("chatbot.cli.completion:completion", "Print the script that lets a shell complete."),
}
"""Every verb, in the order of the help."""


VARIABLE = "_CHATBOT_COMPLETE"
"""What click's scripts of ``chatbot completion`` set when they ask for completions."""


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from chatbot import __version__

        click.echo(f"chatbot {__version__}")
        ctx.exit()


def _epilog() -> str:
    return (
        "Exit status: 0 done; 1 something is wrong, told in one line on stderr; 2 wrong usage; "
        "3 a fallback answered --question; 130 Ctrl-C, SIGTERM or SIGHUP; 141 nobody reads the output "
        "any more."
    )


@click.group(cls=LazyGroup, verbs=VERBS, invoke_without_command=True, epilog=_epilog())
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def group(ctx: click.Context) -> None:
    """A chatbot that learns from conversations and shows which words each reply word looked at."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The console script: run the command line and exit.

    Args:
        args: the words after the command's name; those of the process when None.
    """
    use_utf8()
    heed_signals()
    if instruction := os.environ.get(VARIABLE):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(group, {}, "chatbot", VARIABLE, instruction))
    if args is not None:
        sys.exit(run(group, list(args)))
    leave(run(group, sys.argv[1:]))
