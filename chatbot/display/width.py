"""Columns of a terminal: how many a text takes, and a text made to take just so many.

Source: Unicode Standard Annex 11, East Asian Width, as the package wcwidth has it; Chinese characters
and emoji take two columns, combining characters none.
"""

from __future__ import annotations

from wcwidth import wcswidth

ELLIPSIS = "…"
JOINER = "\u200d"
"""Glues emoji into one; at a cut there is nothing left to glue."""


def width(text: str) -> int:
    """Columns that a printable text takes."""
    return max(0, int(wcswidth(text)))


def fitted(text: str, columns: int) -> str:
    """The text in exactly ``columns`` columns: padded with spaces, or cut with "…" at its end."""
    text = cut(text, columns)
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """The text, or as much of its beginning as fits before "…" in ``columns`` columns, at least one."""
    if width(text) <= columns:
        return text
    kept = 0
    while width(text[: kept + 1]) < columns:
        kept += 1
    return text[:kept].rstrip(JOINER) + ELLIPSIS
