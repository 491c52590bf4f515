"""One pair a line: what was said, a tab, the reply. A quote is text here.

A first line of known headings is passed over; the option ``columns`` names other columns than the first two.
"""

from __future__ import annotations

from collections.abc import Iterator

from chatbot.corpus.formats.headings import are_numbers, chosen_columns, pair_columns
from chatbot.corpus.formats.rows import Pairs
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk

_SNIFFED = 50


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield each line as a talk of two messages; lines without a tab are told and left out.

    Raises:
        CorpusError: no line holds a pair, or there is no column as the options name it.
    """
    pairs = Pairs(part, reading, "\t")
    columns = reading.options.columns
    chosen: tuple[int, int] | None = None
    for number, line in reading.lines_of(part):
        if not line.strip():
            continue
        fields = line.split("\t")
        if chosen is None:
            where = f"{part.name}:{number}"
            headed = pair_columns(fields)
            chosen = chosen_columns(columns, fields, where) if columns else headed or (0, 1)
            if headed or (columns and not are_numbers(columns)):
                continue
        if (talk := pairs.of(number, fields, chosen)) is not None:
            yield talk
    pairs.tell()


def looks_like(head: Head) -> bool:
    """At least half of the first lines hold a tab between two texts."""
    lines = head.lines[:_SNIFFED]
    return sum("\t" in line.strip() for line in lines) * 2 >= max(len(lines), 1)
