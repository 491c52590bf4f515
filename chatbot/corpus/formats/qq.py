"""QQ: message history exported as text, or copied from a window or a phone.

    消息记录（此消息记录为文本格式，不支持重新导入）
    消息分组:我的好友
    消息对象:Ann

    2024-12-31 9:25:12 【管理员】Ann(12345678)      or Ann<ann@example.com>
    hello

What is copied has ``Ann 9:25:12`` or ``Ann 2024-12-31 9:25:12`` above a message. A title in 【】 is no
part of a name. A speaker has the name under which the number was first seen; where two numbers have one
name, the second carries its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import groupby

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SYSTEM, Message, Talk
from chatbot.corpus.phrases.placeholders import kind_of

_DAY = r"(?P<day>\d{4}[-/]\d{1,2}[-/]\d{1,2})"
_CLOCK = r"(?P<clock>\d{1,2}:\d\d:\d\d(?:\s?[AaPp][Mm])?)"
_NUMBER = r"(?:[(（](?P<number>\d+)[)）]|<(?P<mail>[^<>\s]+)>)"
_EXPORTED = re.compile(rf"{_DAY}\s{{1,4}}{_CLOCK}\s{{1,4}}(?P<name>(?:\S.{{0,80}}?)?\s{{0,4}}{_NUMBER})\s*")
_FRIEND = re.compile(rf"{_DAY}\s{{1,4}}{_CLOCK}\s{{1,4}}(?P<name>\S.{{0,60}}?)\s*")
_COPIED = re.compile(
    rf"(?P<name>\S.{{0,80}}?)(?<!\d[-/.]\d)(?<!\d[-/.]\d\d)\s{{1,4}}(?:{_DAY}\s{{1,4}})?{_CLOCK}\s*"
)
_NUMBERED = re.compile(rf"(?P<name>.*?)\s*{_NUMBER}")
_TITLES = re.compile(r"^(?:【[^】]*】)+(?=.)")
_HEADER = re.compile(r"消息记录[（(].*|={8,}\s*|消息分组[:：].*")
_TALK = re.compile(r"消息对象[:：](.*)")
_SYSTEM_IDS = frozenset({"10000", "1000000"})


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the chats of a history, each under the name that stands above it."""
    for (_, name), messages in groupby(_History(part, reading).messages(), key=lambda found: found[0]):
        yield Talk((message for _, message in messages), name)


def looks_like(head: Head) -> bool:
    """The title of QQ is there, or one of the first lines and one in ten are the heading of a message."""
    lines = head.lines[:100]
    if any(_TALK.match(line) for line in lines[:10]) and any(
        line.startswith("消息记录") for line in lines[:3]
    ):
        return True
    exported = [_EXPORTED.fullmatch(line) is not None for line in lines]
    copied = [_COPIED.fullmatch(line) is not None for line in lines]
    return any(
        any(fits[:2]) and sum(fits) * 10 >= len(lines) and sum(fits) > 1 for fits in (exported, copied)
    )


class _History:
    """Reads one part; knows who has which number."""

    def __init__(self, part: Part, reading: Reading) -> None:
        self._part = part
        self._reading = reading
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._headings: tuple[re.Pattern[str], ...] = (_EXPORTED, _COPIED)
        self._day = date.min
        self._last: time | None = None

    def messages(self) -> Iterator[tuple[tuple[int, str], Message]]:
        """Yield number and name of the chat, and the message."""
        chat = (0, "")
        current: Message | None = None
        more: list[str] = []
        for number, line in self._reading.lines_of(self._part):
            talk = _TALK.fullmatch(line)
            header = talk is not None or _HEADER.fullmatch(line) is not None
            begun = None if header else self._begun_by(line, current, more)
            if not header and begun is None:
                if current is not None:
                    more.append(line)
                elif line.strip():
                    self._reading.miss(self._part, number, line)
                continue
            if current is not None:
                yield chat, _whole(current, more)
            current, more = begun, []
            if header:
                self._headings = (_EXPORTED, _FRIEND)
            if talk is not None:
                chat = (chat[0] + 1, talk[1].strip())
        if current is not None:
            yield chat, _whole(current, more)

    def _begun_by(self, line: str, before: Message | None, more: Sequence[str]) -> Message | None:
        """The message that a line begins; a note, which has no time, begins only below a blank line."""
        apart = before is None or before.text or (more and not more[-1].strip())
        noted = ("撤回" in line or "加入" in line or "退出" in line) and kind_of(line) == SYSTEM
        if apart and noted:
            return Message("", line.strip(), None if before is None else before.time, SYSTEM)
        return self._heading(line)

    def _heading(self, line: str) -> Message | None:
        """The message that a line begins, still without its text.

        The first heading of a chat tells how the others look.
        """
        if ":" not in line:
            return None
        for heading in self._headings:
            if (match := heading.fullmatch(line)) is not None:
                begun = self._begun(match["day"], match["clock"], match["name"])
                if begun is not None:
                    self._headings = (heading,)
                    return begun
        return None

    def _begun(self, day: str | None, clock: str, name: str) -> Message | None:
        when = self._when(day, clock)
        if when is None:
            return None
        numbered = _NUMBERED.fullmatch(name)
        number = "" if numbered is None else numbered["number"] or numbered["mail"]
        if number in _SYSTEM_IDS:
            return Message("", "", when, SYSTEM)
        bare = name if numbered is None else numbered["name"]
        return Message(self._speaker(_TITLES.sub("", bare.strip()), number), "", when)

    def _speaker(self, name: str, number: str) -> str:
        if not number:
            return name
        speaker = self._names.get(number)
        if speaker is None:
            name = name or number
            speaker = name if self._owners.setdefault(name, number) == number else f"{name}({number})"
            self._names[number] = speaker
        return speaker

    def _when(self, day: str | None, clock: str) -> datetime | None:
        hours, minutes, seconds = (int(number) for number in re.findall(r"\d+", clock))
        if clock[-1] in "Mm" and hours <= 12:
            hours = hours % 12 + (12 if clock[-2] in "Pp" else 0)
        try:
            of_day = time(hours, minutes, seconds)
            if day is not None:
                self._day = date(*(int(number) for number in re.findall(r"\d+", day)))
            elif self._last is not None and of_day < self._last:
                self._day += timedelta(days=1)
        except (ValueError, OverflowError):
            return None
        self._last = of_day
        return datetime.combine(self._day, of_day)


def _whole(message: Message, more: Iterable[str]) -> Message:
    """The message with its text."""
    text = "\n".join(line.rstrip() for line in more).strip("\n")
    return message._replace(text=text or message.text)
