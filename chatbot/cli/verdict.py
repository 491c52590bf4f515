"""A verdict on a corpus as a person reads it: findings, worst first, then what was counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from chatbot.cli import tables

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from chatbot.corpus.doctor.facts import Facts, Lengths
    from chatbot.corpus.doctor.findings import Finding, Verdict
    from chatbot.corpus.statistics import Share

WORDS = {"red": ("STOP", "bold red"), "yellow": ("look", "yellow"), "green": ("ok", "green")}
"""What a level is called, and how it is drawn; the word says it all where there is no colour."""

WIDE = 60
"""Columns from which on a finding has room for its name."""

BAR, SHORTEST_BAR, LONGEST_BAR = "#", 4, 20
BESIDE_BARS = 21
"""Columns of a histogram that are no bars: "16-31", two shares and the gaps."""

LONGEST_REPLY = 80
"""Columns of a reply that is shown."""

BESIDE_REPLY = 20
"""Columns of how often it occurs, and the gaps: "1,000,000  100.00%"."""


def show_verdict(verdict: Verdict, name: str, console: Console | None = None) -> None:
    """Print a report on stdout, no line wider than the terminal; on a pipe a line is a record.

    Args:
        console: where to print; stdout where not given.
    """
    from rich.console import Console

    console = console or Console(highlight=False)
    if not console.is_terminal:
        console.width = tables.ENDLESS
    facts = verdict.facts
    parts = [_findings(verdict, console), _counted(facts)]
    if facts.pairs:
        parts += [_histogram(facts, console.width), _commonest(facts, console.width)]
    with console.capture() as capture:
        console.print(_text(f"{name}: {verdict.sentence}"), style="bold")
        for part in parts:
            console.print()
            console.print(part)
    lines = [line.rstrip(" ") for line in capture.get().split("\n")]
    click.echo("\n".join(lines).rstrip("\n"), file=console.file, color=True)


def _findings(verdict: Verdict, console: Console) -> Table:
    """A row a finding: how bad, its name where there is room, what was found and what to do about it."""
    from rich.table import Table

    apart = not console.is_terminal
    named = apart or console.width >= WIDE
    table = Table.grid(padding=(0, 2, 0, 0))
    columns = 1 + named + 1 + apart
    for column in range(columns):
        table.add_column(overflow="fold", no_wrap=column == 0)
    for finding in verdict.findings:
        word, style = WORDS[finding.level]
        cells = [_text(word, style)]
        cells += [_text(finding.name)] if named else []
        if apart:
            cells += [_text(finding.what), _text(finding.remedy)]
        else:
            cells.append(_text("\n".join(_sentences(finding, named)), one_line=False))
        table.add_row(*cells)
    return table


def _sentences(finding: Finding, named: bool) -> Iterator[str]:
    """What was found, beginning with its name where that stands in no column of its own, and the remedy."""
    from chatbot.display.text import printable

    yield printable(finding.what if named else f"{finding.name}: {finding.what}")
    if finding.remedy:
        yield printable(f"-> {finding.remedy}")


def _counted(facts: Facts) -> Table:
    """What was counted, a line a fact."""
    cleaning, close = facts.cleaning, facts.close
    left = ", ".join(f"{count:,} {reason}" for reason, count in cleaning.left_out().items())
    held = f", {facts.held_out:,} of them held out" if facts.held_out else ""
    table = tables.table("counted", "")
    tables.add(table, "conversations", f"{cleaning.conversations:,}, {cleaning.one_turn:,} without reply")
    tables.add(table, "turns", f"{cleaning.turns:,}")
    tables.add(table, "speakers", f"{facts.speakers:,}")
    tables.add(table, "pairs", f"{facts.pairs:,}{held}; left out: {left or 'none'}")
    if not facts.pairs:
        return table
    tables.add(table, "question", _length(facts.questions))
    tables.add(table, "reply", _length(facts.replies))
    sample = facts.sample
    tables.add(table, "characters", f"{sample.characters:,}, of which {sample.rare:,} are rare")
    if close.languages:
        shares = ", ".join(f"{each.name} {each.share:.0%}" for each in close.languages[:5])
        tables.add(table, "languages", f"{shares} of {_told(close.languages):,} texts that can be told")
    if sample.pairs < facts.pairs:
        looked = f"{sample.pairs:,} pairs, {close.pairs:,} of them closely; chosen by a hash"
        tables.add(table, "looked at", looked)
    return table


def _told(shares: tuple[Share, ...]) -> int:
    return sum(each.count for each in shares)


def _length(lengths: Lengths) -> str:
    return f"{lengths.mean:.1f} words on average; 95% have {lengths.most:,} at most"


def _histogram(facts: Facts, columns: int) -> Table:
    """How long questions and replies are, in words, as bars."""
    from chatbot.corpus.doctor.facts import BUCKETS

    bar = max(SHORTEST_BAR, min(LONGEST_BAR, (columns - BESIDE_BARS) // 2))
    table = tables.table("words", "questions", "replies")
    ends = [f"-{end - 1}" if end - 1 > start else "" for start, end in pairwise(BUCKETS)]
    for at, (start, end) in enumerate(zip(BUCKETS, [*ends, "+"], strict=True)):
        tables.add(
            table,
            f"{start}{end}",
            _bar(facts.questions.buckets, at, bar),
            _bar(facts.replies.buckets, at, bar),
        )
    return table


def _bar(counts: tuple[int, ...], at: int, longest: int) -> str:
    """A bar as long as its share of the largest, and its share of all."""
    filled = -(-longest * counts[at] // max(max(counts), 1))  # what there is shows, however little
    return f"{BAR * filled:{longest}} {counts[at] / max(sum(counts), 1):4.0%}"


def _commonest(facts: Facts, columns: int) -> Table:
    from chatbot.display.text import printable
    from chatbot.display.width import cut

    table = tables.table("commonest replies", "times", "share")
    room = min(LONGEST_REPLY, columns - BESIDE_REPLY)
    for reply in facts.commonest:
        shown = cut(printable(reply.name), max(room, 1))
        tables.add(table, shown, f"{reply.count:,}", f"{reply.share:.2%}")
    return table


def _text(text: str, style: str = "", one_line: bool = True) -> Text:
    """Plain text: no markup, no control codes."""
    from rich.text import Text

    from chatbot.display.text import printable

    return Text(printable(text) if one_line else text, style=style)
