"""Transcript: a conversation with its attention, as one HTML page or as lines of JSON that can be replayed.

Every exchange is on the disk before the next one begins, in a file that is whole at every instant: HTML lets
the end tags of a page be left out, and JSON lines have none.

    {"transcript": 1, "checkpoint": "starter", "sha256": "..."}
    {"question": "hi", "history": [], "settings": {"decoding": {...}, "candidates": 1, "seed": 0},
     "reply": "hello", "score": -0.5, "fallback": false, "truncated": false, "candidates": [...],
     "attention": {...}}

A further heading stands where another checkpoint answers from then on. An exchange may have ``picked``: which
of the candidates, counted from 1, counts as the reply; ``mark``: what somebody said of it; ``begins``: that
what was said before had been forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chatbot.display.exhibit import Exhibit
from chatbot.display.page import opening, section
from chatbot.display.record import DIGITS, json_line, reply_record
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
        by: who answered; None: the one of the heading.
        picked: which of the candidates was chosen to count, from 1; 0: none was.
        chosen: that candidate as a reply.
        mark: what somebody said of the reply; "" where nobody did.
        begins: what was said before it had been forgotten.
    """

    reply: ShownReply
    history: Sequence[str]
    settings: Mapping[str, Any]
    by: Heading | None = None
    picked: int = 0
    chosen: ShownReply | None = None
    mark: str = ""
    begins: bool = False


class Form(Protocol):
    """How a transcript is written."""

    def opening(self, heading: Heading) -> bytes:
        """What comes first."""
        ...

    def turning(self, heading: Heading) -> bytes:
        """What comes where another checkpoint answers from then on."""
        ...

    def exchange(self, exchange: Exchange, heading: Heading) -> bytes:
        """An exchange; the heading is that of the checkpoint that answered."""
        ...


class JsonForm:
    """JSON lines: first the heading, then an exchange a line."""

    def opening(self, heading: Heading) -> bytes:
        """A line."""
        record = {"transcript": VERSION, "checkpoint": heading.checkpoint, "sha256": heading.fingerprint}
        return _line(record)

    def turning(self, heading: Heading) -> bytes:
        """Another heading."""
        return self.opening(heading)

    def exchange(self, exchange: Exchange, heading: Heading) -> bytes:
        """A line."""
        record = reply_record(
            exchange.reply,
            checkpoint=heading.checkpoint,
            seed=exchange.settings.get("seed", 0),
            candidates=True,
            attention=True,
        )
        end = getattr(exchange.reply.attention, "end", ())
        if end:
            record["attention"]["end"] = [round(float(weight), DIGITS) for weight in end]
        asked = {"history": list(exchange.history), "settings": dict(exchange.settings)}
        said = {"picked": exchange.picked, "mark": exchange.mark, "begins": exchange.begins}
        told = {name: value for name, value in said.items() if value}
        return _line({"question": record["question"]} | record | asked | told)


class HtmlForm:
    """A page with a section for each exchange."""

    def opening(self, heading: Heading) -> bytes:
        """The page's head."""
        title = f"A conversation with {heading.checkpoint}"
        return opening(title, by="Point at a word to see what it looked at.").encode()

    def turning(self, heading: Heading) -> bytes:
        """Nothing, since every section names its checkpoint."""
        return b""

    def exchange(self, exchange: Exchange, heading: Heading) -> bytes:
        """A section, of the reply that counts."""
        reply = exchange.chosen or exchange.reply
        notes = ["fallback"] if reply.fallback else []
        notes += [f"candidate {exchange.picked}"] if exchange.picked else []
        notes += [exchange.mark] if exchange.mark else []
        shown = Exhibit(
            heading.checkpoint,
            reply.question,
            reply.text,
            reply.score,
            reply.attention,
            turns=exchange.history,
            note=", ".join(notes),
        )
        return section(shown).encode()


FORMS: dict[str, Form] = {".jsonl": JsonForm(), ".html": HtmlForm()}
"""By the ending of the file's name."""


class Writing:
    """The parts of a transcript, one after the other."""

    def __init__(self, form: Form, heading: Heading) -> None:
        self._form, self._heading = form, heading
        self.opening = form.opening(heading)

    def exchange(self, exchange: Exchange) -> bytes:
        """The next exchange, and before it who answers where that is another one than before."""
        by = exchange.by or self._heading
        turning = b"" if by == self._heading else self._form.turning(by)
        self._heading = by
        return turning + self._form.exchange(exchange, by)


class Transcript:
    """A transcript in a file that grows as a conversation goes on.

    Args:
        path: of a new file.
    """

    def __init__(self, path: Path, writing: Writing) -> None:
        self._writing = writing
        self._journal = Journal(path)
        self._journal.add(writing.opening)

    def add(self, exchange: Exchange) -> None:
        """Write an exchange down.

        Raises:
            ChatbotError: the disk is full, say.
        """
        self._journal.add(self._writing.exchange(exchange))


def check_transcript(path: Path, where: str = "--transcript") -> None:
    """Refuse a file whose name does not say what it should be.

    Raises:
        OptionError: which names do.
    """
    if path.suffix.lower() not in FORMS:
        raise OptionError(where, f"{path.name} is no kind of transcript", "end the name in .html or .jsonl")


def open_transcript(path: Path, heading: Heading, where: str = "--transcript") -> Transcript:
    """A new transcript.

    Raises:
        OptionError: the name does not say what it should be.
        ChatbotError: there is a file of that name, or it cannot be written.
    """
    check_transcript(path, where)
    return Transcript(path, Writing(FORMS[path.suffix.lower()], heading))


def whole_transcript(form: Form, heading: Heading, exchanges: Sequence[Exchange]) -> bytes:
    """A transcript of what was said, all at once."""
    writing = Writing(form, heading)
    return b"".join([writing.opening, *map(writing.exchange, exchanges)])


def _line(record: Mapping[str, Any]) -> bytes:
    return json_line(record).encode() + b"\n"
