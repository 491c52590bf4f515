"""Telegram: ``result.json`` of one chat, or of a whole account.

    {"name": "Ann", "type": "personal_chat", "id": 7, "messages": [
      {"id": 1, "type": "message", "date": "2024-03-01T10:00:00", "date_unixtime": "1709287200",
       "from": "Ann", "from_id": "user7", "text": ["see ", {"type": "link", "text": "x.org"}, " ok"]}]}
    {"chats": {"list": [{...}, ...]}, "left_chats": {"list": [{...}]}}

What an account holds besides (contacts, sessions, personal information) is passed over. A chat whose name
comes after its messages has none here, since messages are not held.

Source: exports of Telegram Desktop, and its ``export_output_json.cpp``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from chatbot.corpus.formats.moment import moment
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import BOT, MEDIA, SAID, SYSTEM, Message, Talk

DELETED_ACCOUNT = "Deleted account"

_OPENING_BYTES = 65536
_CHATS = ("", "chats.list.item.", "left_chats.list.item.")
"""Where a chat is, in the words of ``Reading.json_of``."""

_KEYS = {"name": "name", "type": "type", "id": "id", "messages.item": "messages"}
_PLACES = {chat + place: (chat, key) for chat in _CHATS for place, key in _KEYS.items()}
_WHOLE = {chat[:-1]: chat for chat in _CHATS if chat}

_NO_HEADER = re.compile(rb'"list"\s*:\s*\[\s*\{\s*"messages"\s*:')
_ACCOUNT = re.compile(r'\s*\{\s*"(?:about|personal_information|chats|left_chats)"\s*:\s*["{]')
_OF_ACCOUNT = re.compile(
    r'"(?:personal_information|profile_pictures|stories|contacts|frequent_contacts|sessions|other_data'
    r'|chats|left_chats)"\s*:\s*[\[{]'
)
_LIST = re.compile(r'"(?:about|list|user_id|phone_number|date_unixtime)"\s*:')
_OBJECT = re.compile(r"\s*\{")
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_CHAT_TYPE = re.compile(
    r'"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|replies|verify_codes'
    r'|(?:private|public)_(?:group|supergroup|channel))"'
)
_MESSAGE_TYPE = re.compile(r'"type"\s*:\s*"(?:message|service)"')
_MESSAGE_KEY = re.compile(r'"(?:date_unixtime|text_entities|from_id|actor_id)"\s*:')
_DATED = re.compile(r'"date"\s*:\s*"\d{4}-\d\d-\d\dT')

_MEDIUM = frozenset(
    (
        *("photo", "file", "media_type", "sticker_emoji", "thumbnail", "mime_type", "poll", "todo_list"),
        "self_destruct_period_seconds",
        *("location_information", "live_location_period_seconds", "place_name", "address"),
        *("contact_information", "contact_vcard", "game_title", "invoice_information", "dice"),
        *("paid_media", "giveaway_information", "giveaway_results", "story_data"),
    )
)
"""A message that has one of these needs no text."""

_NOT_SAID = ("service", "unsupported")
_LONGEST_ID = 10**18


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each chat that has messages.

    Raises:
        CorpusError: it is no JSON.
    """
    for chat, found in groupby(_messages(part, reading), key=itemgetter(0)):
        yield Talk((message for _, message in found), chat.name)


def looks_like(head: Head) -> bool:
    """An object opens that holds messages as Telegram writes them, or what an account export begins with."""
    if not head.lines or not _OBJECT.match(head.lines[0]):
        return False
    start = "\n".join(head.lines)
    if _ACCOUNT.match(start) and _OF_ACCOUNT.search(start) and _LIST.search(start):
        return True
    if not _MESSAGES.search(start):
        return False
    if _CHAT_TYPE.search(start):
        return True
    return bool(_MESSAGE_TYPE.search(start) and (_MESSAGE_KEY.search(start) or _DATED.search(start)))


