from __future__ import annotations

import io

import pytest

from chatbot.cli.questions import Question, json_question, read_lines
from chatbot.errors import ChatbotError


def lines(data: bytes) -> tuple[list[str], list[str]]:
    """The lines read, and the notes."""
    notes: list[str] = []
    return [line for _, line in read_lines(io.BytesIO(data), notes.append)], notes


@pytest.mark.parametrize("data", [b"hi\n\n  \nbye\n", b"hi\r\n\r\n  \r\nbye", b"\xef\xbb\xbfhi\n\n  \nbye"])
def test_lines_are_the_same_however_a_file_ends_and_begins_them(data: bytes) -> None:
    assert lines(data) == (["hi", "", "  ", "bye"], [])


def test_lines_end_at_line_feeds_only() -> None:
    assert lines("a\u2028b\x0bc\x85d\re\n".encode())[0] == ["a\u2028b\x0bc\x85d\re"]


def test_line_that_is_no_utf8_is_replaced_and_noted_once() -> None:
    read, notes = lines(b"ok\nca\xff\xfe caf\xc3\nok\n")
    assert read == ["ok", "ca\ufffd\ufffd caf\ufffd", "ok"]
    assert len(notes) == 1
    assert notes[0].startswith("line 2: ")


def test_no_bytes_are_no_lines() -> None:
    assert lines(b"") == ([], [])


def test_lines_come_before_the_next_is_read() -> None:
    source = io.BytesIO(b"one\ntwo\n")
    first = next(read_lines(source, print))
    assert first == (1, "one")
    assert source.tell() == len(b"one\n")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ('{"question": "a\\nb", "history": ["x", "y"], "id": 3}', Question("a\nb", ("x", "y"))),
        ('{"question": ""}', Question("")),
        ('{"question": "a\\ud800", "history": []}', Question("a\ufffd", ())),
        ("  ", Question("")),
    ],
)
def test_json_line_is_a_question(line: str, question: Question) -> None:
    assert json_question(line) == question


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "[" * 100_000,
        '{"question": 3}',
        '["question"]',
        '{"reply": "x"}',
        '{"question": "x", "history": "y"}',
        '{"question": "x", "history": [1]}',
        '{"question": ' + "9" * 5000 + "}",
    ],
)
def test_json_line_that_is_no_question_is_refused(line: str) -> None:
    with pytest.raises(ChatbotError, match="--input jsonl"):
        json_question(line)
