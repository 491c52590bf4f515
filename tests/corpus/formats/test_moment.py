"""Moments: ISO 8601 and seconds since 1970, to UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats.moment import moment


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-02-29T10:30:00", datetime(2024, 2, 29, 10, 30)),
        ("2024-02-29 10:30", datetime(2024, 2, 29, 10, 30)),
        ("2024-02-29T10:30:00.250Z", datetime(2024, 2, 29, 10, 30, 0, 250000)),
        ("2024-03-01T01:30:00+03:00", datetime(2024, 2, 29, 22, 30)),
        (1704067200, datetime(2024, 1, 1)),
        ("1704067200.0", datetime(2024, 1, 1)),
        (1704067200000, datetime(2024, 1, 1)),
        (7, None),
        (True, None),
        (None, None),
        (float("nan"), None),
        (10**30, None),
        ("0001-01-01T00:00:00+23:00", None),
        ("29.02.2024", None),
        ("noon", None),
    ],
)
def test_moment_reads(value: Any, expected: datetime | None) -> None:
    assert moment(value) == expected


@given(st.text(max_size=30) | st.floats() | st.integers())
def test_moment_of_anything_is_a_time_or_none(value: Any) -> None:
    assert moment(value) is None or moment(value).tzinfo is None
