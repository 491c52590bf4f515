"""LazyGroup: a click group whose verbs are imported when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click


class Verb(NamedTuple):
    """A verb that is not imported yet.

    Args:
        place: where it lives, as "module:attribute".
        summary: its line in the group's help, which is the first sentence of its own.
    """

    place: str
    summary: str


class LazyGroup(click.Group):
    """A group that knows the names of its verbs and imports a verb when it is needed.

    Args:
        verbs: by name, in the order of the help.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, Verb], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs, in the order of the help."""
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, or None."""
        if cmd_name not in self._verbs:
            return None
        module, _, attribute = self._verbs[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs in the help; none is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in self._verbs.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the first word asks for; a word that is none is told with the verbs there are."""
        if args and not args[0].startswith("-") and args[0] not in self._verbs:
            ctx.fail(f"no verb {args[0]!r} among {', '.join(self._verbs)}")
        return super().resolve_command(ctx, args)
