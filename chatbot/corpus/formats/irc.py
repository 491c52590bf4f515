"""IRC: logs of irssi, weechat, xchat, mIRC, energymech, dircproxy and their like, one message a line.

    21:25 < ann> hello                    irssi
    2024-01-15 21:25:12<TAB>ann<TAB>hello     weechat
    Jan 15 21:25:12 <ann> hello           xchat
    [21:25:12] <@ann> hello               energymech, mIRC
    2024-01-15T21:25:12  <ann> hello      irclog2html, supybot

Signs of rank before a nick are dropped. ``* ann waves`` is said, as ``*waves*``; joins, quits, modes
and new nicks are system notes; a notice (``-ann- text``) is what bots answer with. A message that
begins with the nick of somebody who was there before is addressed to that one. A new nick is a new
speaker.

A day is known from the line, from ``--- Day changed`` and its like, or not at all: then the days are
counted from the first of year 1, one more each time the clock starts again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from chatbot.corpus.formats.irc_days import Days
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import BOT, SAID, SYSTEM, Message, Talk

_STAMP = re.compile(
    r"(?:([^\s\[\]<>]+) (?=\d{4}-\d\d-\d\d \[))?"  # rust 2018-05-29 [21:20:37]
    r"[\[(]?(?:(\d{4}[-/]\d\d[-/]\d\d)[T ]\[?|([A-Z][a-z]{2} [ \d]?\d) )?"
    r"(\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])]?(?:(\t)|\s+)"
)
_SAID = re.compile(r"<[ @+%&~!.]*([^\s<>]+)>(?:\s(.*)|$)", re.DOTALL)
_ACTION = re.compile(r"\*\s+[@+%&~!]?([^\s<>*]+)\s+(.*)", re.DOTALL)
_NOTICE = re.compile(r"-([^\s:()<>-][^\s:()<>]*?)(?:[:(][^\s]*)?-\s(.*)", re.DOTALL)
_ARROWS = ("-!-", "-->", "<--", "--", "=!=", "===", "***", "* ***", "-:-", "!")

_HEADING = re.compile(
    r"(?:--- (?:Log opened|Log closed|Day changed)|\*{3,4} ?(?:BEGIN|END|ENDING) LOGGING AT"
    r"|Session (?:Start|Close|Time|Ident):)(.*)"
)
_EVENT = re.compile(
    r"\S+ (?:[\[(]\S*[\])] )?(?:has joined|has left|has quit|joined|left) (?:[\[(#&]|IRC)"
    r"|\S+ (?:[\[(]\S{0,200}@\S{0,200}[\])] )?(?:has joined|has left|has quit|joined|left|quit)\b.{0,3}$"
    r"|\S+ \(\S{1,200}@\S{1,200}\) (?:Quit|Joins?|Parts?)\b"
    r"|\S+ (?:is now known as \S+$|sets mode|gives (?:channel|voice)|removes (?:channel|voice)|has set topic"
    r"|changes topic|has changed (?:the )?topic|was kicked|has kicked|sets ban)"
    r"|(?:Now talking (?:in|on)|Topic (?:is|for|set)|Set by|You are now known|Disconnected|Attempting to"
    r"|Rejoined)\b"
)
_CAME = re.compile(
    r"(?:Joins: (?P<joins>\S+)|(?P<joined>\S+)(?: [\[(]\S*[\])])? (?:has )?joined"
    r"|(?:\S+ is now known as|Nick changes?: \S+ ->) (?P<renamed>\S+))"
)
_ARRIVED = re.compile(r"--> ?(\S+)")


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the channel of a log; where its lines name channels, one talk for each run of lines of one."""
    for channel, lines in groupby(_lines(part, reading), key=lambda line: line[0]):
        yield Talk((message for _, message in lines), channel)


