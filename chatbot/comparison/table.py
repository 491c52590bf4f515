"""Results as lines of text: a table where it fits, else a line a figure; replies under it.

variant   loss  perpl.   BLEU  dist-2  words/s  params  entropy   steps
none     4.021   180.2   1.20   0.410   12,345   1.93M            2,000
dot      3.877   150.7   1.95   0.472   11,020   1.93M    0.412   2,000
ntm      failed: model: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatbot.comparison.outcome import Figures, Outcome, Results
from chatbot.display.text import printable
from chatbot.display.width import fitted, width

ENDLESS = 1_000_000
"""Columns where there is no terminal."""

LEAST = 20
"""Columns below which nothing gets narrower."""

NARROWEST = 12
"""Columns that the variants need at least, or there is no table."""

GAP = "  "
INDENT = "  "
VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class Column:
    """One figure: its heading in a table, its whole name, and how it is written."""

    heading: str
    name: str
    cell: Callable[[Figures], str]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _millions(count: int) -> str:
    """A count in three digits: 812, 81.2k, 8.12M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            return f"{count / size:.3g}{unit}" if count < 1000 * size else f"{count / size:,.0f}{unit}"
    return str(count)


COLUMNS = (
    Column("loss", "loss, nats per token", lambda f: _number(f.loss, ".3f")),
    Column("perpl.", "perplexity per word", lambda f: _number(f.perplexity, ",.1f")),
    Column("BLEU", "BLEU", lambda f: _number(f.bleu, ".2f")),
    Column("dist-2", "distinct-2", lambda f: _number(f.distinct2, ".3f")),
    Column("words/s", "words a second in training", lambda f: _number(f.words_per_second, ",.0f")),
    Column("params", "parameters", lambda f: _millions(f.parameters)),
    Column("entropy", "entropy of attention", lambda f: _number(f.entropy, ".3f")),
    Column("steps", "steps", lambda f: _number(f.steps, ",")),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, and whether it is a heading."""

    text: str
    heading: bool = False


def result_lines(results: Results, columns: int = ENDLESS) -> list[Line]:
    """Figures and replies, no line wider than ``columns`` (20 at least), nothing cut off."""
    columns = max(columns, LEAST)
    fits = columns - sum(len(GAP) + size for size in _sizes(results.worked)) >= NARROWEST
    figures = _table(results, columns) if fits else _blocks(results, columns)
    return figures + _replies(results, columns)


def cells(figures: Figures) -> list[str]:
    """A variant's figures as written in a row."""
    return [column.cell(figures) for column in COLUMNS]


def folded(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, broken at a space or after a dash where there is one."""
    lines = []
    while width(text) > columns:
        end = 1
        while width(text[: end + 1]) <= columns:
            end += 1
        soft = max(text.rfind(" ", 1, end + 1), text.rfind("-", 0, end) + 1)
        end = soft if soft > 0 else end
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, text]


def _sizes(worked: Sequence[Outcome]) -> list[int]:
    rows = [[column.heading for column in COLUMNS], *(cells(o.figures) for o in worked if o.figures)]
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _table(results: Results, columns: int) -> list[Line]:
    """A row a variant; what does not fit goes on below."""
    sizes = _sizes(results.worked)
    room = columns - sum(len(GAP) + size for size in sizes)
    label_width = min(room, max([width(VARIANT), *(width(printable(o.label)) for o in results.outcomes)]))
    heading = [column.heading for column in COLUMNS]
    lines = [Line(_row(VARIANT, heading, label_width, sizes), heading=True)]
    for outcome in results.outcomes:
        labels = folded(printable(outcome.label), label_width)
        if outcome.figures:
            beside = [_row("", cells(outcome.figures), 0, sizes)]
        else:
            beside = [GAP + line for line in folded(_failure(outcome), columns - label_width - len(GAP))]
        for place in range(max(len(labels), len(beside))):
            label, rest = (part[place] if place < len(part) else "" for part in (labels, beside))
            lines.append(Line((fitted(label, label_width) + rest).rstrip()))
    return lines


def _row(label: str, figures: Sequence[str], label_width: int, sizes: Sequence[int]) -> str:
    aligned = (GAP + figure.rjust(size) for figure, size in zip(figures, sizes, strict=True))
    return fitted(label, label_width) + "".join(aligned) if label_width else "".join(aligned)


def _blocks(results: Results, columns: int) -> list[Line]:
    """A line a figure, variant under variant."""
    lines: list[Line] = []
    for outcome in results.outcomes:
        if lines:
            lines.append(Line(""))
        lines += [Line(text, heading=True) for text in folded(printable(outcome.label), columns)]
        told = [_failure(outcome)] if outcome.figures is None else _figure_lines(outcome.figures, columns)
        lines += [Line(text) for one in told for text in _indented(one, columns)]
    return lines


def _figure_lines(figures: Figures, columns: int) -> list[str]:
    named = [(column.name, column.cell(figures)) for column in COLUMNS if column.cell(figures)]
    longest = max(len(column.name) for column in COLUMNS)
    if len(INDENT) + longest + len(GAP) + max(len(cell) for _, cell in named) > columns - len(INDENT):
        return [f"{name}: {cell}" for name, cell in named]
    return [name.ljust(longest) + GAP + cell for name, cell in named]


def _replies(results: Results, columns: int) -> list[Line]:
    """Each question that is shown, and what every variant replies."""
    lines: list[Line] = []
    for place, question in enumerate(results.shown):
        asked = " / ".join(question.text.split("\n"))
        lines += [Line(""), *(Line(text, heading=True) for text in folded(printable(asked), columns))]
        for outcome in results.worked:
            told = f"{printable(outcome.label)}: {printable(outcome.replies[place])}"
            lines += [Line(text) for text in _indented(told, columns)]
    return lines


def _indented(text: str, columns: int) -> list[str]:
    """A paragraph, its further lines a little to the right."""
    first, *rest = folded(text, columns - 2 * len(INDENT))
    return [INDENT + first, *(2 * INDENT + line for line in rest)]


def _failure(outcome: Outcome) -> str:
    return printable(f"failed: {outcome.failure}")
