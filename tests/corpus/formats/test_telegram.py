"""Telegram: what the cases do not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.corpus.formats import telegram
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message


def read(path: Path, reading: Reading | None = None) -> list[tuple[str, list[Message]]]:
    reading = reading or Reading(lambda notice: None)
    return [(talk.name, list(talk.messages)) for talk in telegram.read(Part(path), reading)]


@pytest.mark.parametrize("messages", ["7", "null", '{"a": 1}', '"x"', "[]", "[[[]]]"])
def test_messages_of_another_kind_are_no_talk(messages: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(f'{{"name": "x", "type": "personal_chat", "id": 1, "messages": {messages}}}')
    assert read(path) == []


def test_odd_message_is_counted_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text('{"messages": [{"type": "message", "from": "Ann", "text": "hi"}, 7]}')
    reading = Reading(pytest.fail)
    assert [len(messages) for _, messages in read(path, reading)] == [1]
    assert reading.not_understood == 1
    assert reading.first.startswith(f"{path}:2: ")


def test_chats_are_read_while_they_come(tmp_path: Path) -> None:
    """The end of the file is broken: it is not looked at before what stands first was given."""
    message = '{"type": "message", "from": "Ann", "text": "hi"}'
    path = tmp_path / "result.json"
    path.write_text(f'{{"name": "x", "type": "t", "id": 1, "messages": [{(message + ",") * 50_000} broken')
    talk = next(telegram.read(Part(path), Reading(pytest.fail)))
    assert next(iter(talk.messages)).text == "hi"


@pytest.mark.parametrize("moment", [-1, 10**18, 1e300, "soon", True, None, [], "9" * 5000])
def test_time_that_is_none_is_none(moment: Any, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    message = {"type": "message", "date_unixtime": moment, "date": moment, "from": "Ann", "text": "hi"}
    path.write_text(json.dumps({"messages": [message]}))
    ((_, (found,)),) = read(path)
    assert found.time is None


@pytest.mark.parametrize(
    "start",
    [
        '{"about": "Hier ist es.", "personal_information": {"user_id": 1, "first_name": "Ann", "bio": "',
        '{\n "about": "x",\n "contacts": {\n  "about": "y",\n  "list": [\n   {\n    "user_id": 1,',
        '{"chats": {"list": [{"name": "Ann", "type": "personal_chat", "id": 7, "messages": [',
        '{"name": "Ann", "type": "private_supergroup", "id": 7, "messages": []}',
    ],
)
def test_start_of_an_export_is_known(start: str) -> None:
    assert telegram.looks_like(Head(Path("x"), tuple(start.split("\n"))))


@pytest.mark.parametrize(
    "start",
    [
        '{"messages": [{"role": "user", "content": "hi"}]}',
        '{"messages": [{"sender_name": "Ann", "timestamp_ms": 1, "content": "hi", "type": "Generic"}]}',
        '{"guild": {"id": "1"}, "messages": [{"id": "1", "type": "Default", "timestamp": "2024-03-01T1"}]}',
        '[{"type": "message", "user": "U1", "ts": "1709287200.000100", "text": "hi"}]',
        '{"conversations": [{"from": "human", "value": "text_entities and \\"messages\\": []"}]}',
        '{"id": "a", "conversation_id": "a", "text": "hi", "speaker": "Ann", "reply-to": null}',
        '{"about": "a corpus", "turns": ["hi", "hello"]}',
        "hi",
    ],
)
def test_other_files_are_not_taken_for_telegram(start: str) -> None:
    assert not telegram.looks_like(Head(Path("result.json"), (start,)))
