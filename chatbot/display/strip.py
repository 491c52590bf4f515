"""Strip: the question once for each reply word, darker where that word looked.

    fine   how are you
               ###  :

As pictures of image captions do it, with words in the place of the image. Source: Xu et al. 2015, figure 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from chatbot.display.labels import Row, has_context, rows_of, shown, touches, turn_of
from chatbot.display.look import Line, Look, Segment, label
from chatbot.display.reply import ShownAttention
from chatbot.display.width import cut, fitted, width

INDENT, GAP = "  ", "  "
BAR = "| "
"""Between turns."""

SHARE = 3
"""The labels take at most one column of so many."""


def strip_map(attention: ShownAttention, look: Look) -> list[Line]:
    """The question a row, wrapped where it is too long."""
    rows = rows_of(attention)
    if not rows or not attention.source:
        return []
    beside = min(max(width(row.label) for row in rows), look.room // SHARE)
    room = look.room - len(INDENT) - beside - len(GAP)
    places = list(_wrapped(attention, room))
    lines: list[Line] = []
    for row in rows:
        for number, line in enumerate(places):
            name = label(row.label if number == 0 else "", beside)
            lines += _drawn(line, row, look, (Segment(INDENT), name, Segment(GAP)))
    return lines + look.legend()


Place = tuple[str, str, int]
"""What stands before a word, the word, its place in the question."""


def _wrapped(attention: ShownAttention, room: int) -> Iterator[list[Place]]:
    """The words of each line; a blank or a bar before a word is left out at the beginning of a line."""
    line: list[Place] = []
    left, context = room, has_context(attention)
    for place, word in enumerate(attention.source):
        before = _before(attention, place, context)
        text = cut(shown(word.text), room - len(BAR))
        taken = width(before) + width(text)
        if line and taken > left:
            yield line
            line, left, before = [], room, before.lstrip(" ")
            taken = width(before) + width(text)
        line.append((before, text, place))
        left -= taken
    yield line


def _before(attention: ShownAttention, place: int, context: bool) -> str:
    if place == 0:
        return ""
    last, word = attention.source[place - 1], attention.source[place]
    if context and turn_of(last) != turn_of(word):
        return " " + BAR
    return "" if touches(last, word) else " "


def _drawn(line: list[Place], row: Row, look: Look, head: Line) -> list[Line]:
    """One line, or two where the shades stand under the words."""
    stacks = [look.shading.under(text, row.weights[place]) for _, text, place in line]
    columns = sum(width(segment.text) for segment in head)
    drawn: list[Line] = []
    for height in range(len(stacks[0])):
        segments = list(head) if height == 0 else [Segment(fitted("", columns))]
        for (before, _, _), stack in zip(line, stacks, strict=True):
            gap = before if height == 0 else fitted("", width(before))
            segments += [Segment(gap), stack[height]] if gap else [stack[height]]
        drawn.append(tuple(segments))
    return drawn
