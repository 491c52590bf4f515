"""What is exported can be read by our own readers, and is what training would see."""

from __future__ import annotations

from chatbot.corpus.conversation import Conversation, Pair, Turn
from chatbot.corpus.exporting import chatml_records, conversation_records, sides

PAIRS = [
    Pair(("hi\tthere\nyou",), "hello", "1"),
    Pair(("hi", "hello", "how are you"), "fine", "1", (False, True, False)),
]


def test_sides_are_on_one_line_without_a_tab() -> None:
    assert list(sides(PAIRS)) == [("hi there you", "hello"), ("hi hello how are you", "fine")]


def test_chatml_tells_who_said_what_before() -> None:
    records = list(chatml_records(PAIRS))
    assert [message["role"] for message in records[1]["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert records[0]["messages"][0]["content"] == "hi\tthere\nyou"


def test_jsonl_is_what_is_stored() -> None:
    talk = Conversation("1", "test", (Turn("A", "hi", "2024-01-01"), Turn("B", "yes", None, 0)), "en")
    assert [Conversation.from_json(record) for record in conversation_records([talk])] == [talk]
