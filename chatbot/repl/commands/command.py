"""Command: something typed with a slash in front, and how its argument is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chatbot.errors import OptionError
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk

SLASH = "/"

Endings = Callable[[Talk, str], Iterable[str]]
"""What an argument typed so far may become, each from its beginning."""


def nothing(talk: Talk, argument: str) -> Iterable[str]:
    """For a command whose argument cannot be completed."""
    return ()


@dataclass(frozen=True, slots=True)
class Command:
    """Something typed with a slash in front.

    Args:
        name: with its slash; matched whole.
        argument: how its argument is written in the help; "" where it takes none, in brackets where
            it may be left out.
        help: what it does, for the help and the completion.
        handler: does it; gets the argument, "" where none was given. EOFError ends the conversation.
        endings: what the argument typed so far may become.
    """

    name: str
    argument: str
    help: str
    handler: Callable[[Talk, Screen, str], None]
    endings: Endings = nothing

    def run(self, talk: Talk, screen: Screen, argument: str) -> None:
        """Carry it out.

        Raises:
            OptionError: an argument too many, or one too few.
            EOFError: the conversation is over.
        """
        if argument and not self.argument:
            raise OptionError(self.name, f"takes no {argument!r}", f"type {self.name} alone")
        if not argument and self.argument and not self.argument.startswith("["):
            raise OptionError(self.name, f"lacks {self.argument}", f"type {self.name} {self.argument}")
        self.handler(talk, screen, argument)


def words(*known: str) -> Endings:
    """Endings for an argument that is one of a few words."""

    def endings(talk: Talk, argument: str) -> Iterable[str]:
        return (word for word in known if word.startswith(argument))

    return endings


def count(where: str, argument: str) -> int:
    """The whole number an argument is.

    Raises:
        OptionError: it is none.
    """
    try:
        return int(argument)
    except ValueError:
        raise OptionError(where, f"{argument!r} is no whole number", f"say for example {where} 4") from None


def choice(where: str, argument: str, known: Iterable[str]) -> str:
    """The argument, one of a few words.

    Raises:
        OptionError: it is none of them.
    """
    known = list(known)
    if argument not in known:
        raise OptionError(where, f"no {argument!r}", "say " + ", ".join(known[:-1]) + " or " + known[-1])
    return argument
