from __future__ import annotations

import pytest

from chatbot.cli.questions import Line, Question, json_question, read_line
from chatbot.errors import ChatbotError


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("text", ["hi", "", "  ", "a\u2028b\x0bc\x85d\re", "\ufeff"])
def test_line_is_its_text_however_it_ends(text: str, end: bytes) -> None:
    assert read_line(text.encode() + end, 2) == Line(text, 2)


def test_byte_order_mark_in_front_of_the_first_line_is_dropped() -> None:
    assert read_line(b"\xef\xbb\xbfhi\n", 1) == Line("hi", 1)


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert read_line(b"ca\xff\xfe caf\xc3\n", 3) == Line("ca\ufffd\ufffd caf\ufffd", 3, damaged=True)


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
