"""Subtitles: SRT and WebVTT.

A cue is a message, its lines joined by a space. Nobody knows who speaks, unless the cue says so: speakers A
and B take turns, but a cue that goes on with the sentence of the one before is of the same speaker.

    - Hi.               dashes: another speaker each
    - Hello.
    ANN (softly): Hi.   a name in capitals; in WebVTT ``<v Ann>``
    [door slams]        a sound, in brackets, in parentheses or between notes, is a system note

Source: the SubRip format as players read it; https://www.w3.org/TR/webvtt1/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain

from chatbot.corpus.formats.cue import Speech, speeches
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SYSTEM, Message, Talk

SCENE_GAP = timedelta(seconds=30)
"""A longer silence ends a conversation: dialogue on the screen pauses for seconds, and a line after half a
minute of pictures answers nobody. Jumping back as far does too: another film begins in the same file."""

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[,.:](\d{1,3}))?"
_TIMES = re.compile(rf"\s*{_TIME}\s*-{{1,3}}\s?>\s*{_TIME}(?:\s.*)?", re.DOTALL)
_ASIDE = re.compile(r"(NOTE|STYLE|REGION)(\s|$)")
_SNIFFED = 20

_SAME = re.compile(r"(?:\.\.\.|…|,|，)$")
_ENDED = re.compile(r"[.?!…。？！]['\"”’»)\]]*$")


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each run of cues without a long silence; broken blocks are counted."""
    voices = _Voices()
    messages: list[Message] = []
    began = until = timedelta(0)
    for cue in _cues(part, reading):
        if cue.start - until > SCENE_GAP or cue.start < began - SCENE_GAP:
            if messages:
                yield Talk(messages)
            messages, until, voices = [], cue.end, _Voices()
        messages += voices.messages(cue)
        began, until = cue.start, max(until, cue.end)
    if messages:
        yield Talk(messages)


def looks_like(head: Head) -> bool:
    """The header of WebVTT, or a line of two times with an arrow between them among the first."""
    return bool(head.lines) and (
        _is_header(head.lines[0]) or any(_TIMES.fullmatch(line) for line in head.lines[:_SNIFFED])
    )


@dataclass(slots=True)
class _Cue:
    start: timedelta
    end: timedelta
    lines: list[str] = field(default_factory=list)
    late: bool = False
    """Whether a blank line stood before the first of the lines."""


class _Voices:
    """Decides who speaks, cue by cue."""

    def __init__(self) -> None:
        self._speaker = "B"
        self._text = "."
        self._writes_sentences = (
            False  # a small letter tells nothing where no sentence has a capital or an end
        )

    def messages(self, cue: _Cue) -> list[Message]:
        """The messages of a cue."""
        time = datetime.min + cue.start
        return [self._message(speech, time) for speech in speeches(cue.lines)]

    def _message(self, speech: Speech, time: datetime) -> Message:
        if speech.sound:
            return Message("", speech.text, time, SYSTEM)
        if speech.speaker:
            self._speaker = speech.speaker
        elif not self._goes_on(speech):
            self._speaker = "B" if self._speaker == "A" else "A"
        self._text = speech.text
        self._writes_sentences |= speech.text[:1].isupper() or bool(_ENDED.search(speech.text))
        return Message(self._speaker, speech.text, time)

    def _goes_on(self, speech: Speech) -> bool:
        if speech.another:
            return False
        if _SAME.search(self._text):
            return True
        return self._writes_sentences and not _ENDED.search(self._text) and speech.text[:1].islower()


def _is_header(line: str) -> bool:
    return line == "WEBVTT" or line.startswith(("WEBVTT ", "WEBVTT\t"))


def _cues(part: Part, reading: Reading) -> Iterator[_Cue]:
    """Yield the cues of a part; lines that belong to none are counted as not understood."""
    cue: _Cue | None = None
    held: list[tuple[int, str]] = []  # lines behind a blank one: the name of the next cue, or broken
    vtt = aside = False
    after_blank = True
    for number, line in chain(reading.lines_of(part), [(0, "")]):
        if not line.strip():
            aside, after_blank = False, True
            continue
        times = _TIMES.fullmatch(line)
        if times is not None:
            held = held[:-1] if held else _without_number(cue)
            _miss(part, reading, held)
            if cue is not None:
                yield cue
            start, end = _offset(times.groups()[:4]), _offset(times.groups()[4:])
            cue, held, aside = _Cue(start, end), [], False
        elif number == 1 and _is_header(line):
            vtt = aside = True
        elif aside or (vtt and after_blank and _ASIDE.match(line)):
            aside = True
        elif cue is not None and (not after_blank or not cue.lines) and not held:
            cue.late = cue.late or after_blank
            cue.lines.append(line)
        else:
            held.append((number, line))
        after_blank = False
    _miss(part, reading, held)
    if cue is not None:
        yield cue


def _without_number(cue: _Cue | None) -> list[tuple[int, str]]:
    """Take the next cue's number off a cue that no blank line ended, or that has no text."""
    if cue is not None and len(cue.lines) > 1 - cue.late and cue.lines[-1].strip().isdecimal():
        cue.lines.pop()
    return []


def _miss(part: Part, reading: Reading, held: list[tuple[int, str]]) -> None:
    for number, line in held:
        reading.miss(part, number, line)


def _offset(numbers: tuple[str | None, ...]) -> timedelta:
    hours, minutes, seconds, fraction = numbers
    milliseconds = int((fraction or "0").ljust(3, "0"))
    return timedelta(
        hours=int(hours or 0), minutes=int(minutes or 0), seconds=int(seconds or 0), milliseconds=milliseconds
    )
