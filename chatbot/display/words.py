"""Attention in words: for each word of a reply, the question's words it looked at most.

fine      <-  are 0.62  how 0.25
"""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.display.labels import shown, turn_of
from chatbot.display.look import PLAIN, Line, Look, Segment, label, plain, share
from chatbot.display.reply import ShownAttention, ShownWord
from chatbot.display.width import fitted, width

INDENT, ARROW, GAP = "  ", "  <-  ", "  "
MOST = 3
"""Question words shown for a reply word."""

LEAST = 0.05
"""A second or third word with less weight than this says nothing."""

SHORTEST = 4
"""Columns that a reply word keeps however narrow the terminal."""

NUMBER = len(" 0.62")

Strongest = list[tuple[str, float]]
"""Words with their weights, the heaviest first."""


def attention_lines(attention: ShownAttention, columns: int = 80) -> list[str]:
    """One line for each reply word, in aligned columns, none wider than ``columns`` (20 at least)."""
    return [plain(line) for line in words_map(attention, Look(columns, PLAIN))]


def words_map(attention: ShownAttention, look: Look) -> list[Line]:
    """One line for each reply word; words of an earlier turn are marked: "hello (-1)"."""
    names = [shown(word.text) for word in attention.reply]
    sources = [_named(word) for word in attention.source]
    if not names or not sources:
        return []
    looks = [_strongest(sources, row) for row in attention.weights]
    room = look.room - len(INDENT) - len(ARROW)
    beside = min(_widest(names), max(SHORTEST, room // 2 - NUMBER, room - NUMBER - _widest_of(looks, 0)))
    cells = _cell_widths(looks, room - beside)
    return [
        (Segment(INDENT), label(name, beside), Segment(ARROW), *_cells(strongest, cells, look))
        for name, strongest in zip(names, looks, strict=True)
    ]


def _named(word: ShownWord) -> str:
    turn = turn_of(word)
    return f"{shown(word.text)} ({turn})" if turn else shown(word.text)


def _strongest(sources: list[str], row: Sequence[float]) -> Strongest:
    """The words with most weight, strongest first; of equals the one that comes first."""
    order = sorted(range(len(sources)), key=lambda j: (-share(row[j]), j))[:MOST]
    return [(sources[j], row[j]) for rank, j in enumerate(order) if rank == 0 or row[j] >= LEAST]


def _cell_widths(looks: list[Strongest], room: int) -> list[int]:
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


def _cells(strongest: Strongest, widths: list[int], look: Look) -> list[Segment]:
    segments: list[Segment] = []
    # Fewer words than places, or fewer places than words: the shorter of the two ends the line.
    for (word, weight), columns in zip(strongest, widths, strict=False):
        segments += [Segment(GAP)] if segments else []
        segments += [Segment(fitted(word, columns) + " "), look.shading.mark(f"{share(weight):.2f}", weight)]
    return segments


def _widest_of(looks: list[Strongest], rank: int) -> int:
    return _widest([look[rank][0] for look in looks if rank < len(look)])


def _widest(texts: list[str]) -> int:
    return max((width(text) for text in texts), default=0)