class _Chat:
    """What is known of a chat while its messages come.

    Args:
        place: where it is in the document.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.begun = False
        self._header: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._sharing: dict[str, int] = {}

    @property
    def name(self) -> str:
        name = self._header.get("name")
        return name if isinstance(name, str) else ""

    def is_over(self, place: str, key: str) -> bool:
        """Whether what stands at a place is of another chat."""
        return place != self.place or (key != "messages" and (self.begun or key in self._header))

    def learn(self, key: str, value: Any) -> None:
        """Note its name, type or id."""
        self._header[key] = value

    def message(self, record: Any) -> Message | None:
        """The message of a record; None where it is not as it should be."""
        self.begun = True
        if not isinstance(record, dict) or not ("type" in record or "text" in record):
            return None
        pieces = _pieces(record)
        sender = record.get("from")
        if pieces is None or not (sender is None or isinstance(sender, str)):
            return None
        text = "".join([piece if isinstance(piece, str) else piece["text"] for piece in pieces])
        if record.get("type") in _NOT_SAID:
            return Message("", text or _deed(record), _time(record), SYSTEM, _id(record.get("id")))
        identity = _id(record.get("from_id"))
        return Message(
            self._speaker(sender or DELETED_ACCOUNT, identity),
            text,
            _time(record),
            self._kind(record, text, identity),
            _id(record.get("id")),
            "" if "reply_to_peer_id" in record else _id(record.get("reply_to_message_id")),
            self._mentions(record, pieces),
        )

    def _speaker(self, name: str, identity: str) -> str:
        """The name of a sender; of two who share one, the second is "Ann (2)"."""
        if not identity:
            return name
        if (known := self._names.get(identity)) is not None:
            return known
        number = self._sharing.get(name, 1)
        own = name if number == 1 else f"{name} ({number})"
        while self._taken.setdefault(own, identity) != identity:
            number += 1
            own = f"{name} ({number})"
        self._names[identity] = own
        self._sharing[name] = number
        return own

    def _kind(self, record: dict[str, Any], text: str, identity: str) -> str:
        of_bot = self._header.get("type") == "bot_chat" and identity == f"user{_id(self._header.get('id'))}"
        if of_bot or "inline_bot_buttons" in record:
            return BOT
        if not text.strip():
            return SAID if _MEDIUM.isdisjoint(record) else MEDIA
        return BOT if record.get("via_bot") else SAID

    def _mentions(self, record: dict[str, Any], pieces: list[Any]) -> tuple[str, ...]:
        """Who is addressed: by the name they have here where it is known, else as the text says."""
        if len(pieces) < 2 and isinstance(record.get("text"), str):
            entities = record.get("text_entities")
            pieces = entities if isinstance(entities, list) else []
        found: dict[str, None] = {}
        for piece in pieces:
            if not isinstance(piece, dict) or not isinstance(text := piece.get("text"), str):
                continue
            if piece.get("type") == "mention":
                found.setdefault(text.removeprefix("@"))
            elif piece.get("type") == "mention_name":
                known = self._names.get(f"user{_id(piece.get('user_id'))}")
                found.setdefault(known or text.removeprefix("@"))
        found.pop("", None)
        return tuple(found)


def _messages(part: Part, reading: Reading) -> Iterator[tuple[_Chat, Message]]:
    """Every message with its chat."""
    number = 0
    chat = _Chat("")
    for place, key, value in _values(part, reading):
        if chat.is_over(place, key):
            chat = _Chat(place)
        if key != "messages":
            chat.learn(key, value)
            continue
        number += 1
        message = chat.message(value)
        if message is None:
            reading.miss(part, number, f"message {number} is not as Telegram writes them")
        else:
            yield chat, message


def _values(part: Part, reading: Reading) -> Iterator[tuple[str, str, Any]]:
    """What is known of chats and their messages as they come: (place of the chat, key, value).

    Where one chat ends shows by the name, type or id of the next. Telegram always writes these; where a
    list of chats begins without them, its chats are held one at a time.
    """
    if not _has_no_header(part):
        for place, value in reading.json_of(part, *_PLACES):
            yield *_PLACES[place], value
        return
    for place, chat in reading.json_of(part, *_WHOLE):
        chat = chat if isinstance(chat, dict) else {}
        yield from ((_WHOLE[place], key, chat.get(key)) for key in ("name", "type", "id"))
        messages = chat.get("messages")
        yield from (
            (_WHOLE[place], "messages", each) for each in (messages if isinstance(messages, list) else ())
        )


def _has_no_header(part: Part) -> bool:
    with part.open() as stream:
        return _NO_HEADER.search(stream.read(_OPENING_BYTES).replace(b"\0", b"")) is not None


def _pieces(record: dict[str, Any]) -> list[Any] | None:
    """The text in its pieces, texts or objects that have one; None where they are something else."""
    value = record.get("text")
    if value is None:
        value = record.get("text_entities")
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return None
    for piece in value:
        text = piece.get("text") if isinstance(piece, dict) else piece
        if not isinstance(text, str):
            return None
    return value


def _deed(record: dict[str, Any]) -> str:
    """What a service message tells: who did what."""
    told = (record.get("actor"), record.get("action"))
    return ": ".join(each.replace("_", " ") for each in told if isinstance(each, str))


def _time(record: dict[str, Any]) -> datetime | None:
    time = moment(record.get("date_unixtime"))
    return moment(record.get("date")) if time is None else time


def _id(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LONGEST_ID:
        return str(value)
    return ""
