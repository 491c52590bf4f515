"""Matrix: the heat map of attention, a row for each reply word, a column for each word of the question.

Source: Bahdanau et al. 2015, figure 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatbot.display.labels import Row, has_context, rows_of, shown, turn_name, turns_of
from chatbot.display.look import Line, Look, Segment, label
from chatbot.display.reply import ShownAttention
from chatbot.display.width import fitted, width

SHARE = 3
"""The labels of the rows take at most one column of so many."""

THINNEST = 3
"""Columns of a field: room for a number of hundredths."""


def matrix_map(attention: ShownAttention, look: Look) -> list[Line]:
    """The heat map, in blocks of columns one above the other where it is too wide; turns get their own."""
    rows = rows_of(attention)
    if not rows or not attention.source:
        return []
    beside = min(max(width(row.label) for row in rows), look.room // SHARE)
    room = look.room - beside - 1
    names = [shown(word.text) for word in attention.source]
    lines: list[Line] = []
    for turn, places in turns_of(attention):
        if has_context(attention):
            lines.append((Segment(f"{turn_name(turn)}:"),))
        for block in _blocks(places, names, room):
            lines += [*_block(block, names, rows, look, (beside, room)), ()]
    return lines + look.legend(look.shading.numbers)


def _blocks(places: Sequence[int], names: Sequence[str], room: int) -> Iterator[list[int]]:
    """As many columns as fit side by side."""
    block: list[int] = []
    left = room
    for place in places:
        taken = _columns(names[place], room)
        if block and taken > left:
            yield block
            block, left = [], room
        block.append(place)
        left -= taken
    yield block


def _block(
    places: Sequence[int], names: Sequence[str], rows: Sequence[Row], look: Look, sizes: tuple[int, int]
) -> Iterator[Line]:
    """Args: sizes: columns of the labels beside, and of all fields together."""
    beside, room = sizes
    widths = [_columns(names[place], room) for place in places]
    # One column less than the field, so that a blank sets the next word off.
    words = [
        Segment(fitted(names[place], taken - 1) + " ") for place, taken in zip(places, widths, strict=True)
    ]
    yield (Segment(" " * (beside + 1)), *words)
    for row in rows:
        cells = [
            look.shading.cell(taken, row.weights[place]) for place, taken in zip(places, widths, strict=True)
        ]
        yield (label(row.label, beside), Segment(" "), *cells)


def _columns(name: str, room: int) -> int:
    return min(max(THINNEST, width(name) + 1), room)
