"""Rows: the fields of CSV and of its cousins, as people's programs write them, and the pairs in them.

A field in double quotes may hold separators, line ends and doubled quotes. A quote that is never closed, or
that is followed by more text, is text itself, so that one stray quote cannot swallow the rest of a file
(``csv.reader`` lets it). Spaces before an opening and after a closing quote are passed over.

Source: RFC 4180, and what spreadsheets write with ``;`` and tabs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk
from chatbot.errors import CorpusError

SEPARATORS = ("\t", ",", ";", "|")

LONGEST = 200
"""Lines of a quoted field: no message of a chat is longer, and a stray quote is noticed by then."""

_LONGEST_TEXT = 1_000_000
"""Characters of a quoted field, for the same reason."""


class Rows:
    """Yields (number of the first line, fields) for each row that is not blank.

    Args:
        lines: with their numbers.
        separator: one of SEPARATORS.
    """

    def __init__(self, lines: Iterable[tuple[int, str]], separator: str) -> None:
        self._lines = iter(lines)
        self._separator = separator
        self._back: deque[tuple[int, str]] = deque()

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        while (line := self._next()) is not None:
            number, text = line
            if '"' in text:
                yield number, self._fields(text)
            elif text.strip():
                yield number, text.split(self._separator)

    def _next(self) -> tuple[int, str] | None:
        return self._back.popleft() if self._back else next(self._lines, None)

    def _fields(self, text: str) -> list[str]:
        fields: list[str] = []
        at = 0
        while True:
            opening = _after_spaces(text, at)
            closed = self._closed(text, opening + 1) if text.startswith('"', opening) else None
            if closed is not None:
                text, end = closed
                fields.append(text[opening + 1 : end].replace('""', '"'))
                at = _after_spaces(text, end + 1)
            else:
                end = text.find(self._separator, at)
                end = len(text) if end < 0 else end
                fields.append(text[at:end])
                at = end
            if at >= len(text):
                return fields
            at += 1

    def _closed(self, text: str, at: int) -> tuple[str, int] | None:
        """The text, with the lines it takes to close the quote, and where it is closed; None if it is not."""
        taken: list[tuple[int, str]] = []
        while True:
            at = text.find('"', at)
            if at < 0:
                line = self._next() if len(taken) < LONGEST and len(text) < _LONGEST_TEXT else None
                if line is None:
                    break
                taken.append(line)
                at = len(text) + 1
                text = f"{text}\n{line[1]}"
            elif text.startswith('"', at + 1):
                at += 2
            else:
                after = _after_spaces(text, at + 1)
                if after >= len(text) or text[after] == self._separator:
                    return text, at
                break
        self._back.extendleft(reversed(taken))
        return None


class Pairs:
    """Makes talks of two messages from the rows of a part, and counts the rows that are odd.

    Args:
        part: for notices.
        reading: is told.
        separator: its name, for people.
    """

    def __init__(self, part: Part, reading: Reading, separator: str) -> None:
        self._part = part
        self._reading = reading
        self._separator = separator
        self._pairs = 0
        self._without = _Odd()
        self._longer = _Odd()

    def of(self, number: int, fields: Sequence[str], columns: tuple[int, int]) -> Talk | None:
        """The talk of a row; None where it has no such columns, or both are blank."""
        first, second = columns
        if len(fields) <= first or len(fields) <= second:
            self._without.add(number)
            self._reading.miss(self._part, number, self._separator.join(fields))
            return None
        said, reply = fields[first].strip(), fields[second].strip()
        if said and reply:
            self._pairs += 1
        if len(fields) > 2 and columns == (0, 1):
            self._longer.add(number)
        messages = alternating((said, reply))
        return Talk(messages) if messages else None

    def tell(self) -> None:
        """Tell what was odd.

        Raises:
            CorpusError: there was no pair.
        """
        name = self._part.name
        if not self._pairs:
            raise CorpusError(name, "no line holds a pair", "give two columns, or name them with --columns")
        if odd := self._without:
            self._reading.notify(f"{name}:{odd.first}: too few columns; {odd.count} such lines were left out")
        if odd := self._longer:
            what = f"more than two columns; of {odd.count} such lines the first two count"
            self._reading.notify(f"{name}:{odd.first}: {what}")


class _Odd:
    """How many lines are odd in some way, and the first of them."""

    def __init__(self) -> None:
        self.first = self.count = 0

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, number: int) -> None:
        """Count a line."""
        self.first = self.first or number
        self.count += 1


def _after_spaces(text: str, at: int) -> int:
    while text.startswith(" ", at):
        at += 1
    return at
