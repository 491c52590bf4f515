"""Slack: an export, as zip or folder.

    users.json  channels.json  groups.json  dms.json  mpims.json       who and what there is
    general/2024-03-01.json                                            the messages of a channel on a day
      [{"type": "message", "user": "U01", "text": "Hi <@U02>", "ts": "1709287200.000100", "thread_ts": "..."}]

A talk is a channel. A reply in a thread answers the message before it in the thread, the first one that which
the thread hangs on. No more than a day of a channel is held.

Source: https://slack.com/help/articles/220556107, and https://api.slack.com/events/message for the subtypes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from chatbot.corpus.formats.moment import moment
from chatbot.corpus.formats.slack_text import People, plain
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import BOT, DELETED, MEDIA, SAID, SYSTEM, Message, Talk
from chatbot.errors import CorpusError

_USERS = frozenset(("users", "org_users"))
_CHANNELS = frozenset(("channels", "groups", "mpims"))
_DIRECT = "dms"
_PASSED_OVER = frozenset(
    (
        *("integration_logs", "canvases", "canvas_in_the_conversation", "file_conversations", "lists"),
        *("huddle_transcripts", "huddles", "templates"),
    )
)
"""Files of an export that hold nothing anybody said to others."""

_OTHERS = _USERS | _CHANNELS | {_DIRECT} | _PASSED_OVER

_SUBTYPES = {
    "thread_broadcast": SAID,
    "me_message": SAID,
    "file_share": SAID,
    "bot_message": BOT,
    "slackbot_response": BOT,
    "assistant_app_thread": BOT,
    "tombstone": DELETED,
    "message_deleted": DELETED,
}
"""What a subtype is; any other is a note of Slack's."""

_SHOWN = ("files", "file", "attachments", "upload", "room")
_UPLOADED = re.compile(
    r"\s*<@\w+(?:\|[^<>]*)?> (?:uploaded|shared) (?:a|an) (?:file|image|\w+ file): <[^<>]*>"
    r"(?: and commented: (?P<said>.*))?",
    re.DOTALL | re.ASCII,
)
"""How exports before 2018 wrote a file with what was said to it."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_LIST = re.compile(r"\s*\[\s*(\{|\]\s*$)")
_EMPTY = re.compile(r"\s*\[\s*\]\s*$")
_TYPE = re.compile(r'"type"\s*:\s*"message"')
_STAMP = re.compile(r'"ts"\s*:\s*"\d{9,11}\.\d{1,6}"')
_ID = re.compile(r'"(?:id|user_id)"\s*:\s*"[A-Z][A-Z0-9]+"')


@dataclass(slots=True)
class _Workspace:
    """What belongs together: the parts of one export.

    Args:
        others: files that say who and what there is, by their names.
        channels: the parts with messages, by channel.
    """

    others: list[tuple[str, Part]] = field(default_factory=list)
    channels: dict[str, list[Part]] = field(default_factory=dict)


def read(parts: Sequence[Part], reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each channel, its days in order.

    Raises:
        CorpusError: a part is no JSON, or none has messages.
    """
    workspaces: dict[tuple[str, str], _Workspace] = {}
    for part in parts:
        place, channel, stem = _place(part)
        workspace = workspaces.setdefault(place, _Workspace())
        if stem in _OTHERS:
            workspace.others.append((stem, part))
        else:
            workspace.channels.setdefault(channel, []).append(part)
    if not any(workspace.channels for workspace in workspaces.values()):
        names = ", ".join(part.name for part in parts)
        raise CorpusError(names, "holds no messages of a channel", "give the whole export, as zip or folder")
    for workspace in workspaces.values():
        people, direct = _people(workspace, reading)
        for channel, days in workspace.channels.items():
            name = ", ".join(map(people.name, direct.get(channel, ()))) or channel
            yield Talk(_messages(days, people, reading), name)


