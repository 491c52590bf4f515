"""WeChat: what the cases do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import wechat
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import MEDIA, SAID, SYSTEM, Message
from chatbot.errors import CorpusError

COLUMNS = "id,MsgSvrID,type_name,is_sender,talker,room_name,msg,src,CreateTime"


def messages(path: Path, reading: Reading) -> list[Message]:
    return [message for talk in wechat.read(Part(path), reading) for message in talk.messages]


def test_row_of_another_width_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text(f"{COLUMNS}\n1,2\n2,101,文本,0,a,a,早,,2024-01-15 09:00:05\n\n", encoding="utf-8")
    reading = Reading(pytest.fail)
    assert [message.text for message in messages(path, reading)] == ["早"]
    assert reading.first == f"{path}:2: 1,2"
    assert reading.not_understood == 1


@pytest.mark.parametrize(
    ("kind", "expected"), [("文本", SAID), ("视频", MEDIA), ("拍一拍", SYSTEM), ("新类型", MEDIA)]
)
def test_type_tells_the_kind(kind: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text(f"{COLUMNS}\n2,101,{kind},0,a,a,早,,2024-01-15 09:00:05\n", encoding="utf-8")
    (message,) = messages(path, Reading(pytest.fail))
    assert message.kind == expected


@pytest.mark.parametrize("time", ["", "soon", "2024-99-01 00:00:00", "9" * 30, "9" * 5000])
def test_time_that_is_none_is_none(time: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text(f"{COLUMNS}\n2,101,文本,0,a,a,早,,{time}\n", encoding="utf-8")
    (message,) = messages(path, Reading(pytest.fail))
    assert message.time is None


@pytest.mark.parametrize("content", ["plain", "[1]", '{"msg": 3}', "[" * 5000, '"text"'])
def test_content_that_is_no_object_does_no_harm(content: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    columns = "id,MsgSvrID,type_name,is_sender,talker,room_name,content,CreateTime"
    path.write_text(f"{columns}\n1,2,文本,0,a,a,{_quoted(content)},2024-01-15 09:00:05\n")
    assert len(messages(path, Reading(pytest.fail))) == 1


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def test_columns_that_are_missing_are_named(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text("id,msg\n1,hi\n")
    with pytest.raises(CorpusError, match="has no column CreateTime, is_sender, type_name"):
        messages(path, Reading(pytest.fail))


def test_quote_that_is_never_closed_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text(f'{COLUMNS}\n1,2,文本,0,a,a,"{"早 " * 100_000}\n', encoding="utf-8")
    with pytest.raises(CorpusError, match="is no CSV"):
        messages(path, Reading(pytest.fail))


@pytest.mark.parametrize(
    "line", ["question,answer", "id,msg,CreateTime", "type_name is_sender CreateTime msg"]
)
def test_other_tables_are_not_taken_for_wechat(line: str) -> None:
    assert not wechat.looks_like(Head(Path("x"), (line, "1,2")))
