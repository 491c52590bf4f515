"""Faults that people met who imported their corpora, by number: small inputs, and what is right for them.

The numbers go on in ``tests/test_faults.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chatbot.corpus.adding import Added, Adding
from chatbot.corpus.importing import Import
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.store import read_conversations
from chatbot.errors import CorpusError


def file_of(tmp_path: Path, name: str, data: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def imported(path: Path, notices: list[str] | None = None, **options: Any) -> Added:
    tell = (lambda notice: None) if notices is None else notices.append
    reading = ReadingOptions(**options)
    folder = path.parent / "corpora" / "x"
    return Adding(Import([path], reading, tell), DataOptions(near_duplicates=True)).write(folder)


def pairs(path: Path, notices: list[str] | None = None, **options: Any) -> list[tuple[str, str]]:
    folder = imported(path, notices, **options).folder
    return [(pair.src[0], pair.tgt) for talk in read_conversations(folder) for pair in pairs_of(talk)]


def test_d01_bytes_that_are_no_utf8_are_read_as_windows_1252_and_told(
    tmp_path: Path, notices: list[str]
) -> None:
    lines = [
        b"L4 +++$+++ u0 +++$+++ m0 +++$+++ ANN +++$+++ Hello there.",
        b"L3 +++$+++ u2 +++$+++ m0 +++$+++ BO +++$+++ Hi.",
    ]
    lines.append(b"L2 +++$+++ u0 +++$+++ m0 +++$+++ ANN +++$+++ I don\x92t co\xadoperate.")
    path = file_of(tmp_path, "movie_lines.txt", b"\n".join(lines) + b"\n")
    found = [text for pair in pairs(path, notices) for text in pair]
    assert "I don\u2019t co\xadoperate." in found
    assert any("movie_lines.txt:3" in notice for notice in notices)
    assert "I don\u2019t co\xadoperate." in [text for pair in pairs(path, encoding="cp1252") for text in pair]


def test_d02_locale_makes_no_difference(tmp_path: Path) -> None:
    path = file_of(tmp_path, "zh.tsv", "你好吗\t我很好\n谢谢你\t不客气\n")
    folders = []
    for name, locale in (
        ("c", {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}),
        ("u", {"LC_ALL": "C.UTF-8"}),
    ):
        words = ["corpus", "add", str(path), "--name", name, "--corpora", str(tmp_path / "corpora")]
        subprocess.run([sys.executable, "-m", "chatbot", *words], env=os.environ | locale, check=True)
        folders.append(tmp_path / "corpora" / name)
    contents = [{each.name: each.read_bytes() for each in folder.iterdir()} for folder in folders]
    assert contents[0] == contents[1]
    assert "我很好".encode() in contents[0]["conversations.jsonl"]


def test_d03_doubly_encoded_messages_are_mended_and_right_ones_left_alone(tmp_path: Path) -> None:
    contents = ["\u00f0\u009f\u0098\u00a0", "caf\u00c3\u00a9", "café", "ok"]
    messages = [
        {"sender_name": "AB"[at % 2], "timestamp_ms": 1000 * (9 - at), "content": text}
        for at, text in enumerate(contents)
    ]
    path = file_of(tmp_path, "message_1.json", json.dumps({"participants": [], "messages": messages}))
    talk = next(read_conversations(imported(path).folder))
    assert [turn.text for turn in talk.turns] == ["ok", "café", "café", "\U0001f620"]


def test_d04_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    assert pairs(file_of(tmp_path, "a.tsv", b"\xef\xbb\xbfhello\thi\n")) == [("hello", "hi")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_d05_line_ends_make_no_difference(end: str, tmp_path: Path) -> None:
    text = "".join(f"question {at}\tanswer {at}{end}" for at in range(20))
    expected = [(f"question {at}", f"answer {at}") for at in range(20)]
    assert pairs(file_of(tmp_path, "a.tsv", text)) == expected


def test_d06_narrow_space_before_pm_is_understood(tmp_path: Path) -> None:
    lines = [f"2/4/23, 10:3{at}\u202fPM - P{at % 2 + 1}: Got it {at}" for at in range(4)]
    added = imported(file_of(tmp_path, "chat.txt", "\n".join(lines)))
    assert added.messages == {"said": 4}
    assert added.cleaning.kept == 3


def test_d07_chat_and_account_of_telegram_are_both_read_and_chats_stay_apart(tmp_path: Path) -> None:
    def chat(name: str) -> dict[str, Any]:
        said = [("Ann", f"{name} one"), ("Bo", f"{name} two")]
        messages = [
            {"id": at, "type": "message", "date_unixtime": str(1_700_000_000 + at), "from": who, "text": text}
            for at, (who, text) in enumerate(said)
        ]
        return {"name": name, "type": "personal_chat", "id": 1, "messages": messages}

    one = file_of(tmp_path, "one.json", json.dumps(chat("x")))
    assert pairs(one) == [("x one", "x two")]
    account = {"about": "", "chats": {"about": "", "list": [chat("x"), chat("y")]}}
    both = file_of(tmp_path, "result.json", json.dumps(account))
    assert pairs(both) == [("x one", "x two"), ("y one", "y two")]


def test_d08_parts_of_a_telegram_text_are_joined_as_they_are(tmp_path: Path) -> None:
    text = ["see ", {"type": "link", "text": "x.org"}, " ok"]
    messages = [
        {"id": 1, "type": "message", "date": "2024-03-01T10:00:00", "from": "Ann", "text": text},
        {"id": 2, "type": "message", "date": "2024-03-01T10:01:00", "from": "Bo", "text": "fine"},
    ]
    path = file_of(
        tmp_path, "result.json", json.dumps({"name": "x", "type": "t", "id": 1, "messages": messages})
    )
    assert pairs(path) == [("see x.org ok", "fine")]


def test_d10_names_with_dashes_and_lines_with_colons_are_told_apart(tmp_path: Path) -> None:
    lines = ["1/1/24, 10:00 - Ann - Work: list", "milk", "The time is 17:35.", "1/1/24, 10:05 - Bo: thanks"]
    talk = next(read_conversations(imported(file_of(tmp_path, "chat.txt", "\n".join(lines))).folder))
    assert [(turn.speaker, turn.text) for turn in talk.turns] == [
        ("Ann - Work", "list\nmilk\nThe time is 17:35."),
        ("Bo", "thanks"),
    ]


def test_d11_messages_in_a_row_do_not_answer_each_other(tmp_path: Path) -> None:
    said = [f"01.01.24, 10:0{at} - {who}: text {at}" for at, who in enumerate("ABBBAA")]
    assert pairs(file_of(tmp_path, "chat.txt", "\n".join(said))) == [
        ("text 0", "text 1 text 2 text 3"),
        ("text 1 text 2 text 3", "text 4 text 5"),
    ]


def test_d12_pairs_overlap_and_a_single_turn_is_counted(tmp_path: Path) -> None:
    added = imported(file_of(tmp_path, "a.txt", "A1 is said\nB1 is said\nA2 is said\n\nalone\n"))
    assert (added.cleaning.kept, added.cleaning.one_turn) == (2, 1)


def test_d13_conversation_without_a_last_separator_is_whole(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        "a.txt",
        "\n".join(f"line {word} here" for word in ["one", "two", "three", "four", "five", "six", "seven"]),
    )
    assert len(pairs(path)) == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("../data/dialogs.txt\n", "single line"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:" + "ab" * 32 + "\nsize 12\n",
            "Git LFS pointer",
        ),
    ],
)
def test_d14_placeholder_of_a_file_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=said):
        open_corpus(str(file_of(tmp_path, "corpus.txt", text)), tmp_path, lambda notice: None)


def test_subtitles_across_a_long_gap_are_no_pair(tmp_path: Path) -> None:
    cues = [("00:00:01,000 --> 00:00:02,000", "Who is there?"), ("00:10:30,000 --> 00:10:31,000", "Nobody.")]
    cues += [("00:10:32,000 --> 00:10:33,000", "Are you sure?")]
    text = "\n".join(f"{at}\n{time}\n{line}\n" for at, (time, line) in enumerate(cues, 1))
    assert pairs(file_of(tmp_path, "a.srt", text)) == [("Nobody.", "Are you sure?")]


def test_line_that_begins_with_a_directional_mark_is_a_message_of_its_own(tmp_path: Path) -> None:
    lines = [
        "[01.02.24, 10:00:00] Ann: hi",
        "\u200e[01.02.24, 10:01:00] Bo: \u200eimage omitted",
        "[01.02.24, 10:02:00] Bo: hello",
    ]
    assert imported(file_of(tmp_path, "_chat.txt", "\n".join(lines))).messages == {"said": 2, "media": 1}


def test_notes_of_a_group_are_nobodys_words(tmp_path: Path) -> None:
    lines = [
        "[01.02.24, 10:00:00] Our Group: \u200eAnn added you",
        "[01.02.24, 10:01:00] Ann: welcome",
        "[01.02.24, 10:02:00] Bo: thanks",
    ]
    assert pairs(file_of(tmp_path, "_chat.txt", "\n".join(lines))) == [("welcome", "thanks")]


def test_slack_marks_are_decoded_once_and_mentions_named(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    (folder / "general").mkdir(parents=True)
    users = [
        {"id": "U1", "name": "ann", "profile": {"display_name": "Ann"}},
        {"id": "U2", "name": "bo", "profile": {}},
    ]
    (folder / "users.json").write_text(json.dumps(users))
    (folder / "channels.json").write_text(json.dumps([{"id": "C1", "name": "general"}]))
    messages = [
        {"type": "message", "user": "U1", "text": "5 &lt; 6 &amp;amp; <@U2>?", "ts": "1700000000.000100"},
        {"type": "message", "user": "U2", "text": "yes", "ts": "1700000060.000200"},
    ]
    (folder / "general" / "2023-11-14.json").write_text(json.dumps(messages))
    assert pairs(folder) == [("5 < 6 &amp; @bo?", "yes")]
