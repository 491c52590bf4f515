"""The commands of a conversation: one table that help, completion and dispatch are made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from chatbot.config import BEAM
from chatbot.errors import OptionError
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk

SLASH = "/"
SWITCH = {"on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Command:
    """Something typed with a slash in front.

    Args:
        name: with its slash; matched whole.
        argument: how its argument is written in the help; "" where it takes none, in brackets where
            it may be left out.
        help: what it does, for the help and the completion.
        handler: does it; gets the argument, "" where none was given. EOFError ends the conversation.
        words: the arguments there are, where they can be counted.
    """

    name: str
    argument: str
    help: str
    handler: Callable[[Talk, Screen, str], None]
    words: tuple[str, ...] = ()


def is_command(line: str) -> bool:
    """Whether a line is a command; one that starts with two slashes is not."""
    line = line.lstrip()
    return line.startswith(SLASH) and not line.startswith(SLASH * 2)


def as_question(line: str) -> str:
    """What a line that is no command asks: itself, without the first of two slashes."""
    return line.lstrip()[1:] if line.lstrip().startswith(SLASH * 2) else line


def dispatch(line: str, talk: Talk, screen: Screen) -> None:
    """Carry out a command.

    Raises:
        OptionError: no such command, or not with that argument.
        EOFError: the conversation is over.
    """
    name, *rest = line.split(maxsplit=1)
    argument = "".join(rest).strip()
    command = next((one for one in COMMANDS if one.name == name), None)
    if command is None:
        raise OptionError(name, "no such command", _advice(name))
    if argument and not command.argument:
        raise OptionError(name, f"takes no {argument!r}", f"type {name} alone")
    command.handler(talk, screen, argument)


def _advice(name: str) -> str:
    near = get_close_matches(name, [one.name for one in COMMANDS], n=3)
    meant = f"did you mean {' or '.join(near)}?" if near else "/help lists the commands"
    return f"{meant} To say it, type /{name}"


def _help(talk: Talk, screen: Screen, argument: str) -> None:
    screen.table((f"{one.name} {one.argument}".strip(), one.help) for one in COMMANDS)
    screen.say("Start with // to say something that begins with a slash.")


def _attention(talk: Talk, screen: Screen, argument: str) -> None:
    if argument and argument not in SWITCH:
        raise OptionError("/attention", f"no {argument!r}", "say on or off")
    talk.attention = SWITCH.get(argument, not talk.attention)
    screen.say(f"Attention is {'shown' if talk.attention else 'not shown'}.")


def _beam(talk: Talk, screen: Screen, argument: str) -> None:
    if argument:
        talk.search("/beam", search=BEAM, beam=_count("/beam", argument), beam_groups=1)
    _tell_search(talk, screen)


def _greedy(talk: Talk, screen: Screen, argument: str) -> None:
    talk.search("/greedy", search=BEAM, beam=1, beam_groups=1)
    _tell_search(talk, screen)


def _candidates(talk: Talk, screen: Screen, argument: str) -> None:
    if argument:
        talk.show_candidates("/candidates", _count("/candidates", argument))
    _tell_search(talk, screen)


def _tell_search(talk: Talk, screen: Screen) -> None:
    beam = "greedy search (beam 1)" if talk.options.beam == 1 else f"beam {talk.options.beam}"
    beam = beam if talk.options.search == BEAM else "sampling"
    shown = "the best reply" if talk.candidates == 1 else f"the {talk.candidates} best replies"
    screen.say(f"Replies by {beam}; {shown} shown.")


def _checkpoint(talk: Talk, screen: Screen, argument: str) -> None:
    settings = dataclasses.asdict(talk.options).items()
    screen.table(
        [("checkpoint", talk.bot.name)]
        + [(key.replace("_", "-"), _written(value)) for key, value in settings]
    )


def _written(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _clear(talk: Talk, screen: Screen, argument: str) -> None:
    talk.memory.clear()
    screen.say("What was said before is forgotten.")


def _quit(talk: Talk, screen: Screen, argument: str) -> None:
    raise EOFError


def _count(where: str, argument: str) -> int:
    try:
        return int(argument)
    except ValueError:
        raise OptionError(where, f"{argument!r} is no whole number", f"say for example {where} 4") from None


COMMANDS = (
    Command("/help", "", "show this list", _help),
    Command("/attention", "[on|off]", "show what each reply word looked at", _attention, tuple(SWITCH)),
    Command("/beam", "[N]", "search with N hypotheses side by side", _beam),
    Command("/greedy", "", "take the likeliest token at each step, as /beam 1", _greedy),
    Command("/candidates", "[N]", "show the N best replies with their scores", _candidates),
    Command("/checkpoint", "", "tell which checkpoint answers, and how", _checkpoint),
    Command("/clear", "", "forget what was said before", _clear),
    Command("/quit", "", "leave, as Ctrl-D does", _quit),
)
"""Every command there is, in the order of the help."""
