"""The command line: a click group whose verbs are imported when they are asked for.

The verbs, their options and the exit codes are described by ``chatbot --help``; what is heavy (torch,
nltk, rich) is imported inside a verb, when it runs.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import click

from chatbot.cli.exits import run
from chatbot.cli.streams import use_utf8

VERBS = {
    "train": "chatbot.cli.train:train",
    "chat": "chatbot.cli.chat:chat",
    "compare": "chatbot.cli.compare:compare",
    "corpus": "chatbot.cli.corpus:corpus",
}
"""Where each verb lives, in the order of the help."""


class LazyGroup(click.Group):
    """A group that knows the names of its verbs and imports a verb when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, or None."""
        if cmd_name not in VERBS:
            return None
        module, _, attribute = VERBS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the first word asks for; a word that is none is told with the verbs there are."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            ctx.fail(f"no verb {args[0]!r} among {', '.join(VERBS)}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from chatbot import __version__

        click.echo(f"chatbot {__version__}")
        ctx.exit()


def _epilog() -> str:
    return (
        "Exit status: 0 done; 1 something is wrong, told in one line on stderr; 2 wrong usage; "
        "3 a fallback answered --question; 130 Ctrl-C, or SIGTERM while training; 141 nobody reads the "
        "output any more."
    )


@click.group(cls=LazyGroup, invoke_without_command=True, epilog=_epilog())
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


def main(args: Sequence[str] | None = None) -> Any:
    """The console script: run the command line and exit.

    Args:
        args: the words after the command's name; those of the process when None.
    """
    use_utf8()
    sys.exit(run(group, list(sys.argv[1:] if args is None else args)))
