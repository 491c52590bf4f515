"""ConvoKit: ``utterances.jsonl``, an utterance a line, in any order.

    {"id": "u2", "conversation_id": "u1", "reply-to": "u1", "speaker": "ann", "text": "hi", "timestamp": null}

Older corpora say ``root`` for ``conversation_id`` and ``user`` for ``speaker``. A conversation's utterances
are put in the order of their times where all have one, else of the tree of replies; nothing comes before what
it answers. They must be held in memory: the last line may belong to the first conversation.

Source: https://convokit.cornell.edu/documentation/data_format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from chatbot.corpus.conversation import whole
from chatbot.corpus.formats.moment import moment
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import DELETED, SAID, Message, Talk
from chatbot.corpus.records import parsed
from chatbot.errors import CorpusError

_SNIFFED = 5
_KEYS = (r'"(conversation_id|root)"\s*:', r'"(speaker|user)"\s*:', r'"text"\s*:', r'"id"\s*:')
_REPLY = re.compile(r'"reply[-_]to"\s*:')
_DELETED = ("[deleted]", "[removed]")
_REMEDY = "an utterance has id, conversation_id, speaker, text and reply-to"


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each conversation, in the order they begin in the file.

    Raises:
        CorpusError: a line is no utterance.
    """
    talks: dict[str, list[Message]] = {}
    for number, line in reading.lines_of(part):
        if line.strip():
            where = f"{part.name}:{number}"
            record = parsed(line, where)
            talk = _first(record, ("conversation_id", "root"), where)
            talks.setdefault(talk, []).append(_message(record, where))
    while talks:
        name = next(iter(talks))
        yield Talk(_in_order(talks.pop(name)), id=name)


def looks_like(head: Head) -> bool:
    """The first lines are objects with the keys of utterances."""
    lines = head.lines[:_SNIFFED]
    return bool(lines) and all(
        line.lstrip().startswith("{")
        and bool(_REPLY.search(line))
        and all(re.search(key, line) for key in _KEYS)
        for line in (lines[:-1] or lines)
    )


def _message(record: Mapping[str, Any], where: str) -> Message:
    text = record.get("text")
    text = _text(text, where) if text is not None else ""
    reply_to = record.get("reply-to", record.get("reply_to"))
    return Message(
        _first(record, ("speaker", "user"), where),
        text,
        moment(record.get("timestamp")),
        DELETED if text.strip() in _DELETED else SAID,
        _first(record, ("id",), where),
        _text(reply_to, where) if reply_to is not None else "",
    )


def _first(record: Mapping[str, Any], keys: Sequence[str], where: str) -> str:
    """The text under the first of the keys that the record has; of an object, its id."""
    value = next((record[key] for key in keys if record.get(key) is not None), None)
    if isinstance(value, dict):
        value = value.get("id")
    if value is None:
        raise CorpusError(where, f'lacks "{keys[0]}"', _REMEDY)
    return _text(value, where)


def _text(value: Any, where: str) -> str:
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise CorpusError(where, f"holds {type(value).__name__} where text should be", _REMEDY)
    return whole(value)


def _in_order(messages: Sequence[Message]) -> list[Message]:
    tree = _along_replies(messages)
    if any(message.time is None for message in messages):
        return tree
    times: dict[str, datetime] = {}
    for message in tree:  # a reply is not earlier than what it answers, whatever the clocks said
        assert message.time is not None
        times[message.id] = max(message.time, times.get(message.reply_to, message.time))
    return sorted(tree, key=lambda message: times[message.id])


def _along_replies(messages: Sequence[Message]) -> list[Message]:
    """Each message after the one it answers, replies to one message in the order of the file."""
    known = {message.id for message in messages}
    replies: dict[str, list[int]] = {}
    for at, message in enumerate(messages):
        replies.setdefault(message.reply_to if message.reply_to in known else "", []).append(at)
    ordered: list[int] = []
    done: set[int] = set()
    roots = [*replies.get("", ()), *range(len(messages))]  # the latter for circles
    for root in roots:
        stack = [root]
        while stack:
            at = stack.pop()
            if at not in done:
                done.add(at)
                ordered.append(at)
                stack += reversed(replies.get(messages[at].id, ()))
    return [messages[at] for at in ordered]
