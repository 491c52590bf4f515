"""WeChat: chats as CSV, as PyWxDump and its relatives write them; WeChat itself exports nothing.

    id,MsgSvrID,type_name,is_sender,talker,room_name,msg,src,CreateTime

Some have a column ``content`` with a JSON object {"src": ..., "msg": ...} in place of ``msg`` and ``src``.
Source: PyWxDump (xaoyaoo), dbpreprocess/export/exportCSV.py.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import DELETED, MEDIA, SAID, SYSTEM, Message, Talk
from chatbot.errors import CorpusError

_NEEDED = frozenset({"type_name", "is_sender", "CreateTime"})
_TEXTS = frozenset(
    {"文本", "文字", "带有引用的文本消息", "引用回复", "引用", "类似文字消息而不一样的消息", "text", "Text"}
)
_NOTES = frozenset(
    {"系统通知", "系统消息", "拍一拍", "语音通话", "视频通话", "群公告", "通话", "system", "System"}
)
_RECALLED = "撤回了一条消息"
_TIME = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})[ T](\d{1,2}):(\d\d)(?::(\d\d))?")
_EPOCH = datetime(1970, 1, 1)
_ME = "me"
_AS_IT_WAS = "give the CSV as it was exported"


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the chats, one for each run of rows of one room.

    Raises:
        CorpusError: it is no such CSV.
    """
    for room, rows in groupby(_rows(part, reading), key=lambda row: row.get("room_name") or ""):
        yield Talk((_message(row) for row in rows), room)


def looks_like(head: Head) -> bool:
    """The first line names the columns."""
    names = {name.strip().strip('"') for name in head.lines[0].split(",")}
    return names >= _NEEDED and ("msg" in names or "content" in names)


class _Lines:
    """The lines of a part, with their ends; remembers the last one."""

    def __init__(self, part: Part, reading: Reading) -> None:
        self._lines = reading.lines_of(part)
        self.number = 0
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        for self.number, self.last in self._lines:  # noqa: B020
            yield self.last + "\n"


def _rows(part: Part, reading: Reading) -> Iterator[dict[str, str]]:
    """The rows by column; one of another width is not understood."""
    lines = _Lines(part, reading)
    table = csv.reader(lines)
    try:
        columns = [name.strip() for name in next(table, [])]
        if not _NEEDED.issubset(columns):
            missing = ", ".join(sorted(_NEEDED.difference(columns)))
            raise CorpusError(f"{part.name}:1", f"has no column {missing}", _AS_IT_WAS)
        for row in table:
            if len(row) == len(columns):
                yield dict(zip(columns, row, strict=True))
            elif row:
                reading.miss(part, lines.number, lines.last)
    except csv.Error as error:
        raise CorpusError(f"{part.name}:{lines.number}", f"is no CSV ({error})", _AS_IT_WAS) from None


def _message(row: dict[str, str]) -> Message:
    text = row["msg"] if "msg" in row else _content(row.get("content", ""))
    kind = _kind(row["type_name"].strip(), text)
    speaker = "" if kind == SYSTEM else _speaker(row)
    return Message(speaker, text, _time(row["CreateTime"].strip()), kind, row.get("MsgSvrID", "").strip())


def _kind(type_name: str, text: str) -> str:
    if type_name in _NOTES:
        return SYSTEM
    if _RECALLED in text and len(text) < 60 and type_name not in _TEXTS:
        return DELETED
    return SAID if type_name in _TEXTS else MEDIA


def _speaker(row: dict[str, str]) -> str:
    """The sender's name; where the export has none for the user, "me"."""
    talker = row.get("talker", "").strip()
    if talker:
        return talker
    return _ME if row["is_sender"].strip() in ("1", "True", "true") else row.get("room_name", "").strip()


def _content(content: str) -> str:
    """The text in an object of JSON; what is no such object is the text itself."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return content
    message = value.get("msg") if isinstance(value, dict) else value
    return message if isinstance(message, str) else ""


def _time(text: str) -> datetime | None:
    """A local time as text, or seconds since 1970."""
    try:
        if match := _TIME.fullmatch(text):
            year, month, day, hour, minute, second = (int(number or 0) for number in match.groups())
            return datetime(year, month, day, hour, minute, second)
        return _EPOCH + timedelta(seconds=int(text)) if text.isascii() and text.isdigit() else None
    except (ValueError, OverflowError):
        return None
