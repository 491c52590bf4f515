"""Pictures of a comparison, as PNG and SVG: curves of validation, heat maps of attention side by side.

matplotlib draws them; it is the extra ``plots`` and is imported when a picture is asked for.

Source: Okabe and Ito 2008, "Color Universal Design" (the colours, which people with any kind of colour
vision can tell apart; dashes and labels tell the lines apart without them).
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import logging
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.display.text import printable
from chatbot.display.width import cut, width
from chatbot.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 3)))
"""Seven colours and five dashes: 35 curves before one looks like another."""

DOTS = 150
"""Pixels an inch of a PNG."""

LABELLED = 7
"""Curves that are labelled at their ends; more get a legend, in the order of their ends."""

ACROSS = 3
"""Heat maps in a row."""

LONGEST = 14
"""Columns of a word beside a heat map."""

CELL, LETTER = 0.3, 0.078
"""Inches of a word's row or column of a heat map, and of a column of the text beside it."""

HEAD, TITLE, BAR = 0.5, 0.35, 0.9
"""Inches for the question above all heat maps, for the title of each, for the scale on the right."""

MOST_MAPS = 24
"""Heat maps on one picture; further variants are left to ``chatbot attend``."""

GREY = "#555555"

Point = tuple[int, float, float]
"""Step, minutes of training, perplexity."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Validation perplexity of a run as it goes on."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """What the words of a reply looked at.

    Shapes: weights [len(reply), len(source)].
    """

    label: str
    source: Sequence[str]
    reply: Sequence[str]
    weights: Sequence[Sequence[float | None]]


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_curves(curves: Sequence[Curve], stem: Path) -> list[Path]:
    """Draw validation perplexity over steps and over minutes, to STEM.png and STEM.svg.

    Returns:
        The files; none where there is no point to draw.
    """
    curves = [curve for curve in curves if curve.points]
    if not curves:
        return []
    with _style(curve.label for curve in curves):
        return _save(_curves_figure(curves), stem)


def draw_maps(maps: Sequence[Map], question: str, stem: Path) -> list[Path]:
    """Draw heat maps side by side, to STEM.png and STEM.svg; none where there are no words."""
    maps = [one for one in maps if one.source and one.reply][:MOST_MAPS]
    if not maps:
        return []
    words = itertools.chain([question], *([one.label, *one.source, *one.reply] for one in maps))
    with _style(words):
        return _save(_maps_figure(maps, question), stem)


def _curves_figure(curves: Sequence[Curve]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, place, name in ((left, 0, "steps"), (right, 1, "minutes of training")):
        for number, curve in enumerate(curves):
            _line(axes, curve, place, number)
        axes.set_xlabel(name)
        axes.set_xlim(left=0)
        _quiet(axes)
    left.set_ylabel("perplexity per word, held out")
    _perplexity_scale(left, curves)
    if len(curves) <= LABELLED:
        _label_ends(right, curves)
    else:
        order = sorted(range(len(curves)), key=lambda number: -curves[number].points[-1][2])
        handles = [left.lines[number] for number in order]
        figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=8)
    return figure


def _line(axes: Axes, curve: Curve, place: int, number: int) -> None:
    """Args: place: of the horizontal value in a point. number: chooses colour and dash."""
    axes.plot(
        [point[place] for point in curve.points],
        [point[2] for point in curve.points],
        label=printable(curve.label),
        marker="o",
        markersize=2.5,
        **_look(number),
    )


def _look(number: int) -> dict[str, Any]:
    """Colour and dash of a curve."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "linewidth": 1.6,
    }


def _perplexity_scale(axes: Axes, curves: Sequence[Curve]) -> None:
    """A logarithmic scale with its numbers written out."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    values = [value for curve in curves for _, _, value in curve.points]
    axes.set_yscale("log")
    wide = max(values) > 30 * min(values)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if wide else range(1, 10)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Write each curve's label beside its end, pushed apart where they would overlap."""
    ends = [math.log(curve.points[-1][2]) for curve in curves]
    low, high = (math.log(limit) for limit in axes.get_ylim())
    heights = _apart([(end - low) / (high - low) for end in ends], least=0.055)
    for number, (curve, height) in enumerate(zip(curves, heights, strict=True)):
        axes.plot([1.03, 1.1], [height, height], transform=axes.transAxes, clip_on=False, **_look(number))
        axes.text(1.115, height, printable(curve.label), transform=axes.transAxes, va="center", fontsize=9)


