"""Signs that a text is not what somebody said: it was decoded wrongly, or it stands in for something else.

Text in UTF-8 that is read in an encoding of one byte a character shows it: a first byte 0xC3 followed by one
between 0x80 and 0xBF becomes "Ã" and a sign, where nobody writes a sign.

Source: RFC 3629, "UTF-8, a transformation format of ISO 10646", section 3, for which bytes may follow
which; the Git LFS specification, docs/spec.md, for its pointers.
"""

from __future__ import annotations

import re

from chatbot.corpus.message import DELETED, LINK, MEDIA, SYSTEM
from chatbot.corpus.phrases.placeholders import kind_of
from chatbot.corpus.privacy.personal import PLACEHOLDERS

POINTERS = "Git-LFS pointers"
LINKS = "links"
PATHS = "paths"
STAND_INS = "placeholders"

_QUOTES = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00bb\u00ab\u00a0\u2022\u2122\u00ad\u00b7"
"""Signs that may well follow a letter."""


def _following(encoding: str) -> str:
    """What the bytes that continue a character of UTF-8 are in an encoding, and as control codes."""
    signs = bytes(range(0x80, 0xC0)).decode(encoding, "ignore")
    return re.escape("".join(sorted({*signs, *map(chr, range(0x80, 0xA0))})))


def _patterns() -> tuple[str, ...]:
    western, cyrillic = _following("cp1252"), _following("cp1251")
    signs = f"(?![{re.escape(_QUOTES)}])[\\x80-\\x9f\\xa1-\\xbf€†‡ˆ‰]"
    letters = "[ŠŒŽšœžŸƒ]"
    return (
        "[\ufffd\x80-\x84\x86-\x9f]",  # 0x85 is a line end of its own
        f"[ÂÃÄÅ](?:{signs}|{letters})",
        f"[Æ-ß](?:{signs}|{letters})[Æ-ß][{western}]",
        f"[à-ï]{signs}[{western}]",
        "â€|ï»¿|ðŸ",
        f"(?:[РС][{cyrillic}]){{3}}",
    )


_MISCODED = re.compile("|".join(f"(?:{pattern})" for pattern in _patterns()))

_POINTER = re.compile(r"version https://git-lfs|oid sha256:[0-9a-f]{6}|size [0-9]+\Z")
_PATH = re.compile(
    r"(?:[A-Za-z]:\\|\\\\)[^\s\\]+(?:\\[^\\]+)*"
    r"|(?:~|\.{0,2})/[\w.+-]+(?:/[\w.+-]+)+/?"
    r"|(?:\.{0,2}/)?(?:[\w+-]+/)*[\w+-]+\.(?:txt|csv|tsv|json|jsonl|yml|yaml|xml|zip|gz|zst|pdf|docx?|bin|pkl)"
)
_NO_TALK = {"nan", "null", "undefined", "n/a", "#n/a", "tbd", "todo", "placeholder", "lorem ipsum", "<unk>"}
_TEMPLATE = re.compile(r"\{\{?[^{}]{0,80}\}\}?|<[A-Za-z_]{1,40}>|\$\{[^{}]{1,80}\}|%s")
_APPLICATION = frozenset({MEDIA, DELETED, SYSTEM})
_LONGEST = 500
"""Characters of a stand-in; a longer text says something."""


def is_miscoded(text: str) -> bool:
    """Whether a text holds U+FFFD, control codes of C1, or UTF-8 that was read in another encoding."""
    return not text.isascii() and _MISCODED.search(text) is not None


def untalk(text: str) -> str:
    """Which kind of thing a whole text is when it is no talk: POINTERS, LINKS, PATHS, STAND_INS, or ""."""
    text = text.strip()
    if len(text) > _LONGEST:
        return ""
    if _POINTER.match(text):
        return POINTERS
    kind = kind_of(text)
    if kind == LINK or text == PLACEHOLDERS["link"]:
        return LINKS
    if kind in _APPLICATION or text.lower() in _NO_TALK or _TEMPLATE.fullmatch(text):
        return STAND_INS
    if text in PLACEHOLDERS.values():
        return STAND_INS
    return PATHS if _PATH.fullmatch(text) else ""
