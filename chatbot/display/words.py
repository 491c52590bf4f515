"""Attention in words: for each word of a reply, the question's words it looked at most.

fine      <-  are 0.62  how 0.25
"""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.display.reply import ShownAttention
from chatbot.display.text import printable
from chatbot.display.width import fitted, width

INDENT, ARROW, GAP = "  ", "  <-  ", "  "
MOST = 3
"""Question words shown for a reply word."""

LEAST = 0.05
"""A second or third word with less weight than this says nothing."""

SHORTEST = 4
"""Columns that a reply word keeps however narrow the terminal."""

NUMBER = len(" 0.62")

Look = list[tuple[str, float]]


def attention_lines(attention: ShownAttention, columns: int = 80) -> list[str]:
    """One line for each reply word, in aligned columns, none wider than ``columns`` (20 at least)."""
    columns = max(columns, 20)
    labels = [printable(word.text) for word in attention.reply]
    sources = [printable(word.text) for word in attention.source]
    if not labels or not sources:
        return []
    looks = [_strongest(sources, row) for row in attention.weights]
    room = columns - len(INDENT) - len(ARROW)
    label = min(_widest(labels), max(SHORTEST, room // 2 - NUMBER, room - NUMBER - _widest_of(looks, 0)))
    cells = _cell_widths(looks, room - label)
    return [
        INDENT + fitted(text, label) + ARROW + _cells(look, cells)
        for text, look in zip(labels, looks, strict=True)
    ]


def _strongest(sources: list[str], row: Sequence[float]) -> Look:
    """The words with most weight, strongest first; of equals the one that comes first."""
    order = sorted(range(len(sources)), key=lambda j: (-row[j], j))[:MOST]
    return [(sources[j], row[j]) for rank, j in enumerate(order) if rank == 0 or row[j] >= LEAST]


def _cell_widths(looks: list[Look], room: int) -> list[int]:
    """Columns for the word in each place, first place first; a place that does not fit is left out."""
    widths = [min(_widest_of(looks, 0), room - NUMBER)]
    left = room - widths[0] - NUMBER
    for rank in range(1, max(map(len, looks))):
        wanted = _widest_of(looks, rank)
        left -= len(GAP) + wanted + NUMBER
        if left < 0:
            break
        widths.append(wanted)
    return widths


def _cells(look: Look, widths: list[int]) -> str:
    # Fewer words than places, or fewer places than words: the shorter of the two ends the line.
    return GAP.join(
        f"{fitted(word, columns)} {weight:.2f}" for (word, weight), columns in zip(look, widths, strict=False)
    )


def _widest_of(looks: list[Look], rank: int) -> int:
    return _widest([look[rank][0] for look in looks if rank < len(look)])


def _widest(texts: list[str]) -> int:
    return max((width(text) for text in texts), default=0)