def _apart(heights: Sequence[float], least: float) -> list[float]:
    """Heights in the same order from below, at least so far apart; centred where they were, not below 0."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    moved = [heights[number] for number in order]
    for place in range(1, len(moved)):
        moved[place] = max(moved[place], moved[place - 1] + least)
    shift = min(sum(moved) / len(moved) - sum(heights) / len(heights), moved[0])
    found = [0.0] * len(heights)
    for number, height in zip(order, moved, strict=True):
        found[number] = height - shift
    return found


def _maps_figure(maps: Sequence[Map], question: str) -> Figure:
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
            image = _map(axes, one)
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
    return max(len(one.source) * CELL, width(printable(one.label)) * LETTER * 1.3) + 0.2


def _height(one: Map) -> float:
    """Inches of a map's rows and of the words under it; at least what the scale beside it takes."""
    return max(len(one.reply) * CELL + _room(one.source) * 0.87, 1.7)


def _room(words: Iterable[str]) -> float:
    """Inches of the longest word."""
    return 0.25 + LETTER * max(width(_word(word)) for word in words)


def _map(axes: Axes, one: Map) -> Any:
    """One heat map: question words across, reply words down."""
    weights = [[math.nan if weight is None else weight for weight in row] for row in one.weights]
    image = axes.imshow(weights, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_title(printable(one.label), fontsize=10, fontweight="bold", loc="left")
    axes.set_xticks(range(len(one.source)), [_word(word) for word in one.source])
    axes.set_yticks(range(len(one.reply)), [_word(word) for word in one.reply])
    axes.tick_params(length=0, labelsize=8)
    for label in axes.get_xticklabels():
        label.set(rotation=60, ha="right", va="top", rotation_mode="anchor")
    axes.set_xticks([edge - 0.5 for edge in range(len(one.source) + 1)], minor=True)
    axes.set_yticks([edge - 0.5 for edge in range(len(one.reply) + 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1.0)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    return image


def _quiet(axes: Axes) -> None:
    """A pale grid and no frame but two sides."""
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)


def _word(word: str) -> str:
    return cut(printable(word), LONGEST)


def _save(figure: Figure, stem: Path) -> list[Path]:
    """Write both files whole, readable by their owner only."""
    files = []
    for kind, options in (("png", {"dpi": DOTS}), ("svg", {"metadata": {"Date": None}})):
        out = io.BytesIO()
        figure.savefig(out, format=kind, **options)
        path = stem.with_name(f"{stem.name}.{kind}")
        write_atomically(path, out.getvalue())
        files.append(path)
    return files


@contextlib.contextmanager
def _style(texts: Iterable[str]) -> Iterator[None]:
    """Draw with fonts that have every character of the texts, as far as they are installed.

    A character that no font has is drawn as a box; matplotlib is not to say so for each.
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        import matplotlib

        with warnings.catch_warnings(), matplotlib.rc_context():
            warnings.simplefilter("ignore")
            matplotlib.rcdefaults()  # a picture hangs on nobody's matplotlibrc
            matplotlib.rcParams.update(
                {
                    "font.family": _families("".join(texts)),
                    "font.size": 9.5,
                    "text.parse_math": False,  # a dollar is a dollar
                    "svg.hashsalt": "chatbot",  # the same picture, the same file
                    "axes.edgecolor": GREY,
                }
            )
            yield
    finally:
        logger.setLevel(level)


def _families(text: str) -> list[str]:
    """Names of installed fonts, which have every character between them where that is possible."""
    from matplotlib.font_manager import fontManager

    families = ["DejaVu Sans"]
    missing = {ord(char) for char in printable(text) if not char.isspace()}
    fonts = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}

    def order(name: str) -> tuple[bool, bool, bool, str]:
        """The usual font, then plain ones, the one that has nothing but boxes at last."""
        return name != families[0], name.startswith("Last Resort"), "Sans" not in name, name

    for name in sorted(fonts, key=order):
        if not missing:
            break
        found = missing & _characters(fonts[name])
        missing -= found
        if found and name not in families:
            families.append(name)
    return families


def _characters(path: str) -> set[int]:
    """The characters a font file has; none where it cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return set(get_font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return set()
