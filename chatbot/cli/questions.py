"""Questions from a stream of bytes: one a line, as plain text or as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of input, without its end.

    Args:
        number: from 1.
        damaged: some of its bytes are no UTF-8; U+FFFD stands for them.
    """

    text: str
    number: int
    damaged: bool = False


def read_line(raw: bytes, number: int) -> Line:
    """A line from its bytes: it ends in LF or CR LF, and the last one may lack that.

    A byte-order mark in front of the first is dropped.
    """
    try:
        text, damaged = raw.decode("utf-8"), False
    except UnicodeDecodeError:
        text, damaged = raw.decode("utf-8", "replace"), True
    if number == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)
    return Line(text.removesuffix("\n").removesuffix("\r"), number, damaged)


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
