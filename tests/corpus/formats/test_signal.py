"""Signal: what the cases do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import signal
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part


def test_lines_before_the_first_message_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("A title\n[2023-12-24, 18:00] Ann: Hi\n")
    reading = Reading(pytest.fail)
    (talk,) = signal.read(Part(path), reading)
    assert [message.text for message in talk.messages] == ["Hi"]
    assert reading.first == f"{path}:1: A title"


@pytest.mark.parametrize(
    "lines",
    [
        ("Hello", "Hi there"),
        ("[2023-12-24, 18:00:15] Ann: Hi", "[2023-12-24, 18:01:15] Bob: Hi"),
        ("[2023-12-24, 18:00] no speaker", "[2023-12-24, 18:01] here"),
        ("[18:00] <ann> hi", "[18:01] <bob> hi"),
    ],
)
def test_other_texts_are_not_taken_for_signal(lines: tuple[str, ...]) -> None:
    assert not signal.looks_like(Head(Path("x"), lines))
