"""Mojibake: UTF-8 bytes that were each written as a character, as in the exports of Facebook.

    😠  ->  bytes f0 9f 98 a0  ->  \\u00f0\\u009f\\u0098\\u00a0

A text is repaired only as a whole: when all its characters are below U+0100, some above U+007F, and their
numbers are valid UTF-8. Text that is already right hardly ever is: "café" ends with a byte that begins a
character. The exception is a text that shows mojibake on purpose, such as "Ã©": it cannot be told apart
from a broken "é", and is repaired.

Source: https://krvtz.net/posts/how-facebook-got-unicode-wrong.html
"""

from __future__ import annotations


def repaired(text: str) -> str:
    """The text that was meant; the text itself where it is not broken."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
