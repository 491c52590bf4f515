"""An evaluation as tables on stdout: a section a table, a figure a row, plain on a pipe."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from chatbot.cli.tables import add, show, table
from chatbot.display.text import printable

if TYPE_CHECKING:
    from chatbot.evaluation.audit import Audit, Exposure
    from chatbot.evaluation.evaluating import Evaluation
    from chatbot.evaluation.figure import Figure

Format = Callable[[float], str]

MANY = 1e6
"""From here on a number is written with an exponent, so that a table keeps within a terminal."""


def _number(value: float) -> str:
    """Three or four digits that matter."""
    if math.isinf(value):
        return "inf"
    if abs(value) >= MANY:
        return f"{value:.1e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _share(value: float) -> str:
    return f"{value:.1%}"


def _fraction(value: float) -> str:
    return f"{value:.3f}"


def _milliseconds(value: float) -> str:
    return f"{1000 * value:.0f} ms"


ROWS: dict[str, tuple[str, Format]] = {
    "perplexity_per_word": ("perplexity a word", _number),
    "perplexity_per_character": ("perplexity a character", _number),
    "token_accuracy": ("right tokens", _share),
    "unknown_in_replies": ("unknown, true replies", _share),
    "unknown_in_questions": ("unknown, questions", _share),
    "bleu": ("BLEU", _number),
    "chrf": ("chrF", _number),
    "length_ratio": ("length ratio", _number),
    "question_copied": ("question copied", _share),
    "training_copied": ("training reply copied", _share),
    "distinct_1": ("distinct-1", _fraction),
    "distinct_2": ("distinct-2", _fraction),
    "reply_entropy": ("reply entropy, bits", _number),
    "commonest_reply": ("commonest reply", _share),
    "hits_at_1": ("hits@1 of 20", _share),
    "hits_at_5": ("hits@5 of 20", _share),
    "hits_at_1_informed": ("hits@1, informed", _share),
    "hits_at_5_informed": ("hits@5, informed", _share),
    "entropy": ("entropy, of uniform", _fraction),
    "heaviest": ("heaviest token", _share),
    "moved": ("moved a token", _share),
    "mass": ("weight given", _share),
    "on_punctuation": ("on punctuation", _share),
    "gain": ("question saves, nats", _fraction),
    "token_calibration_error": ("calibration error", _fraction),
    "personal_copied": ("training replies with personal data", _share),
    "personal_given_away": ("personal data given to who asks for it", _share),
    "seconds_median": ("a reply, median", _milliseconds),
    "seconds_90": ("a reply, 90 % within", _milliseconds),
}
"""What each figure is called and how it is written."""

SECTIONS = {
    "predicting": "Predicting the true replies",
    "saying": "What it says",
    "finding": "Finding the true reply among 20",
    "looking": "Where attention looks",
    "calibration": "Whether it is right when it is sure",
    "speed": "Speed, one question at a time",
}

INTERVAL = "95 %"


def show_evaluations(found: Sequence[Evaluation], record: Mapping[str, Any]) -> None:
    """Print one evaluation, or two side by side."""
    click.echo(_opening(found, record))
    for name, title in SECTIONS.items():
        if name not in found[0].sections:
            continue
        click.echo(f"\n{title}")
        part = found[0].sections[name]
        show(_section(part, found, record.get("p", {})) if len(found) > 1 else _alone(part))
    if len(found) == 1 and len(found[0].corpora) > 1:
        click.echo("\nPerplexity a word, by corpus")
        show(_by_corpus(found[0]))
    click.echo(f"\nMean chrF of the replies it is surest of, by their {found[0].sure_by}")
    show(_coverage(found))
    click.echo("\n" + "\n".join(_footnotes(found[0])))


def show_audit(found: Audit) -> None:
    """Print an audit."""
    click.echo(f"Audit of {printable(found.name)}")
    if found.exposure is not None:
        click.echo("\nExposure of canaries, bits")
        show(_exposures(found.exposure))
    else:
        click.echo("\nNo canaries were planted (chatbot train --canaries N): exposure is not known.")
    if found.figures:
        click.echo("\nShare of replies")
        show(_alone(found.figures))
    if found.kinds:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.most_common())
        click.echo(f"\nPersonal data in replies that are training replies word for word: {kinds}")
    if not found.figures:
        click.echo("\nIts corpora are not here, so copies are not known.")


def _exposures(found: Exposure) -> Table:
    """Canaries that were planted and secrets that were not, and what knowing one by heart is."""
    shown = _table("", "mean", "highest", "by heart", "n")
    known = _number(math.log2(found.canaries.space))
    for title, bits in (("planted", found.planted), ("never planted", found.controls)):
        add(shown, title, _number(sum(bits) / len(bits)), _number(max(bits)), known, f"{len(bits):,}")
    return shown


def _opening(found: Sequence[Evaluation], record: Mapping[str, Any]) -> str:
    names = " against ".join(printable(each.name) for each in found)
    corpora = ", ".join(map(printable, found[0].corpora))
    kind = "held-out pairs" if record["held_out"] else "pairs (some or all were learned from)"
    left = [f"{record['left_out']:,} left out, too long or empty"] if record["left_out"] else []
    left += [f"{record['passed_over']:,} not looked at (--limit)"] if record["passed_over"] else []
    more = f"; {'; '.join(left)}" if left else ""
    return f"{names}, on {record['n']:,} {kind} of {corpora}{more}"


def _alone(part: Sequence[Figure]) -> Table:
    """Figures with their intervals and baselines."""
    others = list(dict.fromkeys(name for figure in part for name in figure.baselines))
    intervals = any(figure.interval for figure in part)
    found = _table("", "this bot", *([INTERVAL] if intervals else []), *others, "n")
    for figure in part:
        title, write = _row(figure)
        cells = [_span(figure, write)] if intervals else []
        cells += [write(figure.baselines[name]) if name in figure.baselines else "" for name in others]
        add(found, title, _written(figure, write), *cells, f"{figure.n:,}")
    return found


def _section(part: Sequence[Figure], found: Sequence[Evaluation], p: Mapping[str, float]) -> Table:
    """The figures of two checkpoints with p of the difference, where there is a test."""
    theirs = {figure.name: figure for figure in found[1].figures()}
    spans = [INTERVAL] if any(figure.interval for figure in part) else []
    tests = ["p"] if any(figure.name in p for figure in part) else []
    shown = _table("", found[0].name, *spans, found[1].name, *spans, *tests)
    for figure in part:
        title, write = _row(figure)
        cells = []
        for each in (figure, theirs.get(figure.name)):
            cells += [_written(each, write), *[_span(each, write)] * len(spans)]
        chance = f"{p[figure.name]:.3f}" if figure.name in p else ""
        add(shown, title, *cells, *[chance] * len(tests))
    return shown


def _by_corpus(found: Evaluation) -> Table:
    names = list(next(iter(found.corpora.values()))["perplexity"])
    shown = _table("", *("this bot" if name == "bot" else name for name in names), "n")
    for name, row in found.corpora.items():
        values = [row["perplexity"][each] for each in names]
        cells = [_number(math.inf if value is None else value) for value in values]
        add(shown, name, *cells, f"{row['pairs']:,}")
    return shown


def _coverage(found: Sequence[Evaluation]) -> Table:
    """What replies are worth when only the surest are given."""
    shown = _table("answered", *(f"{share:.0%}" for share, _ in found[0].coverage))
    for each in found:
        add(shown, each.name, *(_number(worth) for _, worth in each.coverage))
    return shown


def _footnotes(found: Evaluation) -> list[str]:
    lines = [f"Measured on {found.machine}."]
    if "finding" not in found.sections:
        lines.append("No hits@k: there are fewer than 20 different replies to draw from.")
    if found.ngram_order:
        lines.append(f"ngram: interpolated Kneser-Ney of order {found.ngram_order} over the same tokens.")
    lines += [f"{name}: {signature}" for name, signature in found.signatures.items()]
    return lines


def _row(figure: Figure) -> tuple[str, Format]:
    return ROWS.get(figure.name, (figure.name, _fraction))


def _written(figure: Figure | None, write: Format) -> str:
    return "-" if figure is None or figure.value is None else write(figure.value)


def _span(figure: Figure | None, write: Format) -> str:
    if figure is None or figure.interval is None:
        return ""
    low, high = figure.interval
    return f"{write(low)}-{write(high)}"


def _table(first: str, *others: str) -> Table:
    found = table(first, *others)
    for column in found.columns[1:]:
        column.justify = "right"
    return found
