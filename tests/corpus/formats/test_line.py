"""LINE: what the cases do not show."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from chatbot.corpus.formats import line
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message


def messages(path: Path, reading: Reading) -> list[Message]:
    (talk,) = line.read(Part(path), reading)
    return list(talk.messages)


@pytest.mark.parametrize(
    "heading",
    [
        "2024/01/15(Mon)",
        "2024/1/15(月)",
        "2024/01/15（一）",
        "2024.01.15 Monday",
        "2024.01.15 月曜日",
        "2024年1月15日(月)",
        "2024년 1월 15일 월요일",
        "Mon, 01/15/2024",
        "Mon, 15/01/2024",
    ],
)
def test_heading_begins_a_day(heading: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(f"[LINE] Chat history with Ann\n\n{heading}\n21:25\tAnn\tHello\n", encoding="utf-8")
    (message,) = messages(path, Reading(pytest.fail))
    assert message.time is not None
    assert message.time.date() == date(2024, 1, 15)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("[LINE] Chat history with Ann", "Ann"),
        ('[LINE] Chat history in "Tea"', "Tea"),
        ("[LINE] あんとのトーク履歴", "あん"),
        ("[LINE] お茶のトーク履歴", "お茶"),
        ("[LINE] 與小安的聊天記錄", "小安"),
        ("[LINE] 与小安的聊天记录", "小安"),
        ("[LINE] 茶的聊天記錄", "茶"),
        ("[LINE] Tea", "Tea"),
        ("2024/01/15(Mon)", ""),
    ],
)
def test_title_names_the_chat(title: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(f"{title}\n21:25\tAnn\tHello\n", encoding="utf-8")
    (talk,) = line.read(Part(path), Reading(pytest.fail))
    assert talk.name == name


def test_lines_before_the_first_message_are_counted_but_for_the_title(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("[LINE] Chat history with Ann\nSaved on: today\n\nwhat\n21:25\tAnn\tHello\n")
    reading = Reading(pytest.fail)
    assert len(messages(path, reading)) == 1
    assert reading.first == f"{path}:4: what"
    assert reading.not_understood == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("Hello", "Hi there"),
        ("How are you?\tFine", "21:25\tAnn\tHello"),
        ("21:25\tAnn\tHello", "21:26\tBob\tHi"),
        ("2024/01/15(Mon)", "a diary", "of a day"),
    ],
)
def test_other_texts_are_not_taken_for_line(lines: tuple[str, ...]) -> None:
    assert not line.looks_like(Head(Path("x"), lines))


def test_empty_file_holds_a_talk_without_messages(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("")
    assert messages(path, Reading(pytest.fail)) == []
