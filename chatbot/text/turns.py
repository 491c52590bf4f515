"""Turns: the text of a question that several turns were said before.

A single turn is itself. Before each of several stands a separator that says who spoke, so that a network
can tell the one it answers from the one it answers for:

    ("how are you", "fine", "really?"), own (False, True, False)
    -> "\\ue000 how are you \\ue001 fine \\ue000 really?"

Separators are private-use characters, and each is one token of every tokenizer that learned from them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

OTHER, OWN = "\ue000", "\ue001"
"""In front of what somebody else said, and of what the one who replies said before."""

SEPARATORS = (OTHER, OWN)

_TYPED = str.maketrans(dict.fromkeys(SEPARATORS, "\ufffd"))


def source_text(src: Sequence[str], own: Sequence[bool] = ()) -> str:
    """The turns before a reply as one text, oldest first.

    Args:
        own: which of them were said by the one who replies; () where none was.
    """
    if len(src) == 1:
        return typed(src[0])
    spoken = own or (False,) * len(src)
    return " ".join(f"{SEPARATORS[mine]} {typed(text)}" for text, mine in zip(src, spoken, strict=True))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token of a source is from.

    Args:
        turn: 0 for the question, -1 for the turn before it, and so on.
        start, end: its half-open character range in that turn's text as typed; a separator has that of the
            token behind it, since it says something of the turn it stands in front of.
    """

    turn: int
    start: int
    end: int


def alternating(turns: int) -> tuple[bool, ...]:
    """Which of so many turns were said by the one who replies, when two talk in turn.

    The last of them is the question, which somebody else asked.
    """
    return tuple(bool(before % 2) for before in reversed(range(turns)))


def places(src: Sequence[str], offsets: Sequence[tuple[int, int]]) -> list[Place]:
    """Where tokens of ``source_text(src)`` are from.

    Args:
        offsets: of the tokens in that text, to its end.
    """
    if len(src) == 1:
        return [Place(0, start, end) for start, end in offsets]
    begins = [0]  # of each turn: where its separator stands
    for text in src:
        begins.append(begins[-1] + len(text) + 3)
    found: list[Place] = []
    for start, end in reversed(offsets):
        at = max(start, end - 1)  # a token may take the space before it along
        turn = bisect_right(begins, at, hi=len(src)) - 1
        if at == begins[turn]:
            found.append(found[-1])
        else:
            first = begins[turn] + 2
            found.append(Place(turn - len(src) + 1, max(0, start - first), max(0, end - first)))
    return found[::-1]


def legible(src: Sequence[str]) -> str:
    """Turns on one line, for people."""
    return " / ".join(src)


def typed(text: str) -> str:
    """What somebody typed, with U+FFFD for each separator, so that nobody can forge one.

    The length does not change.
    """
    return text.translate(_TYPED) if has_separator(text) else text


def has_separator(text: str) -> bool:
    """Whether there is a separator in a text."""
    return OTHER in text or OWN in text
