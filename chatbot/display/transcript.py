"""Transcript: a conversation with its attention, as one HTML page or as lines of JSON that can be replayed.

Every exchange is on the disk before the next one begins, in a file that is whole at every instant: HTML lets
the end tags of a page be left out, and JSON lines have none.

    {"transcript": 1, "checkpoint": "starter", "sha256": "..."}
    {"question": "hi", "history": [], "settings": {"decoding": {...}, "candidates": 1, "seed": 0},
     "reply": "hello", "score": -0.5, "fallback": false, "truncated": false, "candidates": [...],
     "attention": {...}}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chatbot.display.exhibit import Exhibit
from chatbot.display.page import opening, section
from chatbot.display.record import json_line, reply_record
from chatbot.display.reply import ShownReply
from chatbot.errors import OptionError
from chatbot.files import Journal

VERSION = 1


@dataclass(frozen=True, slots=True)
class Heading:
    """Who answered.

    Args:
        fingerprint: sha256 of the checkpoint's manifest.
    """

    checkpoint: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question with its reply, and all the reply hangs on besides the checkpoint.

    Args:
        history: the turns the question was asked after, oldest first.
        settings: how the reply was searched for: decoding, candidates, seed.
    """

    reply: ShownReply
    history: Sequence[str]
    settings: Mapping[str, Any]


class Transcript(Protocol):
    """Something that is written to as a conversation goes on."""

    def add(self, exchange: Exchange) -> None:
        """Write an exchange down.

        Raises:
            ChatbotError: the disk is full, say.
        """
        ...


class JsonTranscript:
    """JSON lines: first the heading, then an exchange a line."""

    def __init__(self, path: Path, heading: Heading) -> None:
        self._heading = heading
        self._journal = Journal(path)
        self._write({"transcript": VERSION, "checkpoint": heading.checkpoint, "sha256": heading.fingerprint})

    def add(self, exchange: Exchange) -> None:
        """A line."""
        record = reply_record(
            exchange.reply,
            checkpoint=self._heading.checkpoint,
            seed=exchange.settings.get("seed", 0),
            candidates=True,
            attention=True,
        )
        asked = {"history": list(exchange.history), "settings": dict(exchange.settings)}
        self._write({"question": record["question"]} | asked | record)

    def _write(self, record: Mapping[str, Any]) -> None:
        self._journal.add(json_line(record).encode() + b"\n")


class HtmlTranscript:
    """A page with a section for each exchange."""

    def __init__(self, path: Path, heading: Heading) -> None:
        self._heading = heading
        self._journal = Journal(path)
        title = f"A conversation with {heading.checkpoint}"
        self._journal.add(opening(title, by="Point at a word to see what it looked at.").encode())

    def add(self, exchange: Exchange) -> None:
        """A section."""
        reply = exchange.reply
        note = "fallback" if reply.fallback else ""
        shown = Exhibit(
            self._heading.checkpoint,
            reply.question,
            reply.text,
            reply.score,
            reply.attention,
            turns=exchange.history,
            note=note,
        )
        self._journal.add(section(shown).encode())


TRANSCRIPTS: dict[str, Callable[[Path, Heading], Transcript]] = {
    ".jsonl": JsonTranscript,
    ".html": HtmlTranscript,
}
"""By the ending of the file's name."""


def check_transcript(path: Path, where: str = "--transcript") -> None:
    """Refuse a file whose name does not say what it should be.

    Raises:
        OptionError: which names do.
    """
    if path.suffix.lower() not in TRANSCRIPTS:
        raise OptionError(where, f"{path.name} is no kind of transcript", "end the name in .html or .jsonl")


def open_transcript(path: Path, heading: Heading, where: str = "--transcript") -> Transcript:
    """A new transcript.

    Raises:
        OptionError: the name does not say what it should be.
        ChatbotError: there is a file of that name, or it cannot be written.
    """
    check_transcript(path, where)
    return TRANSCRIPTS[path.suffix.lower()](path, heading)
