"""Found: one piece of personal data in a text, and what the finders of all kinds share."""

from __future__ import annotations

from typing import NamedTuple

EMAIL = "email"
LINK = "link"
HANDLE = "handle"
IP = "ip"
KEY = "key"
CARD = "card"
BANK = "bank"
PHONE = "phone"

KINDS = (EMAIL, LINK, HANDLE, IP, KEY, CARD, BANK, PHONE)

LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0400-\u04ff"
"""Letters of scripts that put spaces between words, for character classes: Latin and Cyrillic."""

UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Letters of scripts that put none, or glue endings on: Thai, Lao, kana, Han, Hangul."""


class Found(NamedTuple):
    """One piece of personal data.

    Args:
        kind: one of KINDS.
        start, end: where it stands in the text.
    """

    kind: str
    start: int
    end: int
