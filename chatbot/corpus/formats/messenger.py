"""Messenger and Instagram: ``message_1.json``, ``message_2.json`` and so on, a folder a chat.

    {"participants": [{"name": "Ann"}], "title": "Ann", "thread_path": "inbox/ann_1", "messages": [
      {"sender_name": "Ann", "timestamp_ms": 1709287200000, "content": "caf\\u00c3\\u00a9"}]}
    {"participants": ["Ann"], "threadName": "Ann_1", "messages": [
      {"senderName": "Ann", "timestamp": 1709287200000, "text": "hi", "isUnsent": false}]}

The second form is of chats that are encrypted end to end. Files are newest first; a chat is put in order,
so it is held while it is read, one chat at a time. Broken letters are repaired.

Source: "Download your information" of Facebook and Instagram.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any

from chatbot.corpus.formats.messenger_phrases import kind_of
from chatbot.corpus.formats.mojibake import repaired
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import DELETED, MEDIA, SYSTEM, Message, Talk

NO_NAME = "Facebook user"
"""What Facebook calls people who have left it; some files have no name for them."""

_THREADS = ("thread_path", "threadName")
_TITLES = ("title", "threadName")
_SENDERS = ("sender_name", "senderName")
_TEXTS = ("content", "text")
_STAMPS = ("timestamp_ms", "timestamp")
_UNSENT = ("is_unsent", "isUnsent")
_NOTES = frozenset(("subscribe", "unsubscribe", "call", "payment", "placeholder"))
_EPOCH = datetime(1970, 1, 1)

_OBJECT = re.compile(r"\s*\{")
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_MESSAGE_KEYS = (
    (re.compile(r'"sender_name"\s*:'), re.compile(r'"timestamp_ms"\s*:')),
    (re.compile(r'"senderName"\s*:'), re.compile(r'"(?:threadName|isUnsent)"\s*:')),
    (re.compile(r'"participants"\s*:\s*\['), re.compile(r'"(?:thread_path|threadName)"\s*:')),
)
_NUMBER = re.compile(r"(\d{1,9})\D*$")

_Row = tuple[int, Message]


def read(parts: Sequence[Part], reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each chat, its messages oldest first.

    Raises:
        CorpusError: a part is no JSON.
    """
    for chat in _chats(parts, reading):
        yield _talk(chat, reading)


def looks_like(head: Head) -> bool:
    """An object opens that holds messages with the keys of Facebook."""
    if not head.lines or not _OBJECT.match(head.lines[0]):
        return False
    start = "\n".join(head.lines)
    return bool(_MESSAGES.search(start)) and any(
        all(key.search(start) for key in keys) for keys in _MESSAGE_KEYS
    )


def _chats(parts: Sequence[Part], reading: Reading) -> list[list[Part]]:
    """The parts by chat, the newest first.

    Which chat a file is of stands at its end: files are read twice where there are several.
    """
    if len(parts) == 1:
        return [list(parts)]
    quiet = Reading(lambda notice: None, reading.options)
    chats: dict[tuple[str, ...], list[Part]] = {}
    for part in parts:
        chats.setdefault(_chat_of(part, quiet), []).append(part)
    return [sorted(chat, key=_number) for chat in chats.values()]


def _chat_of(part: Part, reading: Reading) -> tuple[str, ...]:
    """What is the same for all parts of a chat: its thread, else its title and folder."""
    found = {place: value for place, value in reading.json_of(part, *_THREADS, *_TITLES) if value}
    archive = str(part.file) if part.member else ""
    thread = _first(found, _THREADS)
    if isinstance(thread, str):
        return archive, thread
    title = _first(found, _TITLES)
    folder = PurePosixPath(part.member or str(part.file)).parent
    return archive, str(folder), title if isinstance(title, str) else ""


def _number(part: Part) -> int:
    """The number in the name of a file, 2 of ``message_2.json``."""
    found = _NUMBER.search(PurePosixPath(part.member or part.file.name).stem)
    return int(found[1]) if found else 0


def _talk(parts: Sequence[Part], reading: Reading) -> Talk:
    title = ""
    rows: list[_Row] = []
    for part in reversed(parts):
        named, found = _rows(part, reading)
        title = named or title
        rows += found
    rows.sort(key=itemgetter(0))
    return Talk([message for _, message in rows], title)


def _rows(part: Part, reading: Reading) -> tuple[str, list[_Row]]:
    """The title of a part's chat, and its messages with their times, the oldest first."""
    title = ""
    number = 0
    names: dict[str, str] = {}
    rows: list[tuple[int | None, Message]] = []
    for place, value in reading.json_of(part, "messages.item", *_TITLES):
        if place != "messages.item":
            title = repaired(value) if isinstance(value, str) else title
            continue
        number += 1
        row = _row(value, names)
        if row is None:
            reading.miss(part, number, f"message {number} is not as Messenger writes them")
        else:
            rows.append(row)
    return title, _oldest_first(rows)


def _oldest_first(rows: Sequence[tuple[int | None, Message]]) -> list[_Row]:
    """Messages in the order they were written; one without a time has that of the message before it."""
    last = next((stamp for stamp, _ in rows if stamp is not None), 0)
    filled: list[_Row] = []
    rises = 0
    for stamp, message in rows:
        stamp = last if stamp is None else stamp
        rises += (stamp > last) - (stamp < last)
        last = stamp
        filled.append((stamp, message))
    return filled if rises > 0 else filled[::-1]


def _row(record: Any, names: dict[str, str]) -> tuple[int | None, Message] | None:
    """A message and its time in milliseconds; None where it is not as it should be."""
    if not isinstance(record, dict):
        return None
    sender, text = _first(record, _SENDERS), _first(record, _TEXTS)
    known = sender is not None or text is not None or _first(record, _STAMPS) is not None
    if not known or not isinstance(sender, str | None) or not isinstance(text, str | None):
        return None
    name = names.get(sender or "")
    if name is None:
        name = names[sender or ""] = repaired(sender or "").strip() or NO_NAME
    text = repaired(text or "")
    kind = _kind(record, text, name)
    stamp = _stamp(_first(record, _STAMPS))
    return stamp, Message("" if kind == SYSTEM else name, text, _time(stamp), kind)


def _kind(record: dict[str, Any], text: str, sender: str) -> str:
    if _first(record, _UNSENT) is True:
        return DELETED
    named = record.get("type")
    if "call_duration" in record or (isinstance(named, str) and named.lower() in _NOTES):
        return SYSTEM
    return kind_of(text, sender) if text.strip() else MEDIA


def _first(record: dict[str, Any], keys: Sequence[str]) -> Any:
    """The value of the first of the keys that has one."""
    for key in keys:
        if (value := record.get(key)) is not None:
            return value
    return None


def _stamp(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
        return None
    return int(value)


def _time(stamp: int | None) -> datetime | None:
    try:
        return None if stamp is None else _EPOCH + timedelta(milliseconds=stamp)
    except OverflowError:
        return None
