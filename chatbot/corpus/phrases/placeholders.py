"""What the text of a message is: words, or only what an application writes in their place.

Whole texts are matched, never parts of them: "the image omitted the cat" is something said. A text
costs a look-up or two; a regular expression is tried only where its first or last characters are those
of a placeholder.
"""

from __future__ import annotations

import re
from collections import defaultdict

from chatbot.corpus.message import BLANK, DELETED, LINK, MEDIA, SAID, SYSTEM
from chatbot.corpus.phrases.media import ATTACHED, FILE_ATTACHED, bracketed_phrases, listed, media_phrases
from chatbot.corpus.phrases.notices import (
    call_kinds,
    call_phrases,
    deleted_phrases,
    deleted_starts,
    notice_ends,
    notice_starts,
)

MARK = "\u200e"
"""What iOS writes before text of its own."""

_HEAD = 4
_TAIL = 3

_RANGES = (
    (0x00, 0x20), (0x7F, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x1680, 0x1680), (0x17B4, 0x17B5), (0x180B, 0x180E), (0x2000, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x206F), (0x2800, 0x2800), (0x3000, 0x3000), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFFC, 0xFFFC),
)  # fmt: skip
_INVISIBLE = "".join(chr(code) for first, last in _RANGES for code in range(first, last + 1))
"""Spaces, marks of direction, fillers, selectors: what shows nothing when it stands alone."""

_ODD_FIRST = "hw\u115f\u1160\u3164\uffa0"
"""Letters that links begin with, and those that show nothing."""

_LINKS = ("http://", "https://", "www.")
_BRACKETS = re.compile(r"\[[^\[\]]{1,20}\]")

# A pronoun before "joined the group" is somebody telling it, not LINE.
_NAME = r"(?!(?:i|we|he|she|it|they|who|someone|somebody|everyone|nobody)\b)[^\n,.!?。，！？:：]{1,60}"


def _alternatives(table: str) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(listed(table), key=len, reverse=True))


_FILE = r"[^\n<>]{1,200}?\.\w{1,5}"
_ATTACHMENT = (
    rf"(?:<\s?(?:{_alternatives(ATTACHED)})\s?[:：]\s?[^<>\n]{{1,200}}>"
    rf"|{_FILE} <(?:{_alternatives(ATTACHED)})>"
    rf"|{_FILE} [(（](?:{_alternatives(FILE_ATTACHED)})[)）])"
)
_ATTACHMENT_ONLY = re.compile(rf"(?:{_FILE} • [^\n<>]{{0,60}})?\s*{_ATTACHMENT}", re.IGNORECASE)
_ATTACHMENT_FIRST = re.compile(rf"\u200e?{_ATTACHMENT}[ \t]*(?:\n|(?<=>)[ \t]*)", re.IGNORECASE)
_ATTACHMENT_LAST = re.compile(
    rf"<\s?(?:{_alternatives(ATTACHED)})\s?[:：]\s?[^<>\n]{{1,200}}>\s*$", re.IGNORECASE
)
_DOCUMENT = re.compile(rf"{_FILE} •[^\n]{{0,60}}")


def _exact() -> dict[str, str]:
    """Whole texts, with and without a full stop."""
    table: dict[str, str] = {}
    kinds = ((media_phrases(), MEDIA), (deleted_phrases(), DELETED), (call_phrases(), SYSTEM))
    for phrases, kind in kinds:
        for phrase in phrases:
            for end in ("", ".", "。"):
                table.setdefault(phrase + end, kind)
    return table


def _starts() -> dict[str, list[tuple[str, str]]]:
    """Beginnings of texts and their kinds, by their first characters."""
    table: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for phrase in notice_starts():
        table[phrase[:_HEAD]].append((phrase, SYSTEM))
    for phrase in deleted_starts():
        table[phrase[:_HEAD]].append((phrase, DELETED))
    for phrase in ("location: https://", "live location: https://"):
        table[phrase[:_HEAD]].append((phrase, MEDIA))
    return dict(table)


