"""Maps: the ways attention is drawn in lines of text, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from chatbot.display.look import PLAIN, Line, Look, Segment, columns_of, plain
from chatbot.display.matrix import matrix_map
from chatbot.display.reply import ShownAttention
from chatbot.display.strip import strip_map
from chatbot.display.words import words_map

Map = Callable[[ShownAttention, Look], list[Line]]

MAPS: dict[str, Map] = {"words": words_map, "strip": strip_map, "matrix": matrix_map}


GUTTER = 3
"""Columns between two maps side by side."""

ABREAST = 38
"""Columns a map needs at least to stand beside another."""


def map_text(attention: ShownAttention, name: str, look: Look) -> list[str]:
    """The lines of a map as they are written to standard output."""
    lines = MAPS[name](attention, look)
    if look.theme == PLAIN:
        return [plain(line) for line in lines]
    from chatbot.display.terminal import coloured

    return [coloured(line) for line in lines]


def columns_abreast(count: int, columns: int) -> int:
    """Columns for each of ``count`` maps side by side; 0 where there is no room for all."""
    each = (columns - GUTTER * (count - 1)) // max(count, 1)
    return each if each >= ABREAST else 0


def abreast(blocks: Sequence[Sequence[Line]], columns: int) -> list[Line]:
    """Blocks of lines, none wider than ``columns``, side by side."""
    lines: list[Line] = []
    for parts in zip_longest(*blocks, fillvalue=()):
        line: list[Segment] = []
        for part in parts:
            line += [*part, Segment(" " * (columns - columns_of(part) + GUTTER))]
        lines.append(tuple(line[:-1]))
    return lines
