"""What counts as a word of a text, whatever its script."""

from __future__ import annotations

import re

_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\s{_UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """White-space words; in Chinese, Japanese and Thai, which have no spaces, single characters."""
    return text.split() if text.isascii() else _WORD.findall(text)
