"""Which of three numbers is the day: found out from all the dates of a file.

In order of weight: an order in which every date exists; the one that runs backwards least often; the day
first, then the month, then the year.
"""

from __future__ import annotations

import re
from datetime import date

_ORDERS = ((2, 1, 0), (2, 0, 1), (0, 1, 2), (0, 2, 1))
"""Where year, month and day stand: 31/12/24, 12/31/24, 24-12-31, 24-31-12."""

_EARLIEST = 2009
"""No chat of an application that writes dates like this is older: WhatsApp began then."""

_NUMBERS = re.compile(r"\d+")


class DateOrder:
    """Takes the dates of a file one by one and then reads any of them.

    Dates are texts of three numbers; years of two digits are of this century.
    """

    def __init__(self) -> None:
        self._latest = ""
        self._missing = [0] * len(_ORDERS)
        self._backwards = [0] * len(_ORDERS)
        self._last = [date.min] * len(_ORDERS)
        self._days: dict[str, tuple[date | None, ...]] = {}
        self._best: int | None = None

    def note(self, text: str) -> None:
        """Take the next date; runs of the same one count once."""
        if text == self._latest:
            return
        self._latest = text
        self._best = None
        for at, day in enumerate(self._readings(text)):
            if day is None:
                self._missing[at] += 1
                continue
            self._backwards[at] += day < self._last[at]
            self._last[at] = day

    def day_of(self, text: str) -> date | None:
        """The day, None where there is no such day in the order that was found."""
        if self._best is None:
            self._best = min(range(len(_ORDERS)), key=lambda at: (self._missing[at], self._backwards[at], at))
        return self._readings(text)[self._best]

    def _readings(self, text: str) -> tuple[date | None, ...]:
        days = self._days.get(text)
        if days is None:
            numbers = _NUMBERS.findall(text)
            days = self._days[text] = tuple(_day(*(numbers[at] for at in order)) for order in _ORDERS)
        return days


def _day(year: str, month: str, day: str) -> date | None:
    if len(year) not in (2, 4) or len(month) > 2 or len(day) > 2:
        return None
    number = int(year) + (2000 if len(year) == 2 else 0)
    try:
        return date(number, int(month), int(day)) if number >= _EARLIEST else None
    except ValueError:
        return None
