"""Recordings: the exchanges of a transcript in JSON lines, read back to be asked again or to go on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.config import Config, DecodingOptions
from chatbot.display.text import whole
from chatbot.display.transcript import VERSION, Heading
from chatbot.errors import ChatbotError, OptionError
from chatbot.files import open_bytes
from chatbot.repl.exchange import Exchange

if TYPE_CHECKING:
    from chatbot.reply import Attention, Reply, Word

Tell = Callable[[str], None]

MARKS = ("", "good", "bad", "taught")
REMEDY = "name a transcript in JSON lines, as /save and chatbot chat --transcript FILE.jsonl write"


@dataclass(frozen=True, slots=True)
class Recording:
    """An exchange as it was: what was asked, how, and what was replied.

    Args:
        line: its number in the file.
        by: who answered.
        candidates: how many were asked for.
        reply: the reply that counts, as it was printed.
        picked: which of the candidates that is, from 1; 0: the first one, or the fallback.
        record: all that was written down.
    """

    line: int
    by: Heading
    question: str
    history: tuple[str, ...]
    options: DecodingOptions
    candidates: int
    reply: str
    picked: int
    record: Mapping[str, Any]

    def said(self, reply: Reply) -> str:
        """What counts of a reply to the same question."""
        if not self.picked:
            return reply.text
        found = reply.candidates[self.picked - 1 : self.picked]
        return found[0].reply if found else ""

    def exchange(self, path: Path) -> Exchange:
        """As an exchange of a conversation; what was picked is still to be picked.

        Raises:
            ChatbotError: the line is damaged.
        """
        try:
            reply = _reply(self.record, self.question, self.history)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise _no_exchange(path, self.line) from None
        mark = self.record.get("mark", "")
        mark = mark if mark in MARKS else ""
        asked = self.question, reply, self.history, self.options, self.by, self.candidates
        return Exchange(*asked, mark=mark, begins=self.record.get("begins") is True)


@dataclass(frozen=True, slots=True)
class Transcribed:
    """A transcript, read.

    Args:
        heading: who answered first.
    """

    path: Path
    heading: Heading
    recordings: tuple[Recording, ...]


def read_transcript(path: Path, tell: Tell) -> Transcribed:
    """A transcript in JSON lines; of one that was cut short in its last line the rest is read.

    Args:
        tell: is told what was left out.

    Raises:
        ChatbotError: it is none, or one of its lines is damaged.
    """
    first = by = None
    recordings = []
    for number, record in _lines(path, tell):
        if "transcript" in record or first is None:
            by = _heading(path, record)
            first = first or by
        else:
            assert by is not None
            recordings.append(_recording(path, number, by, record))
    if first is None:
        raise ChatbotError(str(path), "is no transcript", REMEDY)
    return Transcribed(path, first, tuple(recordings))


def _lines(path: Path, tell: Tell) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, with the numbers of their lines."""
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                record = json.loads(raw)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                yield number, record
            elif raw.endswith(b"\n") or number == 1:
                raise ChatbotError(f"{path}: line {number}", "is no JSON object", REMEDY)
            else:
                tell(f"{path}: line {number} is cut short and left out")


def _heading(path: Path, record: Mapping[str, Any]) -> Heading:
    if record.get("transcript") != VERSION:
        raise ChatbotError(str(path), "is no transcript", REMEDY)
    return Heading(str(record.get("checkpoint")), str(record.get("sha256")))


def _recording(path: Path, number: int, by: Heading, record: Mapping[str, Any]) -> Recording:
    try:
        question, history, reply = record["question"], record["history"], record["reply"]
        settings, picked = record["settings"], record.get("picked", 0)
        decoding, candidates = settings["decoding"], settings["candidates"]
        if picked:
            reply = record["candidates"][picked - 1]["reply"]
        sound = all(isinstance(text, str) for text in (question, reply, *history))
        sound = sound and type(candidates) is type(picked) is int and picked >= 0
        changes = {f"decoding.{name}": value for name, value in decoding.items()}
    except (LookupError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise _no_exchange(path, number)
    try:
        options = Config().replace(changes, f"{path}: line {number}").decoding
    except OptionError as error:
        where, remedy = f"{path}: line {number}", "use the version of chatbot that wrote it"
        raise ChatbotError(where, error.what, remedy) from None
    turns = tuple(map(whole, history))
    return Recording(number, by, whole(question), turns, options, candidates, reply, picked, record)


def _no_exchange(path: Path, number: int) -> ChatbotError:
    return ChatbotError(f"{path}: line {number}", "is no exchange", REMEDY)


def _reply(record: Mapping[str, Any], question: str, history: tuple[str, ...]) -> Reply:
    from chatbot.reply import Candidate, Reply

    named = tuple(Candidate(str(one["reply"]), _number(one["score"])) for one in record["candidates"])
    confidence = record.get("confidence")
    return Reply(
        question,
        str(record["reply"]),
        _number(record["score"]),
        record["fallback"] is True,
        record["truncated"] is True,
        named,
        None if record["attention"] is None else _attention(record["attention"]),
        history,
        None if confidence is None else float(confidence),
    )


def _attention(record: Mapping[str, Any]) -> Attention:
    from chatbot.reply import Attention

    source, reply = (tuple(map(_word, record[side])) for side in ("source", "reply"))
    weights = tuple(tuple(map(_number, row)) for row in record["weights"])
    end = tuple(map(_number, record.get("end", ())))
    if len(weights) != len(reply) or any(
        len(row) != len(source) for row in (*weights, *([end] if end else []))
    ):
        raise ValueError("rows and columns do not fit the words")
    return Attention(source, reply, weights, end)


def _word(record: Mapping[str, Any]) -> Word:
    from chatbot.reply import Word

    turn = record.get("turn", 0)
    return Word(str(record["text"]), int(record["start"]), int(record["end"]), int(turn))


def _number(value: Any) -> float:
    """A number; null, which stands for one that is not finite, is 0."""
    return 0.0 if value is None else float(value)


def headings(recordings: Sequence[Recording], first: Heading) -> list[Heading]:
    """Everybody who answered, each once, in their order."""
    return list(dict.fromkeys([first, *(each.by for each in recordings)]))
