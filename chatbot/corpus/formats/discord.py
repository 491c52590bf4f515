"""Discord: JSON of DiscordChatExporter, a file a channel.

    {"guild": {"id": "1", "name": "Garden"}, "channel": {"id": "2", "name": "general"},
     "messages": [{"id": "3", "type": "Default", "timestamp": "2024-03-01T10:00:00.5+02:00", "content": "Hi",
                   "author": {"id": "4", "name": "ann", "nickname": null, "isBot": false},
                   "reference": {"messageId": "..."}, "mentions": [...], "attachments": [...]}]}

A message that was forwarded from elsewhere holds nothing of who sends it, and counts as a medium.

Source: https://github.com/Tyrrrz/DiscordChatExporter, ``JsonMessageWriter.cs``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from chatbot.corpus.formats.moment import moment
from chatbot.corpus.formats.roster import Roster
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import BOT, MEDIA, SAID, SYSTEM, Message, Talk
from chatbot.errors import CorpusError

_NAME = "channel.name"
_MESSAGES = "messages.item"

_SAID_TYPES = frozenset(("Default", "Reply", "0", "19", "20", "23"))
"""The exporter writes types it has no word for as Discord's numbers; 20 and 23 answer commands."""

_SHOWN = ("attachments", "embeds", "stickers")
_MARKUP = re.compile(r"<(?:@!?(\d{1,20})|a?(:\w{1,32}:)\d{1,20})>", re.ASCII)
"""A mention or an emoji, where the exporter was told to leave them as Discord stores them."""

_HEADER = re.compile(r'\s*\{\s*"guild"\s*:\s*\{')
_CHANNEL = re.compile(r'"channel"\s*:\s*\{')


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the channel as one talk.

    Raises:
        CorpusError: it is no JSON, or has neither a channel nor messages.
    """
    found = reading.json_of(part, _NAME, _MESSAGES)
    name: str | None = None
    first = next(found, None)
    while first is not None and first[0] == _NAME:
        name = first[1] if isinstance(first[1], str) else ""
        first = next(found, None)
    if first is None:
        if name is None:
            raise CorpusError(part.name, "holds no messages of a channel", "give JSON of DiscordChatExporter")
        yield Talk((), name)
        return
    records = (value for place, value in itertools.chain((first,), found) if place == _MESSAGES)
    yield Talk(_messages(records, part, reading), name or "")


def looks_like(head: Head) -> bool:
    """An object opens with a guild, and a channel follows."""
    start = "\n".join(head.lines)
    return bool(_HEADER.match(start) and _CHANNEL.search(start))


def _messages(records: Iterator[Any], part: Part, reading: Reading) -> Iterator[Message]:
    roster = Roster()
    for number, record in enumerate(records, start=1):
        message = _message(record, roster)
        if message is None:
            reading.miss(part, number, f"message {number} has no author or no text")
        else:
            yield message


def _message(record: Any, roster: Roster) -> Message | None:
    """The message of a record; None where it is none."""
    if not isinstance(record, dict):
        return None
    author, text = record.get("author"), record.get("content", "")
    speaker = _named(author, roster)
    if not isinstance(author, dict) or not speaker or not isinstance(text, str | None):
        return None
    people = [person for person in _listed(record.get("mentions")) if isinstance(person, dict)]
    mentions = tuple(dict.fromkeys(name for person in people if (name := _named(person, roster))))
    kind = _kind(record, author, text or "")
    return Message(
        "" if kind == SYSTEM else speaker,
        _plain(text or "", people, roster),
        moment(record.get("timestamp")),
        kind,
        _id(record.get("id")),
        "" if kind == SYSTEM else _answered(record.get("reference")),
        mentions,
    )


def _kind(record: Mapping[str, Any], author: Mapping[str, Any], text: str) -> str:
    if str(record.get("type", "Default")) not in _SAID_TYPES:
        return SYSTEM
    if author.get("isBot") is True:
        return BOT
    shown = any(_listed(record.get(key)) for key in _SHOWN) or isinstance(
        record.get("forwardedMessage"), dict
    )
    return MEDIA if shown and not text.strip() else SAID


def _named(person: Any, roster: Roster) -> str:
    """What a person is called in the talk; "" where it is nobody.

    Bridges post as one bot under many names: each is one.
    """
    if not isinstance(person, dict):
        return ""
    name, nickname = (
        value if isinstance(value, str) else "" for value in map(person.get, ("name", "nickname"))
    )
    number = person.get("discriminator")
    tagged = f"{name}#{number}" if isinstance(number, str) and number.strip("0") else ""
    identity = _id(person.get("id")) or f"{name}#{number}"
    if person.get("isBot") is True:
        identity = f"{identity} {name}"
    if not (name or nickname or _id(person.get("id"))):
        return ""
    return roster.name(identity, (nickname, name, tagged) if nickname else (name, tagged))


def _plain(text: str, people: list[dict[str, Any]], roster: Roster) -> str:
    """The text with mentions and emoji as they are shown."""
    if "<" not in text:
        return text
    names = {_id(person.get("id")): _named(person, roster) for person in people}

    def shown(found: re.Match[str]) -> str:
        if found[2]:
            return found[2]
        return f"@{names[found[1]]}" if names.get(found[1]) else found[0]

    return _MARKUP.sub(shown, text)


def _answered(reference: Any) -> str:
    if not isinstance(reference, dict) or reference.get("type") == "Forward":
        return ""
    return _id(reference.get("messageId"))


def _id(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
