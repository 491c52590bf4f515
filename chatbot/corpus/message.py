"""Message and Talk: what every reader yields, before anything is joined, cut or left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

SAID = "said"
SYSTEM = "system notes"
MEDIA = "media"
DELETED = "deleted messages"
BOT = "bot posts"
LINK = "bare links"
BLANK = "blank messages"

KINDS = (SAID, SYSTEM, MEDIA, DELETED, BOT, LINK, BLANK)
"""What a message can be. A reader says what the export says; the last two, and placeholders written as text,
are told apart by ``chatbot.corpus.phrases.placeholders``."""


class Message(NamedTuple):
    """One message of an export, or one line of a dialogue.

    Args:
        speaker: as the export names the person; "" for system notes.
        text: as typed, line breaks included; "" where there is only a medium.
        time: without time zone: local as the export gives it, UTC where it gives an instant. A year
            before 1900 stands for a date that is not known.
        kind: one of KINDS.
        id: what a reply names, unique within the talk; "" where the export has none.
        reply_to: id of the message this one replies to, "" where the export does not say.
        mentions: speakers it is addressed to, as the export names them.
    """

    speaker: str
    text: str
    time: datetime | None = None
    kind: str = SAID
    id: str = ""
    reply_to: str = ""
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """One chat, channel, thread or dialogue: its messages in order.

    Args:
        messages: may be an iterator; it is read to its end before the next talk is asked for.
        name: of the chat or channel, for people; "" where there is none.
        id: where the source gives its dialogues one.
        origin: where the source says where a dialogue is from; else the name of the file stands for it.
        language: BCP 47 tag where the source says it.
    """

    messages: Iterable[Message]
    name: str = ""
    id: str = ""
    origin: str = ""
    language: str | None = None
