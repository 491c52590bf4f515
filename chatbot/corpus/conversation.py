"""Turn, Conversation and Pair: what every reader yields and everything after it consumes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOBODY = -1
"""What a turn answers when it answers no turn of its conversation."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said before another spoke.

    Args:
        speaker: a name or pseudonym, unique within the conversation.
        text: what was said, as typed.
        time: ISO 8601, or None where the source has none.
        to: which turn of the conversation it answers, counted from 0; NOBODY where what it answers is not
            there; None where nothing is known, so it answers the turn before it.
    """

    speaker: str
    text: str
    time: str | None = None
    to: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in the order they were said.

    Args:
        id: unique within its corpus and stable: the split into training and validation hangs on it.
        origin: where it comes from (file, subject, package), for people.
        turns: at least one.
        language: BCP 47 tag where the source says it ("en", "zh"), else None.
    """

    id: str
    origin: str
    turns: tuple[Turn, ...]
    language: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The object of one line of ``conversations.jsonl``."""
        record: dict[str, Any] = {"id": self.id, "origin": self.origin}
        if self.language is not None:
            record["language"] = self.language
        record["turns"] = [
            {"speaker": turn.speaker, "text": turn.text}
            | ({"time": turn.time} if turn.time is not None else {})
            | ({"to": turn.to} if turn.to is not None else {})
            for turn in self.turns
        ]
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Conversation:
        """Read the object back.

        Raises:
            KeyError, TypeError, ValueError: the object is not of that form; the reader says which line.
        """
        turns = tuple(
            Turn(
                _string(turn["speaker"]),
                _string(turn["text"]),
                _optional(turn.get("time")),
                _earlier(turn.get("to"), at),
            )
            for at, turn in enumerate(record["turns"])
        )
        if not turns:
            raise ValueError("no turns")
        language = _optional(record.get("language"))
        return cls(_string(record["id"]), _string(record["origin"]), turns, language)


@dataclass(frozen=True, slots=True)
class Pair:
    """One thing said and the reply it got.

    Args:
        src: the turns before the reply, oldest first; one of them unless context was asked for.
        tgt: the reply.
        conversation: id of the conversation it is from.
        own: which turns of src were said by the one who replies; () where none was.
    """

    src: tuple[str, ...]
    tgt: str
    conversation: str
    own: tuple[bool, ...] = ()


def whole(text: str) -> str:
    """The text with halves of surrogate pairs replaced, which JSON can spell but no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {type(value).__name__}")
    return whole(value)


def _optional(value: object) -> str | None:
    return None if value is None else _string(value)


def _earlier(value: object, at: int) -> int | None:
    """The number of a turn before turn ``at``, or NOBODY, or None."""
    if value is None or (type(value) is int and NOBODY <= value < at):
        return value
    raise ValueError(f'"to" of turn {at} must be the number of a turn before it, not {value!r}')
