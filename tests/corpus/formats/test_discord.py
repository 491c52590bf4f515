"""Discord: what is counted as not understood, and what is no export of a channel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatbot.corpus.formats import discord
from chatbot.corpus.input.decode import head_of_part
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

CASES = Path(__file__).parent / "discord"


def test_records_that_are_no_messages_are_counted_with_the_first_shown() -> None:
    part = Part(CASES / "not_as_it_should_be" / "input.json")
    reading = Reading(lambda notice: None)
    (talk,) = discord.read(part, reading)
    assert len(list(talk.messages)) == 3
    assert reading.not_understood == 7
    assert reading.first == f"{part.name}:1: message 1 has no author or no text"


@pytest.mark.parametrize("document", ["{}", "[]", "3", '{"channel": 5}', '{"messages": 5}', '{"guild": {}}'])
def test_document_without_channel_and_messages_is_refused(tmp_path: Path, document: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(document)
    with pytest.raises(CorpusError, match="holds no messages of a channel"):
        list(discord.read(Part(path), Reading(lambda notice: None)))


def test_name_after_the_messages_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    message = {"id": "1", "author": {"id": "2", "name": "ann"}, "content": "hi"}
    path.write_text(json.dumps({"messages": [message, message], "channel": {"name": "general"}}))
    (talk,) = discord.read(Part(path), Reading(lambda notice: None))
    assert talk.name == ""
    assert [message.text for message in talk.messages] == ["hi", "hi"]


@pytest.mark.parametrize(
    "document",
    [
        '{"guild": "x", "channel": {}}',
        '{"channel": {"name": "x"}, "messages": []}',
        '[{"guild": {"id": "1"}, "channel": {"id": "2"}}]',
        '{"guild": {"id": "1"}}',
        '{"name": "x", "messages": [{"guild": {}, "channel": {}}]}',
    ],
)
def test_other_json_does_not_look_like_a_channel(tmp_path: Path, document: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(document)
    assert not discord.looks_like(head_of_part(Part(path)))
