"""Plain lines: what is taken for talk, and what for the log of a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import lines
from chatbot.corpus.input.decode import Head

DATED = [
    "Sun 3rd Mar 2024 at 10h{0:02}m | P{1} > text {0}",
    "3. März 2024 um 10:{0:02} Uhr - P{1}: text {0}",
    "le 3 janvier 2024 à 10h{0:02} P{1} : text {0}",
    "[2024年1月3日 10:{0:02}] P{1}: text {0}",
    "20240103T10{0:02} P{1} text {0}",
    "2024W03 {0} P{1} text",
    "17040672{0:02} P{1} text {0}",
    "P{1} (10:{0:02}) text {0}",
    "P{1} - 3 Jan 2024 - text {0}",
    "10.{0:02} pm P{1} text {0}",
    "#{0} 2024/01/03 P{1} text",
]
SIGNED = ["<P{1}> text {0}", "[P{1}] text", "{0:06} text", "{0} | P{1} | text", "(P{1}) text {0}"]


def head(texts: list[str]) -> Head:
    return Head(Path("a.txt"), tuple(texts))


@pytest.mark.parametrize("line", DATED + SIGNED)
def test_lines_refuses_what_a_machine_wrote(line: str) -> None:
    assert not lines.looks_like(head([line.format(at, at % 2) for at in range(1, 60)]))


@pytest.mark.parametrize("line", DATED)
def test_lines_refuses_a_log_with_messages_of_two_lines(line: str) -> None:
    texts = [text for at in range(30) for text in (line.format(at, at % 2), "and more")]
    assert not lines.looks_like(head(texts))


@pytest.mark.parametrize(
    "texts",
    [
        ["line 1", "line 2", "line 3", "line 4"],
        ["1. One", "2. Two", "3. Three", "4. Four"],
        ["1) One", "2) Two", "3) Three"],
        ["12 monkeys is a film", "7 of 9 is not", "3 men in a boat", "101 dogs"],
        ["When?", "At 10:30", "Thanks, 11:00 is better", "See you at 10:45 then"],
        ["In 2024?", "On 3 May 2024.", "No, that was 4 May.", "May 5, I say", "I was 12"],
        ["It costs 3.50", "That is 12.30 too much", "No", "Yes"],
        ["你好", "2024年1月见", "好的", "再见"],
        ["(sighs) No.", "Why?", "Because.", "(laughs) Fine."],
        ["10:30 | P", "two lines"],
    ],
)
def test_lines_takes_talk_with_numbers_in_it(texts: list[str]) -> None:
    assert lines.looks_like(head(texts))


@pytest.mark.parametrize("line", ["<!DOCTYPE html>", '{"a": 1}', "[", "<?xml version='1.0'?>"])
def test_lines_refuses_markup(line: str) -> None:
    assert not lines.looks_like(head([line, "more"]))
