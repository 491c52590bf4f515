"""Signal: a chat exported as text, ``[2024-12-31, 21:25] Ann: Hello``.

A line without a date goes on with the message above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SAID, SYSTEM, Message, Talk

_HEADER = re.compile(r"\[(\d{4})-(\d\d)-(\d\d), (\d\d):(\d\d)(?::(\d\d))?\](?: |$)")
_MINUTES = re.compile(r"\[\d{4}-\d\d-\d\d, \d\d:\d\d\] .*:")


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the chat."""
    yield Talk(_messages(part, reading))


def looks_like(head: Head) -> bool:
    """One of the first lines is dated to the minute, with somebody speaking, and one line in ten is."""
    lines = head.lines[:100]
    dated = sum(_MINUTES.match(line) is not None for line in lines)
    return any(_MINUTES.match(line) for line in lines[:3]) and dated * 10 >= len(lines)


def _messages(part: Part, reading: Reading) -> Iterator[Message]:
    time: datetime | None = None
    written: list[str] = []
    for number, line in reading.lines_of(part):
        match = _HEADER.match(line)
        stamp = None if match is None else _time(match)
        if match is None or stamp is None:
            if time is not None:
                written.append(line)
            elif line.strip():
                reading.miss(part, number, line)
            continue
        if time is not None:
            yield _message(written, time)
        time = stamp
        written = [line[match.end() :]]
    if time is not None:
        yield _message(written, time)


def _time(match: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups())
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def _message(written: list[str], time: datetime) -> Message:
    """A message from its lines; a line without a colon is a note of Signal."""
    first = written[0]
    name, colon, text = first.partition(": ")
    if not colon:
        name, colon, text = first.partition(":")
    rest = "\n".join([text if colon else first, *written[1:]]).rstrip("\n")
    return Message(name.strip(), rest, time, SAID) if colon else Message("", rest, time, SYSTEM)
