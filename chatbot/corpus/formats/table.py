"""Tables: CSV, and TSV with quotes or headings, whose separator is ``,``, ``;``, ``|`` or a tab.

    question,answer            headings of a question and a reply, in several languages: a pair a row
    time;sender;message        headings of a speaker and a text: messages, of several talks where a column
                               names them
    "Hello","Hi"               without such headings: a pair a row, of the first two columns

The option ``columns`` names two others by heading or by number. Rows of a talk must follow each other: a
conversation that comes back after another is a talk of its own, and told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

from chatbot.corpus.formats.headings import (
    Messages,
    are_numbers,
    chosen_columns,
    message_columns,
    pair_columns,
)
from chatbot.corpus.formats.moment import moment
from chatbot.corpus.formats.rows import SEPARATORS, Pairs, Rows
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message, Talk

_SNIFFED = 50
_Row = tuple[int, list[str]]


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each pair, or for each conversation of a table of messages.

    Raises:
        CorpusError: no row holds a pair or a message, or there is no column as the options name it.
    """
    lines = reading.lines_of(part)
    start = list(islice(lines, _SNIFFED))
    separator = _separator([line for _, line in start if line.strip()])
    rows = iter(Rows(chain(start, lines), separator))
    number, header = next(rows, (0, []))
    columns = reading.options.columns
    messages = None if columns else message_columns(header)
    pair = pair_columns(header)
    if messages is not None and pair is None:
        yield from _Talks(part, reading, messages).of(rows)
        return
    if columns:
        chosen = chosen_columns(columns, header, f"{part.name}:{number}")
        headed = pair is not None or not are_numbers(columns)
    else:
        chosen, headed = pair or (0, 1), pair is not None
    yield from _pairs(part, reading, rows if headed else chain([(number, header)], rows), chosen)


def looks_like(head: Head) -> bool:
    """Known headings; or rows of one width, quoted or in a file named so."""
    lines = head.lines[:_SNIFFED]
    if len(lines) < 2:
        return False
    separator = _separator(lines)
    rows = _rows(lines, separator)
    known = _width(rows[0])
    if known:
        return sum(len(row) >= known for row in rows) * 2 > len(rows)
    named = separator != "\t" and ".csv" in [suffix.casefold() for suffix in head.path.suffixes]
    quoted = sum(bool(re.search(_QUOTED[separator], line)) for line in lines) * 2 >= len(rows)
    return (named and _steady(rows) >= 0.5) or (quoted and _steady(rows) >= 0.9)


def _separator(lines: Sequence[str]) -> str:
    """The one that gives known headings, else the one that gives rows of one width most often."""
    rows = {separator: _rows(lines, separator) for separator in SEPARATORS}
    for separator, found in rows.items():
        if found and _width(found[0]):
            return separator
    return max(SEPARATORS, key=lambda separator: _steady(rows[separator]))


def _rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    return [row for _, row in Rows(enumerate(lines), separator)]


def _width(row: Sequence[str]) -> int:
    """How many columns known headings need; 0 where they are not known."""
    if (pair := pair_columns(row)) is not None:
        return max(pair) + 1
    messages = message_columns(row)
    return 0 if messages is None else max(messages.speaker, messages.text) + 1


def _steady(rows: Sequence[Sequence[str]]) -> float:
    """The share of the rows that have the commonest number of columns; 0 where that is one."""
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[1], -item[0]), default=(1, 0))
    return count / len(rows) if width > 1 else 0.0


_QUOTED = {
    separator: rf'(?:^|{re.escape(separator)}) *"(?:[^"]|"")*" *(?:{re.escape(separator)}|$)'
    for separator in SEPARATORS
}


def _pairs(part: Part, reading: Reading, rows: Iterator[_Row], columns: tuple[int, int]) -> Iterator[Talk]:
    pairs = Pairs(part, reading, ", ")
    for number, fields in rows:
        if (talk := pairs.of(number, fields, columns)) is not None:
            yield talk
    pairs.tell()


class _Talks:
    """The talks of a table of messages.

    Args:
        part, reading: for notices.
        columns: where what is.
    """

    def __init__(self, part: Part, reading: Reading, columns: Messages) -> None:
        self._part = part
        self._reading = reading
        self._columns = columns
        self._timeless = 0

    def of(self, rows: Iterator[_Row]) -> Iterator[Talk]:
        """Yield each run of rows of one conversation."""
        seen: set[str] = set()
        again = 0
        for name, run in groupby(self._whole(rows), self._talk):
            again += name in seen
            seen.add(name)
            yield Talk(map(self._message, run), id=name)
        if again:
            what = f"{again} times a conversation goes on after another; sort the rows by conversation"
            self._reading.notify(f"{self._part.name}: {what}")
        if self._timeless:
            what = f"{self._timeless} times are in no known form and were left out; write ISO 8601"
            self._reading.notify(f"{self._part.name}: {what}")

    def _whole(self, rows: Iterator[_Row]) -> Iterator[list[str]]:
        needed = max(self._columns.speaker, self._columns.text) + 1
        for number, fields in rows:
            if len(fields) >= needed:
                yield fields
            else:
                self._reading.miss(self._part, number, ", ".join(fields))

    def _talk(self, fields: Sequence[str]) -> str:
        return _field(fields, self._columns.talk)

    def _message(self, fields: Sequence[str]) -> Message:
        columns = self._columns
        written = _field(fields, columns.time)
        time = moment(written)
        self._timeless += bool(written) and time is None
        return Message(
            _field(fields, columns.speaker),
            _field(fields, columns.text),
            time,
            id=_field(fields, columns.id),
            reply_to=_field(fields, columns.reply_to),
        )


def _field(fields: Sequence[str], place: int) -> str:
    return fields[place].strip() if 0 <= place < len(fields) else ""
