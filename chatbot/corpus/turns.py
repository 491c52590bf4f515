"""From the messages of a talk to conversations of turns.

    a burst       messages of one speaker with short pauses between them are one turn, joined by a space
    a silence     a pause longer than ``gap_hours`` ends a conversation
    left out      system notes, media, deleted messages, bot posts and bare links are no turns
    a reply       a message that names another message answers that one's turn; a message addressed to a
                  speaker answers that speaker's last turn; any other answers the turn before it

Where somebody said only what is left out (a photo, a link), the next speaker's turn answers something that
is not there: it begins no pair. ``docs/pairs.md`` has the rule with an example.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chatbot.corpus.conversation import NOBODY, Conversation, Turn, whole
from chatbot.corpus.identity import content_id
from chatbot.corpus.message import BOT, SAID, SYSTEM, Message, Talk
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.phrases.placeholders import kind_of, without_media

LONGEST = 10_000
"""Turns of a conversation that nothing ends; more are cut, so that no conversation fills the memory."""

KNOWN_YEAR = 1900
"""Earlier years stand for a date that is not known."""

QUOTABLE = 20_000
"""Messages of earlier conversations that are remembered, since a reply may name one of them."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """How messages are joined and cut.

    Args:
        burst: longest pause inside a turn.
        gap: longest pause inside a conversation; None: no limit.
        bots: speakers whose messages are no turns.
    """

    burst: timedelta
    gap: timedelta | None
    bots: frozenset[str]

    @classmethod
    def of(cls, options: ReadingOptions) -> Cutting:
        """As the options say."""
        bots = frozenset(name.strip() for name in options.bots.split(",") if name.strip())
        gap = timedelta(hours=options.gap_hours) if options.gap_hours else None
        return cls(timedelta(minutes=options.burst_minutes), gap, bots)


def conversations_of(
    talk: Talk, cutting: Cutting, counts: Counter[str], origin: str = ""
) -> Iterator[Conversation]:
    """Yield the conversations of a talk while its messages are read.

    Args:
        counts: is given the number of messages of each kind.
        origin: what the conversations say of where they come from.
    """
    cutter = _Cutter(cutting if not talk.id else replace(cutting, gap=None))
    number = 0
    for message in talk.messages:
        said = _classified(message, cutting.bots)
        counts[said.kind] += 1
        if (turns := cutter.take(said)) is not None:
            number += 1
            yield _conversation(talk, turns, origin, number)
    if (turns := cutter.finish()) is not None:
        yield _conversation(talk, turns, origin, number + 1)


def _classified(message: Message, bots: frozenset[str]) -> Message:
    """The message with its kind as its text tells it, its text without the names of attachments."""
    if message.kind != SAID:
        return message
    if message.speaker in bots:
        return message._replace(kind=BOT)
    kind = kind_of(message.text)
    if kind != SAID:
        return message._replace(kind=kind)
    text = without_media(message.text)
    return message if text == message.text else message._replace(text=text)


def _conversation(talk: Talk, turns: tuple[Turn, ...], origin: str, number: int) -> Conversation:
    if talk.id:
        identity = talk.id if number == 1 else f"{talk.id}-{number}"
    else:
        identity = content_id(turn.text for turn in turns)
    return Conversation(identity, talk.origin or origin, turns, talk.language)


class _Burst:
    """A turn that may still grow."""

    __slots__ = ("last", "speaker", "texts", "time", "to")

    def __init__(self, message: Message, to: int | None) -> None:
        self.speaker = message.speaker
        self.texts = [message.text]
        self.time = self.last = message.time
        self.to = to

    def again(self) -> _Burst:
        """The same words, answering nobody."""
        copy = _Burst(Message(self.speaker, "", self.time), NOBODY)
        copy.texts = list(self.texts)
        return copy


class _Cutter:
    """Collects the turns of one conversation after the other."""

    def __init__(self, cutting: Cutting) -> None:
        self._cutting = cutting
        self._last: datetime | None = None
        self._quotable: dict[str, _Burst] = {}
        self._start()

    def _start(self) -> None:
        self._bursts: list[_Burst] = []
        self._places: dict[str, int] = {}
        self._latest: dict[str, int] = {}
        self._hidden: str | None = None

    def take(self, message: Message) -> tuple[Turn, ...] | None:
        """Note a message; the turns of the conversation that it ends, if it ends one."""
        if message.kind == SYSTEM:  # no deed of a speaker
            return None
        ended = self.finish() if self._is_over(message.time) else None
        if message.time is not None:
            self._last = message.time
        if message.kind == SAID:
            self._say(message)
        else:
            self._hide(message)
        return ended

    def finish(self) -> tuple[Turn, ...] | None:
        """The turns of the conversation so far, if there are any; the next message begins another one."""
        turns = tuple(_turn(burst) for burst in self._bursts)
        for name, place in self._places.items():
            self._quotable[name] = self._bursts[place]
        while len(self._quotable) > QUOTABLE:
            del self._quotable[next(iter(self._quotable))]
        self._start()
        return turns or None

    def _is_over(self, time: datetime | None) -> bool:
        if len(self._bursts) >= LONGEST:
            return True
        gap = self._cutting.gap
        return gap is not None and time is not None and self._last is not None and time - self._last > gap

    def _hide(self, message: Message) -> None:
        """Somebody did what is no turn; part of his turn where he spoke just before."""
        if message.id and self._bursts and self._bursts[-1].speaker == message.speaker:
            self._places[message.id] = len(self._bursts) - 1
        if not self._bursts or self._bursts[-1].speaker != message.speaker or self._hidden is not None:
            self._hidden = message.speaker

    def _say(self, message: Message) -> None:
        to = self._answered(message)
        burst = self._bursts[-1] if self._bursts else None
        if burst is not None and self._continues(burst, message, to):
            burst.texts.append(message.text)
            burst.last = message.time or burst.last
        else:
            self._bursts.append(_Burst(message, to))
        place = len(self._bursts) - 1
        self._latest[message.speaker] = place
        if message.id:
            self._places[message.id] = place
        self._hidden = None

    def _answered(self, message: Message) -> int | None:
        """The turn a message answers, None for the one before it."""
        if message.reply_to:
            return self._named(message.reply_to)
        last = len(self._bursts) - 1
        for name in message.mentions:
            place = self._latest.get(name)
            if place is not None and name != message.speaker:
                return None if place == last else place
        if self._hidden is not None and self._hidden != message.speaker:
            return NOBODY
        return None

    def _named(self, name: str) -> int:
        """The turn of a message; one of an earlier conversation is said again, to be answered here."""
        place = self._places.get(name)
        if place is None and (quoted := self._quotable.get(name)) is not None:
            self._bursts.append(quoted.again())
            place = self._places[name] = len(self._bursts) - 1
        return NOBODY if place is None else place

    def _continues(self, burst: _Burst, message: Message, to: int | None) -> bool:
        """Whether a message goes on with the turn before it."""
        if burst.speaker != message.speaker or self._hidden not in (None, message.speaker):
            return False
        place = len(self._bursts) - 1
        answers_another = to is not None and to not in (burst.to, place)
        if answers_another and not (burst.to is None and to == place - 1):
            return False
        if message.time is None or burst.last is None:
            return True
        return bool(self._cutting.burst) and message.time - burst.last <= self._cutting.burst


def _turn(burst: _Burst) -> Turn:
    text = " ".join(part for part in (text.strip() for text in burst.texts) if part)
    time = burst.time.isoformat() if burst.time is not None and burst.time.year >= KNOWN_YEAR else None
    return Turn(whole(burst.speaker), whole(text), time, burst.to)


def counted(counts: Counter[str]) -> str:
    """The number of messages of each kind, for people."""
    total = sum(counts.values())
    others = ", ".join(f"{counts[kind]:,} {kind}" for kind in counts if kind != SAID and counts[kind])
    return f"{total:,} messages" + (f", of which {others} are no turns" if others else "")
