"""Times of day as people write them, with 12 or 24 hours, in many languages."""

from __future__ import annotations

import re
from datetime import time

_MORNING = (
    r"[aA]\.?\s?[mM]\.?|凌晨|清晨|早上|上午|午前|오전|ص|ق\.ظ\.?|π\.?\s?μ\.?|ÖÖ|öö"
    r"|SA|SÁNG|PG|de\.|vorm\.?|fm|पूर्वाह्न|לפנה[״\"]צ"
)
_NOON = "中午"
_EVENING = (
    r"[pP]\.?\s?[mM]\.?|下午|傍晚|晚上|午後|오후|م|ب\.ظ\.?|μ\.?\s?μ\.?|ÖS|ös"
    r"|CH|CHIỀU|PTG|du\.|nachm\.?|em|अपराह्न|אחה[״\"]צ"
)
_HALF = rf"(?:{_MORNING}|{_NOON}|{_EVENING})"

CLOCK = rf"(?:{_HALF}\s?)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:\s?{_HALF})?"
"""Pattern of a time: 21:25, 21.25.15, 9:25 p. m., 下午9:25. A space may be U+00A0 or U+202F."""

_PARTS = re.compile(rf"({_HALF})?\s?(\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}}))?\s?({_HALF})?")
_IS_MORNING = re.compile(_MORNING)


def time_of(text: str) -> time | None:
    """The time that a text matching CLOCK says, None where there is no such time."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    hour, minute, second = int(parts[2]), int(parts[3]), int(parts[4] or 0)
    hour = _of_day(hour, parts[1] or parts[5])
    if hour > 23 or minute > 59 or second > 59:
        return None
    return time(hour, minute, second)


def _of_day(hour: int, half: str | None) -> int:
    """The hour from 0 to 23: 12 a.m. is 0, 12 p.m. is 12, 24 is 0; 21 p.m. is 21, as some write it."""
    if half is None or hour > 12:
        return 0 if hour == 24 else hour
    if half == _NOON:
        return hour if hour >= 10 else hour + 12
    if _IS_MORNING.fullmatch(half):
        return hour % 12
    return hour % 12 + 12
