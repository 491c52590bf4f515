"""WhatsApp: an exported chat.

    31/12/24, 21:25 - Ann: Happy        Android
    [31.12.24, 21:25:15] Ann: Happy     iOS
    31.12.24 21.25.15: Ann: Happy       older ones

The date is written as the phone's language has it; which number is the day is told by all dates of the
file (see ``DateOrder``). So the file is read twice. The form that most lines have is that of the file:
lines dated in another form, such as messages copied into a message, are text. What does not begin with
a date goes on with the message above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time

from chatbot.corpus.formats.clock import CLOCK, time_of
from chatbot.corpus.formats.date_order import DateOrder
from chatbot.corpus.formats.whatsapp_edits import without_remark
from chatbot.corpus.formats.whatsapp_names import Speakers
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import MEDIA, SAID, SYSTEM, Message, Talk
from chatbot.corpus.phrases.placeholders import MARK, kind_of, without_media

_M = "[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
_NUMBERS = (
    rf"\d{{1,4}}{_M}?([./-])\s?{_M}?\d{{1,2}}{_M}?\3\s?{_M}?\d{{1,4}}\.?"
    r"|\d{4}[年년]\s?\d\d?[月월]\s?\d\d?[日일]"
)
_AT = r"(?:klo|kl\.?|um|à|às|alle|alle ore|a las|om|в|о|o|u|saat|at)"
_HEADER = re.compile(
    rf"{_M}*(?:(\[){_M}*)?({_NUMBERS}){_M}*[,،]?\s(?:\s?{_AT}\s)?{_M}*({CLOCK}){_M}*"
    rf"((?(1)\]|(?:\s[-–]|:)))(?:\s|$){_M}*"
)
_SIGNAL = re.compile(r"\[\d{4}-\d\d-\d\d, \d\d:\d\d\] ")
_POLL = re.compile(r"\w+:\n")

_NOTED_FIRST = 10
"""Messages at the beginning among which the remark about encryption may be, with the group as its speaker."""


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the chat."""
    yield Talk(_messages(part, reading))


def looks_like(head: Head) -> bool:
    """One of the first lines is dated, with somebody speaking, and so is at least one line in ten."""
    lines = head.lines[:100]
    dated = [match for match in map(_HEADER.match, lines) if match is not None]
    if not any(_HEADER.match(line) for line in lines[:3]) or any(_SIGNAL.match(line) for line in lines[:3]):
        return False
    if len(dated) * 10 < len(lines) or not any(":" in match.string[match.end() :] for match in dated):
        return False
    survey = _Survey()
    for match in dated:
        survey.note(match)
    return any(survey.form.time_of(match) is not None for match in dated)


class _Form:
    """The lines dated in one form: their dates, times and speakers.

    Args:
        is_ios: whether a text that begins with MARK is not the speaker's.
    """

    def __init__(self, is_ios: bool) -> None:
        self.is_ios = is_ios
        self.count = 0
        self.order = DateOrder()
        self.speakers = Speakers()
        self._times: dict[str, time | None] = {}

    def time_of(self, match: re.Match[str]) -> datetime | None:
        """When a line was written, None where there is no such day or time."""
        day = self.order.day_of(match[2])
        clock = match[4]
        try:
            of_day = self._times[clock]
        except KeyError:
            of_day = self._times[clock] = time_of(clock)
        return None if day is None or of_day is None else datetime.combine(day, of_day)


class _Survey:
    """All dated lines of a file, by form."""

    def __init__(self) -> None:
        self._forms: dict[tuple[str, ...], _Form] = {}

    def note(self, match: re.Match[str]) -> None:
        """Take the next dated line."""
        form = self.of(match)
        form.count += 1
        form.order.note(match[2])
        form.speakers.note(match.string[match.end() :])

    def of(self, match: re.Match[str]) -> _Form:
        """The form of a dated line: brackets, what is between the numbers, and what follows."""
        key = match.group(1, 3, 5)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = _Form(key[0] is not None)
        return form

    @property
    def form(self) -> _Form:
        """The form that most lines have, the first of several; an empty one where no line is dated."""
        return max(self._forms.values(), key=lambda form: form.count, default=_Form(False))

    @property
    def others(self) -> int:
        """How many lines are dated in another form."""
        return sum(form.count for form in self._forms.values()) - self.form.count


def _surveyed(part: Part, reading: Reading) -> _Survey:
    """The survey of a part; what is odd about it is told when it is read again."""
    survey = _Survey()
    header = _HEADER.match
    for _, line in Reading(lambda notice: None, reading.options).lines_of(part):
        match = header(line)
        if match is not None:
            survey.note(match)
    return survey


def _messages(part: Part, reading: Reading) -> Iterator[Message]:
    survey = _surveyed(part, reading)
    form = survey.form
    if others := survey.others:
        lines = f"{others:,} lines are" if others > 1 else "a line is"
        reading.notify(f"{part.name}: {lines} dated in another way than the rest, and read as mere text")
    time: datetime | None = None
    written: list[str] = []
    count = 0
    header = _HEADER.match
    for number, line in reading.lines_of(part):
        match = header(line)
        stamp = form.time_of(match) if match is not None and survey.of(match) is form else None
        if match is None or stamp is None:
            if time is not None:
                written.append(line)
            elif line.strip():
                reading.miss(part, number, line)
            continue
        if time is not None:
            count += 1
            yield _message(form, written, time, count)
        time = stamp
        written = [line[match.end() :]]
    if time is not None:
        yield _message(form, written, time, count + 1)


def _message(form: _Form, written: list[str], time: datetime, number: int) -> Message:
    """A message from its lines, the first without its date; the number counts from 1."""
    split = form.speakers.split(written[0])
    if split is None:
        return Message("", _joined(written[0], written), time, SYSTEM)
    speaker, first = split
    text = first if len(written) == 1 else _joined(first, written)
    if text.endswith(">"):
        text = without_remark(text)
    if form.is_ios and text.startswith(MARK):
        return _marked(speaker, text, time)
    if text == "null":  # Android has no word for a photo that may be seen once
        return Message(speaker, "", time, MEDIA)
    if number <= _NOTED_FIRST and kind_of(text) == SYSTEM:
        return Message("", text, time, SYSTEM)
    return Message(speaker, text, time)


def _marked(speaker: str, text: str, time: datetime) -> Message:
    """A message whose text begins with the mark of iOS: an attachment, a poll or a note of WhatsApp."""
    bare = text.lstrip(MARK)
    kind = kind_of(bare)
    if kind == SAID and without_media(text) == text:
        kind = MEDIA if _POLL.match(bare) and f"\n{MARK}" in bare else SYSTEM
    return Message("" if kind == SYSTEM else speaker, bare, time, kind)


def _joined(first: str, written: list[str]) -> str:
    """The lines as one text, blank lines at its end left out."""
    return "\n".join([first, *written[1:]]).rstrip("\n")
