"""A reply as the JSON object of ``chatbot chat --json``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from chatbot.display.reply import ShownAttention, ShownReply, ShownWhy, ShownWord
from chatbot.display.text import CONTROLS, HALVES, OVERRIDES, printable

DIGITS = 6
"""Decimals of scores and weights: what single precision can tell of a number around 1."""

ESCAPES = str.maketrans(
    {char: f"\\u{ord(char):04x}" for char in CONTROLS + OVERRIDES + HALVES + "\u2028\u2029"}
)


def reply_record(
    reply: ShownReply, *, checkpoint: str, seed: int, candidates: bool = False, attention: bool = False
) -> dict[str, Any]:
    """The object for one reply.

    Args:
        checkpoint: name of the checkpoint that answered.
        seed: the seed it answered with.
        candidates: name the n best replies as well.
        attention: name the words and weights as well; null where the reply has none.
    """
    record: dict[str, Any] = {
        "question": reply.question,
        "reply": printable(reply.text),
        "score": _number(reply.score),
        "confidence": None if reply.confidence is None else _number(reply.confidence),
        "fallback": reply.fallback,
        "truncated": reply.truncated,
    }
    if reply.history:
        record["history"] = list(reply.history)
    if candidates:
        record["candidates"] = [
            {"reply": printable(candidate.reply), "score": _number(candidate.score)}
            for candidate in reply.candidates
        ]
    if attention:
        record["attention"] = reply.attention and attention_record(reply.attention, reply.text)
    if reply.why is not None:
        record["why"] = why_record(reply.why)
    return record | {"checkpoint": checkpoint, "seed": seed}


def attention_record(attention: ShownAttention, text: str) -> dict[str, Any]:
    """Words, offsets and weights; the reply's offsets are into the reply as printed.

    Where turns before the question were read, each source word says of which turn it is, and its offsets are
    into that turn.

    Args:
        text: the reply, which ``attention.reply`` has its offsets into.
    """
    earlier = any(word.turn for word in attention.source)
    return {
        "source": [_read(word, earlier) for word in attention.source],
        "reply": [_printed(word, text) for word in attention.reply],
        "weights": [_numbers(row) for row in attention.weights],
    }


def why_record(why: ShownWhy) -> dict[str, Any]:
    """Whether the reply is a training reply, and the nearest training pairs."""
    return {
        "verbatim": why.verbatim,
        "pairs": [
            {
                "question": printable(pair.question),
                "reply": printable(pair.reply),
                "similarity": _number(pair.similarity),
            }
            for pair in why.pairs
        ],
    }


def json_line(record: Mapping[str, Any]) -> str:
    """The object on one line, readable in any script, with nothing in it that a terminal would obey."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False).translate(ESCAPES)


def _read(word: ShownWord, earlier: bool) -> dict[str, Any]:
    turn = {"turn": word.turn} if earlier else {}
    return {"text": word.text, "start": word.start, "end": word.end, **turn}


def _printed(word: ShownWord, text: str) -> dict[str, Any]:
    start, end = (len(printable(text[:offset])) for offset in (word.start, word.end))
    return {"text": printable(word.text), "start": start, "end": end}


def _numbers(values: Sequence[float]) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: float) -> float | None:
    return round(float(value), DIGITS) if math.isfinite(value) else None
