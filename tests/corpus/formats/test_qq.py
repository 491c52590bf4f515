"""QQ: what the cases do not show."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.corpus.formats import qq
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SYSTEM, Message


def messages(path: Path, reading: Reading) -> list[Message]:
    return [message for talk in qq.read(Part(path), reading) for message in talk.messages]


def test_lines_before_the_first_message_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("what\n2024-01-15 9:25:12 小安(12345678)\n早\n", encoding="utf-8")
    reading = Reading(pytest.fail)
    assert [message.text for message in messages(path, reading)] == ["早"]
    assert reading.first == f"{path}:1: what"


def test_line_that_ends_with_a_time_is_text_where_headings_carry_numbers(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        "2024-01-15 9:25:12 小安(12345678)\n火车 10:30:15\n2024-01-16 9:00:00 开\n", encoding="utf-8"
    )
    (message,) = messages(path, Reading(pytest.fail))
    assert message.text == "火车 10:30:15\n2024-01-16 9:00:00 开"


def test_recall_is_a_note_only_below_a_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    head = "2024-01-15 9:25:12 小安(12345678)\n"
    path.write_text(f"{head}阿博撤回了一条消息\n{head}早\n\n阿博撤回了一条消息\n", encoding="utf-8")
    found = messages(path, Reading(pytest.fail))
    assert [(message.speaker, message.text) for message in found] == [
        ("小安", "阿博撤回了一条消息"),
        ("小安", "早"),
        ("", "阿博撤回了一条消息"),
    ]
    assert found[2].kind == SYSTEM


@pytest.mark.parametrize(
    "lines",
    [
        ("Hello", "Hi there"),
        ("we met at 10:30:15", "and parted", "an hour later"),
        ("id,msg,CreateTime", "1,hi,2024-01-15 09:00:00", "2,ho,2024-01-15 09:00:05"),
        ("2024-01-15 21:25:12\tann\thello", "2024-01-15 21:25:13\tbob\thi"),
        ("13.06.18 21.25.15: Ann: hi", "13.06.18 21.25.16: Bob: hi"),
    ],
)
def test_other_texts_are_not_taken_for_qq(lines: tuple[str, ...]) -> None:
    assert not qq.looks_like(Head(Path("x"), lines))


PIECES = st.sampled_from(
    [
        "2024-01-15 ",
        "9:25:12 ",
        "99:99:99 ",
        "小安",
        "(12345678)",
        "<a@b>",
        "\n",
        "\n\n",
        "【x】",
        "消息对象:",
        "=" * 9,
        "消息记录（",
        "撤回了一条消息",
        "9999-99-99 ",
        "(10000)",
        " PM",
        "早",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(deadline=None)
def test_any_text_is_read_without_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text(text, encoding="utf-8")
    reading = Reading(lambda notice: None)
    read = messages(path, reading)
    qq.looks_like(Head(path, tuple(text.split("\n"))))
    assert len(read) + reading.not_understood <= text.count("\n") + 1
