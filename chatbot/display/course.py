"""Course: the losses of a run over its steps, and a chart of them in a few lines of a terminal.

Training losses are a line, validations are marks on it, so that no colour is needed to tell them apart.

Source: Unicode Standard, section 21.1, "Braille Patterns" (two by four dots in a character, each a bit);
Okabe and Ito 2008, "Color Universal Design" (the colours).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chatbot.display.look import PLAIN, Line, Look, Segment, columns_of

HIGHEST = 12
"""Lines of a chart at most: heading, field, axis and steps."""

FIELD = 8
"""Lines of its field; fewer where the heading takes more."""

BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the dots of a character, row by row."""

COLOURS = {"light": ("#0072B2", "#D55E00"), "dark": ("#56B4E9", "#E69F00"), PLAIN: ("", "")}
"""Of training and of validation, by theme."""

LINE, MARK, BEST = ".", "o", "*"
"""How training, a validation and the best validation are drawn; the line is of dots where there are any."""

Point = tuple[int, float]
"""A step, and a loss in nats per token."""


@dataclass(frozen=True, slots=True)
class Validation:
    """A validation of a run.

    Args:
        minutes: of training until then.
        loss: nats per token.
        perplexity: per word.
        best: the best so far.
        corpora: perplexity per word of each corpus.
    """

    step: int
    minutes: float
    loss: float
    perplexity: float
    best: bool = False
    corpora: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Course:
    """What a run's losses were, in the order of its steps."""

    train: tuple[Point, ...] = ()
    validations: tuple[Validation, ...] = ()

    @property
    def best(self) -> Validation | None:
        """The validation whose weights are kept."""
        return next((each for each in reversed(self.validations) if each.best), None)

    def thinned(self, most: int) -> list[Point]:
        """At most so many points of training: means over even stretches of steps.

        Each is in the middle of its stretch, the first and the last one at the ends of the run.
        """
        if not self.train:
            return []
        first, last = self.train[0][0], self.train[-1][0]
        stretch = max(1.0, (last - first + 1) / most)

        def place(point: Point) -> int:
            return min(int((point[0] - first) / stretch), most - 1)

        groups = [list(group) for _, group in itertools.groupby(self.train, key=place)]
        means = [sum(loss for _, loss in group) / len(group) for group in groups]
        middles = [(group[0][0] + group[-1][0]) // 2 for group in groups]
        ends = [first, *middles[1:-1], last] if len(groups) > 1 else [first]
        return list(zip(ends, means, strict=True))


@dataclass(frozen=True, slots=True)
class Frame:
    """Where steps and losses lie in a field of so many dots."""

    steps: tuple[int, int]
    losses: tuple[float, float]
    across: int
    down: int

    def column(self, step: int) -> int:
        """The dot of a step, from the left."""
        first, last = self.steps
        return round((step - first) / (last - first) * (self.across - 1))

    def row(self, loss: float) -> int:
        """The dot of a loss, from above."""
        low, high = self.losses
        return round((high - loss) / (high - low) * (self.down - 1))


def chart(course: Course, look: Look) -> list[Line]:
    """The losses over the steps, at most HIGHEST lines of ``look.columns``; none below two steps."""
    steps = [step for step, _ in course.train] + [each.step for each in course.validations]
    if len(set(steps)) < 2:
        return []
    heading = _wrapped(_heading(course, look.theme), look.room)
    high = min(FIELD, HIGHEST - len(heading) - 2)
    fine = look.theme != PLAIN
    points = course.thinned(look.room // 2)  # the losses of neighbouring steps leap
    losses = [loss for _, loss in points] + [each.loss for each in course.validations]
    low, top = min(losses), max(losses)
    top = top if top > low else low + 0.1
    labels = {0: f"{top:.2f}", high // 2: "", high - 1: f"{low:.2f}"}
    beside = max(map(len, labels.values())) + 1
    wide = look.room - beside - 1
    frame = Frame((min(steps), max(steps)), (low, top), wide * (2 if fine else 1), high * (4 if fine else 1))
    rows = _field(points, course, frame, look.theme)
    bar, corner = ("│", "└" + "─" * wide) if fine else ("|", "+" + "-" * wide)
    lines = [
        (Segment(f"{labels.get(number, ''):>{beside - 1}} {bar}"), *cells)
        for number, cells in enumerate(rows)
    ]
    left, right = f"{frame.steps[0]:,}", f"step {frame.steps[1]:,}"
    return [
        *heading,
        *lines,
        (Segment(" " * beside + corner),),
        (Segment(" " * (beside + 1) + left + f"{right:>{max(0, wide - len(left))}}"),),
    ]


def _heading(course: Course, theme: str) -> list[Line]:
    """What is drawn, how each of it is drawn, and where it ended."""
    training, validation = COLOURS[theme]
    parts: list[Line] = [(Segment("loss in nats a token", strong=True),)]
    if course.train:
        end = course.thinned(50)[-1][1]  # one step alone says little
        parts.append((Segment("." * 2, fore=training), Segment(f" training {end:.2f}")))
    if course.validations:
        loss = course.validations[-1].loss
        parts.append((Segment(MARK, fore=validation), Segment(f" validation {loss:.2f}")))
    if best := course.best:
        parts.append(
            (Segment(BEST, fore=validation), Segment(f" best {best.loss:.2f} at step {best.step:,}"))
        )
        parts.append((Segment(f"perplexity {best.perplexity:,.1f} a word"),))
    return parts


def _wrapped(parts: Sequence[Line], room: int) -> list[Line]:
    """The parts side by side, in as many lines as it takes."""
    lines: list[Line] = []
    for part in parts:
        joined = (*lines[-1], Segment("  "), *part) if lines else part
        if lines and columns_of(joined) <= room:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def _field(points: Sequence[Point], course: Course, frame: Frame, theme: str) -> Iterator[list[Segment]]:
    """The rows of the field, each cell a segment."""
    fine = theme != PLAIN
    wide, high = (2, 4) if fine else (1, 1)
    dots = set(_dots(points, frame))
    marks = {(frame.column(v.step) // wide, frame.row(v.loss) // high): MARK for v in course.validations}
    if best := course.best:
        marks[frame.column(best.step) // wide, frame.row(best.loss) // high] = BEST
    training, validation = COLOURS[theme]
    for row in range(frame.down // high):
        cells = []
        for column in range(frame.across // wide):
            if mark := marks.get((column, row)):
                cells.append(Segment(mark, fore=validation, strong=True))
            else:
                text = _braille(dots, column, row) if fine else LINE if (column, row) in dots else " "
                cells.append(Segment(text, fore=training))
        yield cells


def _dots(points: Sequence[Point], frame: Frame) -> Iterator[tuple[int, int]]:
    """The dots of a line through the points, as column and row, with no gap between two columns."""
    places = [(frame.column(step), frame.row(loss)) for step, loss in points]
    yield from places[:1]
    for (left, start), (right, end) in itertools.pairwise(places):
        before = start
        for column in range(left, right + 1):
            share = (column - left) / (right - left) if right > left else 1.0
            row = round(start + (end - start) * share)
            yield from ((column, each) for each in range(min(before, row), max(before, row) + 1))
            before = row


def _braille(dots: set[tuple[int, int]], column: int, row: int) -> str:
    """The character of a cell's dots."""
    bits = sum(
        bit
        for down, pair in enumerate(DOTS)
        for across, bit in enumerate(pair)
        if (2 * column + across, 4 * row + down) in dots
    )
    return chr(BRAILLE + bits) if bits else " "