def looks_like(head: Head) -> bool:
    """At least half of the first lines are those of a log, and somebody speaks in one of them."""
    lines = head.lines[:100]
    log = _Log()
    fits = spoken = timed = 0
    for line in lines:
        if _HEADING.match(line):
            fits += 1
        elif (read := log.message(line)) is not None:
            fits += 1
            spoken += read[1].kind == SAID
            timed += read[1].time is not None
    return fits * 2 >= len(lines) and spoken > 0 and (timed * 2 >= fits or fits == len(lines) > 1)


def _lines(part: Part, reading: Reading) -> Iterator[tuple[str, Message]]:
    """The messages with the channel that their line names."""
    log = _Log()
    for number, line in reading.lines_of(part):
        message = log.message(line)
        if message is not None:
            yield message
        elif (heading := _HEADING.match(line)) is not None:
            log.days.heading(heading[1])
        elif line.strip():
            reading.miss(part, number, line)


class _Log:
    """Reads lines in order; knows the day and who was there."""

    def __init__(self) -> None:
        self.days = Days()
        self._nicks: dict[str, str] = {}

    def message(self, line: str) -> tuple[str, Message] | None:
        """The channel a line names, "" where it names none, and its message; None where it is no message."""
        stamp = _STAMP.match(line)
        if stamp is None:
            message = None if _HEADING.match(line) else self._body(line, None)
            return None if message is None else ("", message)
        channel, day, month, clock, tab = stamp.groups()
        time = self.days.at(day or month, clock)
        if time is None:
            return None
        body = line[stamp.end() :]
        message = self._columns(body, time) if tab and day and line[10] == " " else self._body(body, time)
        return None if message is None else (channel or "", message)

    def _body(self, body: str, time: datetime | None) -> Message | None:
        """The message of a line without its time."""
        said = _SAID.match(body)
        if said is not None:
            return self._said(said[1], said[2] or "", time)
        if body.startswith(_ARROWS) and not body.startswith("--- "):
            return self._note(body, time)
        action = _ACTION.match(body)
        if action is not None:
            return self._action(action[1], action[2], time)
        notice = _NOTICE.match(body)
        return None if notice is None else Message(notice[1], notice[2], time, BOT)

    def _columns(self, body: str, time: datetime | None) -> Message | None:
        """The message of a line of weechat: prefix, tab, text."""
        prefix, _, text = body.partition("\t")
        prefix = prefix.strip()
        if prefix == "*":
            nick, _, deed = text.partition(" ")
            return self._action(nick, deed, time)
        if not prefix or prefix.startswith(_ARROWS):
            return self._note(f"{prefix} {text}", time)
        if " " in prefix or prefix[0] == "<":
            return self._body(body, time)
        return self._said(prefix.lstrip("@+%&~!"), text, time)

    def _said(self, nick: str, text: str, time: datetime | None) -> Message:
        mentions = self._addressed(nick, text)
        self._nicks.setdefault(nick.lower(), nick)
        return Message(nick, text, time, SAID, "", "", mentions)

    def _action(self, nick: str, deed: str, time: datetime | None) -> Message:
        """What somebody does; mIRC and xchat write joins and quits like that too."""
        if _EVENT.match(f"{nick} {deed}"):
            return self._note(f"* {nick} {deed}", time)
        self._nicks.setdefault(nick.lower(), nick)
        return Message(nick, f"*{deed}*", time)

    def _note(self, text: str, time: datetime | None) -> Message:
        """A system note; whoever came or has a new nick may be addressed from now on."""
        event = text.partition(" ")[2].lstrip()
        came = _CAME.match(event) or _ARRIVED.match(text)
        if came is not None:
            nick = next(name for name in came.groups() if name is not None)
            self._nicks[nick.lower()] = nick
        return Message("", text, time, SYSTEM)

    def _addressed(self, speaker: str, text: str) -> tuple[str, ...]:
        """Who a text begins with: ``ann: hi``, ``ann, hi``, ``ann-> hi``, ``@ann hi``."""
        word = text.partition(" ")[0]
        if not word or (word[-1] not in ":,;>" and word[0] != "@"):
            return ()
        nick = self._nicks.get(word.lstrip("@").rstrip(":,;").removesuffix("->").lower())
        return () if nick is None or nick == speaker else (nick,)
