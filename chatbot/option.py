"""``option``: a dataclass field that is also a command-line option.

Each room states its options with it, once; ``chatbot.config`` gathers them, and the command line,
``config.json`` and the tables in ``docs/`` are made from what it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any


def option(
    default: Any,
    help: str,  # noqa: A002  the word every command-line library uses
    *,
    unit: str = "",
    choices: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    flag: str = "",
    aliases: Mapping[str, str] | None = None,
    lines: bool = False,
    words: Mapping[str, int] | None = None,
) -> Any:
    """A dataclass field with what a command line needs to know of it.

    Args:
        default: the value when nobody says anything.
        help: one sentence for ``--help`` and the docs.
        unit: what a number counts ("tokens", "minutes").
        choices: the allowed values of a text option.
        low, high: the allowed range of a number, both included.
        flag: the option's name when it is not the field's with dashes.
        aliases: other names of some choices.
        lines: of a list of texts the command line takes a file with one a line; otherwise such an option
            may be given several times.
        words: what may be said in place of a number, each with the number that stands for it and need not
            be in the range; it is what files and pages say.
    """
    metadata = {"help": help, "unit": unit, "choices": choices, "low": low, "high": high, "flag": flag}
    return field(
        default=default, metadata={**metadata, "aliases": aliases or {}, "words": words or {}, "lines": lines}
    )


def span(metadata: Mapping[str, Any]) -> str:
    """The numbers and words an option allows, as a person reads them; "" where any number will do.

    Args:
        metadata: of a field made by ``option``.
    """
    low, high, words = metadata["low"], metadata["high"], metadata["words"]
    if low is None and high is None:
        numbers = ""
    elif high is None:
        numbers = f"at least {low:g}"
    else:
        numbers = f"at most {high:g}" if low is None else f"from {low:g} to {high:g}"
    return " or ".join(filter(None, (*words, numbers)))