def _calls() -> dict[str, list[re.Pattern[str]]]:
    """Notes of calls with a time or a length after them, by their first characters."""
    marked = rf"[,.]\s?{MARK}[^\n]{{1,40}}"  # "Voice call, 3 min"
    clock = r"[,.]?\s?(?:\w{1,5} )?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: [ap]m)?"  # "Missed voice call at 10:30"
    table: defaultdict[str, list[re.Pattern[str]]] = defaultdict(list)
    for phrases, after in ((call_phrases(), f"(?:{marked}|{clock})"), (call_kinds(), marked)):
        for phrase in phrases:
            table[phrase[:_HEAD]].append(re.compile(re.escape(phrase) + after))
    return dict(table)


def _ends() -> dict[str, re.Pattern[str]]:
    """Endings of notices after a name, by their last characters."""
    table: defaultdict[str, list[str]] = defaultdict(list)
    for phrase in notice_ends():
        table[phrase[-_TAIL:]].append(re.escape(phrase))
    return {tail: re.compile(rf"{_NAME}(?:{'|'.join(ends)})") for tail, ends in table.items()}


_EXACT = _exact()
_STARTS = _starts()
_CALLS = _calls()
_ENDS = _ends()
_PLACEHOLDERS = frozenset(bracketed_phrases())
_LAST = frozenset(">)）]")


def kind_of(text: str) -> str:
    """What a text is: one of SAID, MEDIA, DELETED, SYSTEM, LINK, BLANK.

    A text that holds a placeholder and words besides is SAID; ``without_media`` gives the words.
    """
    key = text.strip().lower()
    if key in _EXACT:
        return _EXACT[key]
    if not key:
        return BLANK
    if not key.isascii() and (MARK in key or not (key[0] + key[-1]).isprintable()):
        bare = key.strip(_INVISIBLE)
        if bare != key:
            return kind_of(bare)
        document, _, last = key.rpartition(MARK)
        if _EXACT.get(last) == MEDIA and _DOCUMENT.fullmatch(document.replace(MARK, "").rstrip()):
            return MEDIA
    head = key[:_HEAD]
    if head in _STARTS or head in _CALLS or key[-1] in _LAST or key[-_TAIL:] in _ENDS:
        return _suspect(key, head)
    if key[0].isalnum() and key[0] not in _ODD_FIRST:
        return SAID
    return _odd(key)


def _suspect(key: str, head: str) -> str:
    """The kind of a text whose first or last characters are those of a placeholder."""
    for phrase, kind in _STARTS.get(head, ()):
        if key.startswith(phrase):
            return kind
    if any(pattern.fullmatch(key) for pattern in _CALLS.get(head, ())):
        return SYSTEM
    if (ends := _ENDS.get(key[-_TAIL:])) is not None and ends.fullmatch(key):
        return SYSTEM
    if key[-1] in _LAST and _is_media(key):
        return MEDIA
    return _odd(key)


def _is_media(key: str) -> bool:
    if key[0] == "[" and not _BRACKETS.sub("", key).strip():
        return all(placeholder in _PLACEHOLDERS for placeholder in _BRACKETS.findall(key))
    return _ATTACHMENT_ONLY.fullmatch(key.replace(MARK, "")) is not None


def _odd(key: str) -> str:
    """The kind of a text that begins with a link, a sign or nothing that can be seen."""
    if key.startswith(_LINKS):
        return LINK if all(word.startswith(_LINKS) for word in key.split()) else SAID
    return SAID if key.strip(_INVISIBLE) else BLANK


def without_media(text: str) -> str:
    """The text without the names of attachments: what was written below or before a photo."""
    if ">" not in text and ")" not in text and "）" not in text and MARK not in text:
        return text
    rest = _ATTACHMENT_FIRST.sub("", text, count=1) if _ATTACHMENT_FIRST.match(text) else text
    rest = _ATTACHMENT_LAST.sub("", rest).rstrip(MARK)
    before, mark, last = rest.rpartition(MARK)
    if mark and _EXACT.get(last.strip().lower()) == MEDIA:
        rest = before
    return text if rest == text else rest.strip()
