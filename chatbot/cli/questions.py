"""Questions from a stream of bytes: one a line, as plain text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from chatbot.display.text import whole
from chatbot.errors import ChatbotError

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Args:
        text: may hold line breaks; blank where there is nothing to answer.
        history: the turns before it, oldest first; None where the line says nothing of them.
    """

    text: str
    history: tuple[str, ...] | None = None


def read_lines(stream: BinaryIO, note: Callable[[str], None]) -> Iterator[tuple[int, str]]:
    """Each line with its number from 1, as soon as it is there, without its end.

    Lines end in LF or CR LF; the last one may lack it. A byte-order mark is dropped. Bytes that are no
    UTF-8 become U+FFFD and are noted, once a line.
    """
    for number, raw in enumerate(iter(stream.readline, b""), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            note(f"line {number}: is not all UTF-8; what could not be read was replaced")
            line = raw.decode("utf-8", "replace")
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield number, line.removesuffix("\n").removesuffix("\r")


def plain_question(line: str) -> Question:
    """The line is the question."""
    return Question(line)


def json_question(line: str) -> Question:
    """The question of ``{"question": "...", "history": ["...", ...]}``; other names are left alone.

    Raises:
        ChatbotError: the line is no such object.
    """
    if not line.strip():
        return Question("")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refused("is no JSON") from error
    if not isinstance(record, dict) or not isinstance(record.get("question"), str):
        raise _refused('is no object with a text under "question"')
    if "history" not in record:
        return Question(whole(record["question"]))
    return Question(whole(record["question"]), _history(record["history"]))


def _history(turns: Any) -> tuple[str, ...]:
    if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
        raise _refused('"history" is no list of texts')
    return tuple(whole(turn) for turn in turns)


def _refused(what: str) -> ChatbotError:
    return ChatbotError("", what, 'write {"question": "...", "history": ["...", ...]} with --input jsonl')
