"""Text made safe for a terminal: no control code, no bidirectional override, one line.

Source: ECMA-48 (the C0 and C1 control codes), Unicode Standard Annex 9 (the explicit directional
formatting characters, which can make a line read as something else than it says).
"""

from __future__ import annotations

BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"
"""Characters that move to another place or line; a space says as much."""

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0)))) + "\ufeff"
HALVES = "".join(map(chr, range(0xD800, 0xE000)))
"""Lone surrogates: halves of a character, which UTF-8 cannot hold."""

PRINTABLE = str.maketrans(
    dict.fromkeys(CONTROLS + OVERRIDES, "") | dict.fromkeys(BREAKS, " ") | dict.fromkeys(HALVES, "\ufffd")
)
VISIBLE = str.maketrans(
    {
        char: char.encode("unicode_escape").decode("ascii")
        for char in CONTROLS + OVERRIDES + HALVES + "\u2028\u2029"
    }
)
WHOLE = str.maketrans(dict.fromkeys(HALVES, "\ufffd"))


def printable(text: str) -> str:
    """The text on one line, without what a terminal would obey instead of show.

    Character by character, so that ``len(printable(text[:n]))`` is where offset n has gone.
    """
    return text.translate(PRINTABLE)


def visible(text: str) -> str:
    """The text on one line, with such characters written as escapes: what a message quotes stays legible."""
    return text.translate(VISIBLE)


def whole(text: str) -> str:
    """The text with U+FFFD for each half of a character, so that it can be written as UTF-8."""
    return text.translate(WHOLE)
