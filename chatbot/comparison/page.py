"""``compare.md``: a comparison as a page to read and to pass on."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.comparison.outcome import Outcome, Results
from chatbot.comparison.table import COLUMNS, cells

LEGEND = """\
Loss is in nats per token, perplexity per white-space word, both on all that was held out; BLEU and distinct-2
are of the replies to {questions} of those questions; words a second are the median over the training steps.
Entropy of attention is the mean over the words of these replies, as a share of the highest possible: 0 looks
at one word, 1 at all alike."""


def comparison_page(results: Results, pictures: Sequence[tuple[str, str]]) -> str:
    """The page.

    Args:
        pictures: title and file name of each.
    """
    parts = [
        f"# {_text(results.name)}",
        f"Made by `{results.command}`.",
        _table(results),
        LEGEND.format(questions=results.questions),
        *_signature(results),
        *(f"![{title}]({file})" for title, file in pictures),
        "## What they say",
        *_replies(results),
    ]
    return "\n\n".join(parts) + "\n"


def _table(results: Results) -> str:
    options = list(dict.fromkeys(name for outcome in results.outcomes for name in outcome.options))
    heading = ["variant", *(name.replace("_", "-") for name in options), *(c.name for c in COLUMNS)]
    rule = ["---"] * (1 + len(options)) + ["--:"] * len(COLUMNS)
    rows = [_cells(outcome, options) for outcome in results.outcomes]
    return "\n".join("| " + " | ".join(row) + " |" for row in [heading, rule, *rows])


def _cells(outcome: Outcome, options: Sequence[str]) -> list[str]:
    if outcome.figures:
        figures = cells(outcome.figures)
    else:
        figures = [_text(f"failed: {outcome.failure}"), *[""] * (len(COLUMNS) - 1)]
    return [_text(outcome.label), *(_text(_value(outcome.options[name])) for name in options), *figures]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _signature(results: Results) -> list[str]:
    """What BLEU was computed with, as sacrebleu asks to be cited."""
    found = list(dict.fromkeys(outcome.bleu_signature for outcome in results.worked))
    return [f"BLEU: `{signature}`" for signature in found]


def _replies(results: Results) -> list[str]:
    tables = []
    for place, question in enumerate(results.shown):
        rows = [("variant", "reply"), ("---", "---"), ("*the corpus*", _text(question.reference))]
        rows += [(_text(outcome.label), _text(outcome.replies[place])) for outcome in results.worked]
        table = "\n".join(f"| {label} | {reply} |" for label, reply in rows)
        tables.append(f"**{_text(question.text)}**\n\n{table}")
    return tables


def _text(text: str) -> str:
    """A text as Markdown shows it, on one line."""
    line = " ".join(text.split())
    for mark in "\\|*_`<[":
        line = line.replace(mark, "\\" + mark)
    return line
