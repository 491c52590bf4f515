"""Options whose value may be left out: ``--attention`` and ``--why`` alone, or ``--attention=matrix``.

A value stands behind "=" only, so that what follows the option is never taken for it.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

ALONE = {"--attention": "words", "--why": "3"}
"""What each option alone means."""

MAPS = ("words", "strip", "matrix")
"""The names in ``chatbot.display.maps``, without what it takes to draw them."""


class AloneCommand(click.Command):
    """A command with options of ``ALONE``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with the values that were left out in their places."""
        return super().parse_args(ctx, filled(args, ALONE, self._expecting(ctx)))

    def _expecting(self, ctx: click.Context) -> set[str]:
        """The options that what follows them belongs to."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        names = {name for each in options if not (each.is_flag or each.count) for name in each.opts}
        return names - set(ALONE)


def filled(args: list[str], alone: Mapping[str, str], expecting: set[str]) -> list[str]:
    """The words of a command line, "=value" put to each option of ``alone`` that stands by itself.

    Args:
        alone: the value of each such option.
        expecting: options that take the next word, whatever it looks like.
    """
    found: list[str] = []
    taken = False
    for place, word in enumerate(args):
        if word == "--" and not taken:
            return found + args[place:]
        found.append(f"{word}={alone[word]}" if word in alone and not taken else word)
        taken = not taken and word in expecting
    return found
