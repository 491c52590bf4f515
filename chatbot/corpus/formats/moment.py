"""Moments as data files write them: ISO 8601, or seconds or milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_NUMBER = re.compile(r"\d{9,13}(\.\d{1,9})?", re.ASCII)
_OLDEST = 1e8
"""Seconds since 1970 in March 1973: smaller numbers count messages."""

_MILLISECONDS = 1e11
"""From here on (the year 5138) a number counts milliseconds."""


def moment(value: Any) -> datetime | None:
    """The time a value stands for, without zone (UTC where it names one); None where it is no time."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _since_1970(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _since_1970(float(text))
    try:
        time = datetime.fromisoformat(text)
        return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def _since_1970(number: float) -> datetime | None:
    if not _OLDEST <= number < _MILLISECONDS * 1000:
        return None
    seconds = number / 1000 if number >= _MILLISECONDS else number
    return datetime(1970, 1, 1) + timedelta(seconds=seconds)
