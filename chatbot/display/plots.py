"""Curves of training and validation, as PNG and SVG.

Source: Okabe and Ito 2008, "Color Universal Design" (the colours, which people with any kind of colour
vision can tell apart; dashes and labels tell the lines apart without them).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.display.course import Course
from chatbot.display.drawing import GREY, save, save_both, style
from chatbot.display.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 3)))
"""Seven colours and five dashes: 35 curves before one looks like another."""

LABELLED = 7
"""Curves that are labelled at their ends; more get a legend, in the order of their ends."""

THINNED = 150
"""Points that training losses are drawn with; a loss of one step alone says little."""

Point = tuple[int, float, float]
"""Step, minutes of training, perplexity."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Validation perplexity of a run as it goes on."""

    label: str
    points: tuple[Point, ...]


def draw_curves(curves: Sequence[Curve], stem: Path) -> list[Path]:
    """Draw validation perplexity over steps and over minutes, to STEM.png and STEM.svg.

    Returns:
        The files; none where there is no point to draw.
    """
    curves = [curve for curve in curves if curve.points]
    if not curves:
        return []
    with style(curve.label for curve in curves):
        return save_both(_curves_figure(curves), stem)


def draw_course(course: Course, name: str, path: Path) -> None:
    """Draw the losses of a run, and its perplexities on what was held out, to one PNG or SVG.

    Args:
        name: of the checkpoint; it is the title.
    """
    curves = _perplexities(course)
    with style([name, *(curve.label for curve in curves)]):
        save(_course_figure(course, curves, name), path)


def _perplexities(course: Course) -> list[Curve]:
    """Perplexity of all corpora together, and of each where there are several."""
    names = list(dict.fromkeys(name for each in course.validations for name in each.corpora))
    curves = [Curve("all", tuple((v.step, v.minutes, v.perplexity) for v in course.validations))]
    for name in names if len(names) > 1 else ():
        points = ((v.step, v.minutes, v.corpora[name]) for v in course.validations if name in v.corpora)
        curves.append(Curve(name, tuple(points)))
    return [curve for curve in curves if curve.points]


def _course_figure(course: Course, curves: Sequence[Curve], name: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 4.2) if curves else (6.0, 4.2), layout="constrained")
    figure.suptitle(printable(name), x=0.01, ha="left", fontsize=11, fontweight="bold")
    left, *right = figure.subplots(1, 2 if curves else 1, squeeze=False)[0]
    _losses(left, course)
    for axes in right:
        for number, curve in enumerate(curves):
            _line(axes, curve, 0, number)
        axes.set_ylabel("perplexity per word, held out")
        _perplexity_scale(axes, curves)
        if 1 < len(curves) <= LABELLED:
            _label_ends(axes, curves)
        elif len(curves) > LABELLED:
            axes.legend(frameon=False, fontsize=8)
    for axes in (left, *right):
        axes.set_xlabel("steps")
        axes.set_xlim(left=0)
        _quiet(axes)
    return figure


def _losses(axes: Axes, course: Course) -> None:
    """Training and validation losses over the steps, the best validation marked."""
    thinned = course.thinned(THINNED)
    axes.plot(
        [step for step, _ in thinned],
        [loss for _, loss in thinned],
        label="training",
        color=COLOURS[0],
        linewidth=1.2,
    )
    validations = course.validations
    losses = Curve("validation", tuple((each.step, each.minutes, each.loss) for each in validations))
    if validations:
        _line(axes, losses, 0, 1)
    if best := course.best:
        at = f"best, step {best.step:,}"
        axes.plot([best.step], [best.loss], "*", color=COLOURS[1], markersize=11, linestyle="", label=at)
    axes.set_ylabel("loss, nats per token")
    axes.legend(frameon=False, fontsize=8)


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


def _quiet(axes: Axes) -> None:
    """A pale grid and no frame but two sides."""
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
