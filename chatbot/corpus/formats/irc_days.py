"""Which day a line of an IRC log is of: it may say so itself, a heading may, or nothing does."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from chatbot.corpus.formats.clock import time_of

UNKNOWN = date(1, 1, 1)

_HEADING = 100
"""Characters of a heading that may name its day."""

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_BACKWARDS = timedelta(hours=2)
"""A clock that runs back by less was set (summer time) or is not exact; by more, a day has passed."""

_LONG = re.compile(r"([A-Za-z]{3})[a-z]* +(\d{1,2})\b.*?\b(\d{4})\b")
_NUMBERS = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)")


class Days:
    """Dates the lines of a log, taken in order."""

    def __init__(self) -> None:
        self._day = UNKNOWN
        self._last: time | None = None
        self._days: dict[str, date | None] = {}
        self._times: dict[str, time | None] = {}

    def heading(self, text: str) -> None:
        """Take a heading that names a day: Mon Jan 15 21:25:12 2024, Tue Jan 16 2024, 2024-01-16."""
        day = _named(text[:_HEADING])
        if day is not None:
            self._day, self._last = day, None

    def at(self, day: str | None, clock: str) -> datetime | None:
        """When a line was written that says the clock, and perhaps the day: 2024-01-15, Jan 15.

        None where there is no such time.
        """
        try:
            of_day = self._times[clock]
        except KeyError:
            of_day = self._times[clock] = time_of(clock)
        if of_day is None:
            return None
        if day is not None:
            return self._dated(day, of_day)
        if self._last is not None and of_day < self._last and _apart(of_day, self._last) > _BACKWARDS:
            self._day += timedelta(days=1)
        self._last = of_day
        return datetime.combine(self._day, of_day)

    def _dated(self, text: str, of_day: time) -> datetime | None:
        day = self._days.get(text)
        if day is None:
            day = self._days[text] = _named(text) or _named(f"{text} {self._day.year:04}")
        if day is None:
            return None
        self._day, self._last = day, of_day
        return datetime.combine(day, of_day)


def _apart(earlier: time, later: time) -> timedelta:
    return datetime.combine(UNKNOWN, later) - datetime.combine(UNKNOWN, earlier)


def _named(text: str) -> date | None:
    """The day that a text names; 29 February of a year that has none, or is not known, is the 28th."""
    if numbers := _NUMBERS.search(text):
        year, month, day = (int(number) for number in numbers.groups())
    else:
        for words in _LONG.finditer(text):
            if words[1].lower() in _MONTHS:
                break
        else:
            return _without_weekday(text)
        year, month, day = int(words[3]), _MONTHS[words[1].lower()], int(words[2])
    if (month, day) == (2, 29) and (year % 4 or year == 1):
        day = 28
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _without_weekday(text: str) -> date | None:
    """The day of a text whose first word, though like the name of a month, is none: Mon 15 Jan 2024."""
    words = re.search(r"(\d{1,2}) ([A-Za-z]{3})[a-z]* (\d{4})", text)
    if words is None or words[2].lower() not in _MONTHS:
        return None
    return _named(f"{words[2]} {words[1]} {words[3]}")
