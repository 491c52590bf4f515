"""Slack: its text, which files are its own, and what is counted as not understood."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats import slack
from chatbot.corpus.formats.slack_text import People, plain, unescaped
from chatbot.corpus.input.decode import Head, head_of_part
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import parts_of
from chatbot.errors import CorpusError

CASES = Path(__file__).parent / "slack"


@given(st.text("a&;<>gtlamp|@#!U1", max_size=40))
def test_text_as_slack_escapes_it_is_decoded_once(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert unescaped(escaped) == text
    assert plain(escaped, People()) == (text, ())


@given(st.text("<>|@#!U1^&; lt", max_size=40))
def test_any_markup_is_text(text: str) -> None:
    shown, mentions = plain(text, People())
    assert all(f"@{name}" in shown for name in mentions)


def test_every_file_of_an_export_looks_like_slack() -> None:
    for part in parts_of([CASES / "channels_and_days" / "input"]):
        assert slack.looks_like(head_of_part(part))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.json", '[{"id": 5, "name": "ann"}]'),
        ("users.json", '{"ann": {"id": "U0AAAA001"}}'),
        ("2024-03-01.json", '[{"question": "a", "answer": "b"}]'),
        ("talks.json", "[]"),
        ("talks.json", '[{"from": "human", "value": "a", "type": "message"}]'),
        ("2024-03-01.json", '{"messages": [{"type": "message", "ts": "1709287200.000100"}]}'),
        ("lists.json", '[{"turns": ["a", "b"]}]'),
    ],
)
def test_other_json_does_not_look_like_slack(name: str, text: str) -> None:
    assert not slack.looks_like(Head(Path("export", name), (text,)))


def test_export_without_messages_is_refused() -> None:
    parts = [part for part in parts_of([CASES / "markup" / "input"]) if "general" not in part.name]
    with pytest.raises(CorpusError, match="holds no messages of a channel"):
        list(slack.read(parts, Reading(lambda notice: None)))


def test_records_that_are_no_messages_or_users_are_counted() -> None:
    reading = Reading(lambda notice: None)
    talks = slack.read(parts_of([CASES / "not_as_it_should_be" / "input"]), reading)
    assert sum(len(list(talk.messages)) for talk in talks) == 3
    assert reading.not_understood == 3 + 6
