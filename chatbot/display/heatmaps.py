"""Heat maps of attention side by side, as PNG and SVG.

Source: Bahdanau et al. 2015, figure 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatbot.display.drawing import save, save_both, style
from chatbot.display.palette import PALETTES
from chatbot.display.text import printable
from chatbot.display.width import cut, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 3
"""Heat maps in a row."""

LONGEST = 14
"""Columns of a word beside a heat map."""

CELL, LETTER = 0.3, 0.078
"""Inches of a word's row or column of a heat map, and of a column of the text beside it."""

HEAD, TITLE, BAR = 0.5, 0.35, 0.9
"""Inches for the question above all heat maps, for the title of each, for the scale on the right."""

MOST_MAPS = 24
"""Heat maps on one picture; further ones are left out."""


@dataclass(frozen=True, slots=True)
class Map:
    """What the words of a reply looked at.

    Shapes: weights [len(reply), len(source)].
    """

    label: str
    source: Sequence[str]
    reply: Sequence[str]
    weights: Sequence[Sequence[float | None]]


def draw_maps(maps: Sequence[Map], question: str, stem: Path) -> list[Path]:
    """Draw heat maps side by side, to STEM.png and STEM.svg; none where there are no words."""
    maps = [one for one in maps if one.source and one.reply][:MOST_MAPS]
    if not maps:
        return []
    with style(words_of(maps, question)):
        return save_both(_maps_figure(maps, question, "light"), stem)


def draw_picture(maps: Sequence[Map], question: str, path: Path, theme: str = "light") -> None:
    """Draw heat maps, at least one and each with words, to one PNG or SVG.

    Args:
        question: what stands above them all.
        theme: light or dark.
    """
    with style(words_of(maps, question), theme):
        save(_maps_figure(maps, question, theme), path)


def draw_pixels(one: Map, question: str) -> NDArray[np.uint8]:
    """A heat map, with words, as the pixels of a picture.

    Shapes: [height, width, 3]; red, green and blue
    """
    with style(words_of([one], question)):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas: Any = FigureCanvasAgg(_maps_figure([one], question, "light"))
        canvas.draw()
        return np.array(canvas.buffer_rgba())[..., :3]


def words_of(maps: Sequence[Map], question: str) -> list[str]:
    """All that is written on a picture."""
    return [question, *(word for one in maps for word in (one.label, *one.source, *one.reply))]


def _maps_figure(maps: Sequence[Map], question: str, theme: str) -> Figure:
    from matplotlib.figure import Figure

    across = math.ceil(len(maps) / math.ceil(len(maps) / ACROSS))
    rows = [maps[start : start + across] for start in range(0, len(maps), across)]
    widths = [max(_width(row[k]) for row in rows if k < len(row)) for k in range(across)]
    heights = [max(map(_height, row)) for row in rows]
    beside = [_room(word for row in rows if k < len(row) for word in row[k].reply) for k in range(across)]
    wide = max(sum(widths) + sum(beside) + BAR, 4.0)
    high = sum(heights) + len(rows) * TITLE + HEAD
    figure = Figure(figsize=(wide, high))
    top = high - HEAD
    for row, height in zip(rows, heights, strict=True):
        left = 0.0
        for one, room, taken in zip(row, beside, widths, strict=False):
            size = (len(one.source) * CELL, len(one.reply) * CELL)
            corner = (left + room, top - TITLE - size[1])
            axes = figure.add_axes((corner[0] / wide, corner[1] / high, size[0] / wide, size[1] / high))
            image = _map(axes, one, theme)
            left += room + taken
        top -= height + TITLE
    bar = figure.add_axes((1 - 0.7 / wide, (high - HEAD - TITLE - 1.5) / high, 0.12 / wide, 1.5 / high))
    colours = figure.colorbar(image, cax=bar)
    colours.outline.set_visible(False)
    bar.set_title("weight", fontsize=8)
    bar.tick_params(labelsize=8)
    figure.text(0.1 / wide, 1 - 0.15 / high, cut(printable(question), int(wide * 10)), va="top", fontsize=11)
    return figure


def _width(one: Map) -> float:
    """Inches of a map's columns, or of its title where that is wider."""
    return max(len(one.source) * CELL, _taken(printable(one.label)) * LETTER * 1.3) + 0.2


def _height(one: Map) -> float:
    """Inches of a map's rows and of the words under it; at least what the scale beside it takes."""
    return max(len(one.reply) * CELL + _room(one.source) * 0.87, 1.7)


def _room(words: Iterable[str]) -> float:
    """Inches of the longest word."""
    return 0.25 + LETTER * max(_taken(_word(word)) for word in words)


def _map(axes: Axes, one: Map, theme: str) -> Any:
    """One heat map: question words across, reply words down."""
    from matplotlib.colors import LinearSegmentedColormap

    palette = PALETTES[theme]
    colours = LinearSegmentedColormap.from_list("weights", palette.shades())
    weights = [[math.nan if weight is None else weight for weight in row] for row in one.weights]
    image = axes.imshow(weights, cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_title(printable(one.label), fontsize=10, fontweight="bold", loc="left")
    axes.set_xticks(range(len(one.source)), [_word(word) for word in one.source])
    axes.set_yticks(range(len(one.reply)), [_word(word) for word in one.reply])
    axes.tick_params(length=0, labelsize=8)
    for label in axes.get_xticklabels():
        label.set(rotation=60, ha="right", va="top", rotation_mode="anchor")
    axes.set_xticks([edge - 0.5 for edge in range(len(one.source) + 1)], minor=True)
    axes.set_yticks([edge - 0.5 for edge in range(len(one.reply) + 1)], minor=True)
    axes.grid(which="minor", color=palette.paper, linewidth=1.0)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    return image


def _taken(text: str) -> int:
    """Columns of a text; marks that a font does not put over their letters take some too."""
    return max(width(text), len(text))


def _word(word: str) -> str:
    return cut(printable(word), LONGEST)
