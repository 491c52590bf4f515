"""Commands about how replies are searched for, and by which checkpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from chatbot.checkpoint import list_complete
from chatbot.config import BEAM, SAMPLE, Config, DecodingOptions, option_field, option_type
from chatbot.errors import OptionError
from chatbot.repl.commands.command import choice, count
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk

NOTHING = "none"
"""The value of a list of words that is empty."""

SWITCH = {"on": True, "off": False}


def beam(talk: Talk, screen: Screen, argument: str) -> None:
    """Search with so many hypotheses."""
    if argument:
        talk.search("/beam", search=BEAM, beam=count("/beam", argument), beam_groups=1)
    tell_search(talk, screen)


def greedy(talk: Talk, screen: Screen, argument: str) -> None:
    """Take the likeliest token at each step."""
    talk.search("/greedy", search=BEAM, beam=1, beam_groups=1, prune=0.0)
    tell_search(talk, screen)


def sample(talk: Talk, screen: Screen, argument: str) -> None:
    """Draw each token by its probability."""
    changes: dict[str, object] = {"search": SAMPLE}
    if argument:
        changes["temperature"] = _typed("/sample", "temperature", argument)
    talk.search("/sample", **changes)
    tell_search(talk, screen)


def seed(talk: Talk, screen: Screen, argument: str) -> None:
    """Draw as that number says."""
    talk.search("/seed", sample_seed=count("/seed", argument))
    screen.say(f"Replies are drawn with seed {talk.options.sample_seed}.")


def set_option(talk: Talk, screen: Screen, argument: str) -> None:
    """Change one option of the search by its name."""
    name, _, text = argument.partition(" ")
    name = _known(name)
    if not text.strip():
        raise OptionError("/set", f"no value for {_spelt(name)}", f"it is {getattr(talk.options, name)} now")
    talk.search("/set", **{name: _typed("/set", name, text.strip())})
    screen.say(f"{_spelt(name)} is {getattr(talk.options, name)}.")


def settings(talk: Talk, screen: Screen, argument: str) -> None:
    """List all options of the search; those that are not the checkpoint's own are marked."""
    own = dataclasses.asdict(talk.bot.options)
    rows = []
    for name, value in dataclasses.asdict(talk.options).items():
        changed = f"{value}  (the checkpoint's: {own[name]})"
        rows.append((_spelt(name), str(value) if value == own[name] else changed))
    screen.table(rows)


def checkpoint(talk: Talk, screen: Screen, argument: str) -> None:
    """Go on with another checkpoint, or tell which one answers."""
    if argument:
        with screen.waiting():
            talk.switch(argument)
        screen.say(f"{talk.bot.name} answers from now on.")
    else:
        screen.say(f"{talk.bot.name} answers. There are: {', '.join(_checkpoints(talk)) or 'no others'}.")


def context(talk: Talk, screen: Screen, argument: str) -> None:
    """Read questions with so many turns before them."""
    if argument:
        turns = count("/context", argument)
        if turns < 0:
            raise OptionError("/context", f"is {turns}", "say 0 or more")
        talk.turns = turns
    screen.say(f"Each question is read with the {talk.turns} turns before it.")
    if talk.turns and not talk.bot.reads_history:
        screen.note("This checkpoint reads single questions: earlier turns do not change its replies.")


def tell_search(talk: Talk, screen: Screen) -> None:
    """How replies are found now, in a sentence."""
    shown = (
        "the best reply"
        if talk.shown.candidates == 1
        else f"the {talk.shown.candidates} best replies; type a number to pick one"
    )
    screen.say(f"Replies by {search_name(talk.options)}; {shown}.")


def search_name(options: DecodingOptions) -> str:
    """What a search is called."""
    if options.search == SAMPLE:
        return f"sampling at temperature {options.temperature:g}"
    return "greedy search" if options.beam == 1 else f"beam {options.beam}"


def checkpoint_names(talk: Talk, argument: str) -> Iterable[str]:
    """Checkpoints whose name begins so."""
    return (name for name in _checkpoints(talk) if name.startswith(argument))


def option_endings(talk: Talk, argument: str) -> Iterable[str]:
    """Names of options, or the values of one that has a few."""
    name, space, value = argument.partition(" ")
    names = [_spelt(field.name) for field in dataclasses.fields(DecodingOptions)]
    if not space:
        return (each for each in names if each.startswith(name))
    if name not in names:
        return ()
    field = option_field("decoding", name.replace("-", "_"))
    values = field.metadata["choices"] or (tuple(SWITCH) if isinstance(field.default, bool) else ())
    return (f"{name} {each}" for each in values if each.startswith(value.lstrip()))


def _checkpoints(talk: Talk) -> list[str]:
    return [folder.name for folder in list_complete(talk.places.checkpoints)] + ["starter"]


def _known(name: str) -> str:
    """The option of that name, dashes or not.

    Raises:
        OptionError: there is none.
    """
    found = name.removeprefix("--").replace("-", "_")
    names = [field.name for field in dataclasses.fields(DecodingOptions)]
    if found not in names:
        raise OptionError("/set", f"no option {name!r}", "/settings lists them")
    return found


def _typed(where: str, name: str, text: str) -> object:
    """The value of an option, as typed.

    Raises:
        OptionError: it is of another kind.
    """
    kind = option_type("decoding", name)
    if kind is bool:
        return SWITCH[choice(where, text, SWITCH)]
    if kind is str:
        return text
    if kind not in (int, float):
        return tuple(part.strip() for part in text.split(",")) if text != NOTHING else ()
    try:
        return kind(text)
    except ValueError:
        example = getattr(Config().decoding, name)
        raise OptionError(where, f"{text!r} is no number", f"say for example {example}") from None


def _spelt(name: str) -> str:
    return name.replace("_", "-")
