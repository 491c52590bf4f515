"""A conversation survives the way to JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Conversation, Turn

texts = st.text(st.characters(exclude_categories=["Cs"]))
turns = st.builds(Turn, texts, texts, st.none() | texts)
conversations = st.builds(
    Conversation, texts, texts, st.lists(turns, min_size=1, max_size=4).map(tuple), st.none() | texts
)


@given(conversations)
def test_json_round_trip(conversation: Conversation) -> None:
    assert Conversation.from_json(json.loads(json.dumps(conversation.to_json()))) == conversation


def record(**changes: Any) -> dict[str, Any]:
    return {"id": "x", "origin": "test", "turns": [{"speaker": "A", "text": "Hi"}]} | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 7},
        {"origin": None},
        {"language": 3},
        {"turns": []},
        {"turns": None},
        {"turns": ["Hi"]},
        {"turns": [{"speaker": "A"}]},
        {"turns": [{"speaker": "A", "text": None}]},
        {"turns": [{"speaker": "A", "text": "Hi", "time": 12}]},
    ],
)
def test_other_forms_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Conversation.from_json(record(**changes))


def test_half_a_character_becomes_one_that_can_be_written() -> None:
    talk = Conversation.from_json(record(turns=[{"speaker": "A", "text": "x\ud83d"}]))
    assert talk.turns[0].text == "x\ufffd"