def looks_like(head: Head) -> bool:
    """A list of messages with Slack's stamps; or of users or channels, by its name and the ids in it."""
    start = "\n".join(head.lines)
    if not _LIST.match(start):
        return False
    stem = head.path.stem
    if stem in _OTHERS:
        return bool(_EMPTY.match(start) or _ID.search(start))
    if _EMPTY.match(start):
        return bool(_DAY.fullmatch(stem))
    return bool(_TYPE.search(start) and _STAMP.search(start))


def _place(part: Part) -> tuple[tuple[str, str], str, str]:
    """Where the export of a part is, the channel of the part, and its name without ending."""
    path = PurePosixPath(part.member.replace("\\", "/") if part.member else part.file.as_posix())
    archive = str(part.file) if part.member else ""
    folder = path.parent
    if path.stem == "canvas_in_the_conversation" or _DAY.fullmatch(path.stem):
        return (archive, str(folder.parent)), folder.name, path.stem
    return (archive, str(folder)), path.stem, path.stem


def _people(workspace: _Workspace, reading: Reading) -> tuple[People, dict[str, list[str]]]:
    """Who and what there is; and the members of talks between two, which have no name."""
    people = People()
    direct: dict[str, list[str]] = {}
    for stem, part in workspace.others:
        if stem in _PASSED_OVER:
            continue
        for number, (_, record) in enumerate(reading.json_of(part, "item"), start=1):
            identity = record.get("id") if isinstance(record, dict) else None
            if not isinstance(identity, str):
                reading.miss(part, number, f"item {number} of {stem} has no id")
            elif stem in _USERS:
                people.add_user(identity, record)
            elif stem in _CHANNELS:
                people.add_channel(identity, record)
            else:
                direct[identity] = [name for name in _listed(record.get("members")) if isinstance(name, str)]
    return people, direct


def _messages(days: Sequence[Part], people: People, reading: Reading) -> Iterator[Message]:
    threads: dict[str, str] = {}
    for part in sorted(days, key=lambda part: part.name):
        found: list[tuple[datetime, Message]] = []
        last = datetime.min
        for number, (_, record) in enumerate(reading.json_of(part, "item"), start=1):
            message = _message(record, people)
            if message is None:
                reading.miss(part, number, f"message {number} is not as it should be")
                continue
            last = message.time or last
            found.append((last, message))
        found.sort(key=lambda pair: pair[0])
        for _, message in found:
            yield _in_thread(message, threads)


def _message(record: Any, people: People) -> Message | None:
    """The message of a record, as a reply to what its thread hangs on; None where it is none."""
    if not isinstance(record, dict) or record.get("type", "message") != "message":
        return None
    raw = record.get("text")
    if not isinstance(raw, str | None):
        return None
    kind = _kind(record, people)
    raw = raw or ""
    if uploaded := _UPLOADED.fullmatch(raw):
        raw = uploaded["said"] or ""
    if kind == SAID and not raw.strip() and (uploaded or any(record.get(key) for key in _SHOWN)):
        kind = MEDIA
    speaker = "" if kind == SYSTEM else people.author(record)
    if kind == SAID and not speaker:
        return None
    text, mentions = plain(raw, people)
    stamp = record.get("ts")
    return Message(
        speaker, text, moment(stamp), kind, _stamp(stamp), _stamp(record.get("thread_ts")), mentions
    )


def _kind(record: dict[str, Any], people: People) -> str:
    subtype = record.get("subtype")
    kind = SAID if subtype is None else _SUBTYPES.get(subtype, SYSTEM) if isinstance(subtype, str) else SYSTEM
    is_bot = record.get("bot_id") or people.is_bot(record.get("user"))
    return BOT if kind == SAID and is_bot else kind


def _in_thread(message: Message, threads: dict[str, str]) -> Message:
    """The message as a reply to the one before it in its thread.

    Args:
        threads: the last message of each thread.
    """
    thread = message.reply_to
    if message.kind == SYSTEM or not thread:
        return message._replace(reply_to="")
    before = "" if thread == message.id else threads.get(thread, thread)
    threads[thread] = message.id
    return message._replace(reply_to=before)


def _stamp(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
