"""Messenger: what the cases do not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats import messenger
from chatbot.corpus.formats.messenger_phrases import kind_of
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import DELETED, MEDIA, SAID, SYSTEM, Message
from chatbot.errors import CorpusError


def read(*paths: Path, reading: Reading | None = None) -> list[tuple[str, list[Message]]]:
    reading = reading or Reading(lambda notice: None)
    parts = [Part(path) for path in paths]
    return [(talk.name, list(talk.messages)) for talk in messenger.read(parts, reading)]


def written(path: Path, texts: str, start: int, **about: str) -> Path:
    """A file of one-letter messages, the newest first."""
    messages = [
        {"sender_name": "Ann", "timestamp_ms": start + at, "content": text} for at, text in enumerate(texts)
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"participants": [], "messages": messages[::-1]} | about))
    return path


def said(chats: list[tuple[str, list[Message]]]) -> list[str]:
    return ["".join(message.text for message in messages) for _, messages in chats]


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(1, 3))
def test_messages_come_in_the_order_of_their_times(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], parts: int
) -> None:
    """However a chat is cut into files, and though some times are the same."""
    times = sorted(1_709_287_200_000 + step // 2 for step in steps)
    newest = [
        {"sender_name": "Ann", "timestamp_ms": time, "content": str(at)} for at, time in enumerate(times)
    ][::-1]
    folder = tmp_path_factory.mktemp("chat")
    size = len(newest) // parts + 1
    paths = [folder / f"message_{number + 1}.json" for number in range(parts)]
    for number, path in enumerate(paths):
        path.write_text(json.dumps({"messages": newest[number * size :][:size], "title": "x"}))
    ((_, messages),) = read(*paths)
    assert [message.text for message in messages] == [str(at) for at in range(len(times))]


def test_single_files_of_one_thread_are_one_chat(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / "a" / "message_1.json", "cd", 10**12 + 2, title="Ann", thread_path="inbox/ann_1"),
        written(tmp_path / "b" / "message_2.json", "ab", 10**12, title="Ann", thread_path="inbox/ann_1"),
        written(tmp_path / "a" / "other.json", "x", 10**12, title="Ann", thread_path="inbox/ann_2"),
    ]
    assert said(read(*paths)) == ["abcd", "x"]


def test_single_files_without_a_thread_are_one_chat_by_title_and_folder(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / "message_1.json", "cd", 10**12 + 2, title="Ann"),
        written(tmp_path / "message_2.json", "ab", 10**12, title="Ann"),
        written(tmp_path / "message_3.json", "x", 10**12, title="Bo"),
    ]
    assert said(read(*paths)) == ["abcd", "x"]


def test_one_chat_is_read_at_a_time(tmp_path: Path) -> None:
    """The second chat has become unreadable: the first is given before that is seen."""
    paths = [
        written(tmp_path / name / "message_1.json", "a", 10**12, thread_path=f"inbox/{name}") for name in "xy"
    ]
    talks = messenger.read([Part(path) for path in paths], Reading(pytest.fail))
    assert [message.text for message in next(talks).messages] == ["a"]
    paths[1].write_text("broken")
    with pytest.raises(CorpusError, match="is no JSON"):
        next(talks)


def test_odd_message_is_counted_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "message_1.json"
    path.write_text('{"messages": [{"sender_name": "Ann", "content": "hi"}, 7]}')
    reading = Reading(pytest.fail)
    assert said(read(path, reading=reading)) == ["hi"]
    assert reading.not_understood == 1
    assert reading.first.startswith(f"{path}:2: ")


@pytest.mark.parametrize("stamp", [0, -1, 10**18, 10**17, 1e300, "soon", True, None, [], "9" * 5000])
def test_time_that_is_none_is_none(stamp: Any, tmp_path: Path) -> None:
    path = tmp_path / "message_1.json"
    path.write_text(
        json.dumps({"messages": [{"sender_name": "Ann", "timestamp_ms": stamp, "content": "hi"}]})
    )
    ((_, (found,)),) = read(path)
    assert found.time is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ann Lark sent an attachment.", MEDIA),
        ("Ann sent a photo.", MEDIA),
        ("You sent an attachment.", MEDIA),
        ("Ann Lark unsent a message", DELETED),
        ("Ann Lark hat einen Anhang gesendet.", MEDIA),
        ("Ann Lark a envoyé une pièce jointe.", MEDIA),
        ("Ann Lark envió un archivo adjunto.", MEDIA),
        ("Ann Larkさんが添付ファイルを送信しました。", MEDIA),
        ("Ann Lark傳送了附件。", MEDIA),
        ("Ann Lark отправил(-а) вложение.", MEDIA),
        ("Ann named the group Tea.", SYSTEM),
        ("Ann changed the group photo.", SYSTEM),
        ("Ann set the nickname for Bo to Bobo.", SYSTEM),
        ("Ann left the group.", SYSTEM),
        ("Ann Lark started a video chat", SYSTEM),
        ("You started a video chat.", SYSTEM),
        ("The video chat ended.", SYSTEM),
        ("You are now connected on Messenger.", SYSTEM),
        ("You are now connected on Messenger", SYSTEM),
        ("Liked a message", SYSTEM),
        ("Reacted \u2764\ufe0f to your message ", SYSTEM),
        ("Hat mit 😂 auf deine Nachricht reagiert", SYSTEM),
        ("A réagi avec 😂 à votre message", SYSTEM),
        ("Reaccionó con 😂 a tu mensaje", SYSTEM),
    ],
)
def test_what_the_application_writes_is_told_apart(text: str, kind: str) -> None:
    assert kind_of(text, "Ann Lark") == kind


@pytest.mark.parametrize(
    "text",
    [
        *("You called me yesterday.", "You turned off the light.", "You changed the plan.", "You left."),
        *("Anna left the group.", "Bo sent an attachment.", "Ann", "Ann Lark", "Ann left\nthe group."),
        *("I liked a message", "the call ended badly", "he sent an attachment", "", "...", "hi"),
    ],
)
def test_what_people_write_is_said(text: str) -> None:
    assert kind_of(text, "Ann Lark") == SAID


@given(st.text(max_size=20), st.text(min_size=1, max_size=8).filter(str.strip))
def test_any_text_of_any_sender_has_a_kind(text: str, sender: str) -> None:
    assert kind_of(sender.strip() + text, sender.strip()) in (SAID, MEDIA, DELETED, SYSTEM)


@pytest.mark.parametrize(
    "start",
    [
        '{"messages": [{"role": "user", "content": "hi"}]}',
        '{"name": "x", "type": "personal_chat", "messages": [{"type": "message", "from": "Ann"}]}',
        '{"guild": {"id": "1"}, "messages": [{"type": "Default", "content": "\\"sender_name\\":"}]}',
        '[{"sender_name": "Ann", "timestamp_ms": 1, "content": "hi"}]',
        '{"participants": [{"name": "Ann"}], "threads": []}',
        "hi",
    ],
)
def test_other_files_are_not_taken_for_messenger(start: str) -> None:
    assert not messenger.looks_like(Head(Path("message_1.json"), (start,)))
