"""Labels: the words of a map as they are drawn, and the turns of the conversation they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.display.reply import ShownAttention, ShownWord
from chatbot.display.text import printable
from chatbot.display.width import JOINER, width

CARRIER = "◌"
"""Carries a mark that has no letter of its own to stand on (Unicode Standard, section 2.11)."""

END = "(end)"
"""Label of the row that says what the end of the reply looked at."""


def shown(text: str) -> str:
    """A word as it can stand beside anything: printable, on a carrier where it begins with a bare mark."""
    text = printable(text).rstrip(JOINER)
    return text if text and width(text[0]) else CARRIER + text


def turn_of(word: ShownWord) -> int:
    """0 for a word of the question, -1 for one of the turn before it, and so on."""
    return getattr(word, "turn", 0)


def turn_name(turn: int) -> str:
    """What a turn is called."""
    if turn == 0:
        return "question"
    return f"{-turn} turn{'s' if turn < -1 else ''} before"


@dataclass(frozen=True, slots=True)
class Row:
    """What one word of a reply, or its end, looked at."""

    label: str
    weights: Sequence[float]


def rows_of(attention: ShownAttention) -> list[Row]:
    """A row for each word of the reply, and one for its end where the reply came to it."""
    rows = [
        Row(shown(word.text), weights)
        for word, weights in zip(attention.reply, attention.weights, strict=True)
    ]
    end: Sequence[float] = getattr(attention, "end", ())
    return [*rows, Row(END, end)] if rows and end else rows


def turns_of(attention: ShownAttention) -> list[tuple[int, list[int]]]:
    """The turns in their order, each with the places of its words."""
    found: list[tuple[int, list[int]]] = []
    for place, word in enumerate(attention.source):
        if not found or found[-1][0] != turn_of(word):
            found.append((turn_of(word), []))
        found[-1][1].append(place)
    return found


def has_context(attention: ShownAttention) -> bool:
    """Whether there is more to look at than the question."""
    return any(turn_of(word) for word in attention.source)


def touches(before: ShownWord, after: ShownWord) -> bool:
    """Whether two words stand together as typed, with no blank between them."""
    return turn_of(before) == turn_of(after) and before.end == after.start
