"""LINE: an exported chat.

    [LINE] Chat history with Ann
    Saved on: 2024/12/31 21:30

    2024/12/31(Tue)
    21:25<TAB>Ann<TAB>Hello
    21:26<TAB>Bob<TAB>"a message
    of two lines"
    21:27<TAB>Cyd joined the group.

A message of several lines is in double quotes, or its lines begin with two tabs, or they just follow. A line
of two fields, or whose second is empty, is a note of LINE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from chatbot.corpus.formats.clock import CLOCK, time_of
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import DELETED, SYSTEM, Message, Talk

_LINE = re.compile(rf"({CLOCK})\t(.*)", re.DOTALL)
_TITLE = re.compile(r"\[LINE\]\s*(.*)")
_SAVED = re.compile(
    r"(?:Saved on|保存日時|保存日期|儲存日期|存檔日期|저장한 날짜|วันที่บันทึก|Disimpan pada)\s*[:：]"
)
_CHAT = re.compile(
    r"Chat history (?:with|in) (.+)|(.+?)との?トーク履歴|(.+?)のトーク履歴|(.+?)님과의 대화"
    r"|[與与](.+)的(?:聊天|對話)[記记纪紀][錄录]|(.+)的(?:聊天|對話)[記记纪紀][錄录]"
)

_WEEKDAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_WEEKDAY = (
    rf"(?:(?:{_WEEKDAYS})[a-z]{{0,6}}|[日月火水木金土一二三四五六]|(?:星期|週|周)[日一二三四五六天]"
    r"|[日月火水木金土]曜日|[일월화수목금토](?:요일)?)\.?"
)
_YEAR_FIRST = re.compile(
    r"(\d{4})(?:[./-]|年\s?|년\s?)(\d{1,2})(?:[./-]|月\s?|월\s?)(\d{1,2})[日일.]?\s?"
    rf"[(（]?{_WEEKDAY}[)）]?\s*"
)
_YEAR_LAST = re.compile(rf"({_WEEKDAYS})\w*,\s?(\d{{1,2}})[./-](\d{{1,2}})[./-](\d{{4}})\s*")

_UNSENT = re.compile(
    r"(.*?)(?: unsent a message\.?|がメッセージの送信を取り消しました。?"
    r"|已?收回了?(?:一則)?(?:訊息|消息|讯息)。?|님이 메시지 전송을 취소했습니다\.?)"
)


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the chat under the name its first line gives it."""
    lines = reading.lines_of(part)
    first = next(lines, None)
    title = None if first is None else _TITLE.match(first[1])
    name = "" if title is None else _name(title[1])
    yield Talk(_messages(part, reading, first, lines), name)


def looks_like(head: Head) -> bool:
    """It has the title of LINE or begins with the heading of a day; lines with a time and a tab follow."""
    lines = head.lines[:100]
    opened = any(_TITLE.match(line) or _day_of(line) for line in lines[:3])
    return opened and any(_LINE.match(line) for line in lines[:20])


def _name(title: str) -> str:
    """The name of the chat in a title, the title itself where it is of a kind not known."""
    match = _CHAT.fullmatch(title.strip())
    found = title if match is None else next(group for group in match.groups() if group is not None)
    return found.strip().strip('"“”').strip()


def _messages(
    part: Part, reading: Reading, first: tuple[int, str] | None, lines: Iterator[tuple[int, str]]
) -> Iterator[Message]:
    day: date | None = None
    times: dict[str, time | None] = {}
    current: Message | None = None
    more: list[str] = []
    numbered = iter(()) if first is None else _again(first, lines)
    for number, line in numbered:
        match = _LINE.match(line)
        clock = None if match is None else times.setdefault(match[1], time_of(match[1]))
        if match is not None and clock is not None:
            if current is not None:
                yield _whole(current, more)
            current, more = _message(match[2], datetime.combine(day or date.min, clock)), []
        elif (heading := _day_of(line)) is not None:
            day = heading
        elif current is not None:
            more.append(line.removeprefix("\t\t"))
        elif line.strip() and not _TITLE.match(line) and not _SAVED.match(line):
            reading.miss(part, number, line)
    if current is not None:
        yield _whole(current, more)


def _again(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from lines


def _day_of(line: str) -> date | None:
    """The day of a heading; of 08/05/2026 the weekday before it tells which number is the month."""
    if match := _YEAR_FIRST.fullmatch(line):
        return _date(match[1], match[2], match[3])
    if not (match := _YEAR_LAST.fullmatch(line)):
        return None
    weekday = _WEEKDAYS.split("|").index(match[1])
    days = (_date(match[4], match[2], match[3]), _date(match[4], match[3], match[2]))
    known = [day for day in days if day is not None]
    return next((day for day in known if day.weekday() == weekday), known[0] if known else None)


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _message(fields: str, time: datetime) -> Message:
    name, tab, text = fields.partition("\t")
    if tab and name.strip():
        return Message(name.strip(), text, time)
    note = text if tab else name
    if unsent := _UNSENT.fullmatch(note.strip()):
        return Message(unsent[1].strip(), note, time, DELETED)
    return Message("", note, time, SYSTEM)


def _whole(message: Message, more: list[str]) -> Message:
    """The message with the lines that follow it; quotes that hold several lines together are taken off."""
    while more and not more[-1].strip():
        more.pop()
    if not more:
        return message
    text = "\n".join([message.text, *more])
    if text.startswith('"') and text.endswith('"'):
        text = text[1:-1].replace('""', '"')
    return message._replace(text=text)
