"""A corpus folder is written whole or not at all, and read back as it was."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.store import CorpusMeta, is_corpus, read_conversations, read_meta, write_corpus
from chatbot.errors import ChatbotError, CorpusError

Talk = Callable[..., Conversation]
META = CorpusMeta(origin="test", format="tsv", options={"speakers": 2}, input_sha256="ab")


@pytest.fixture
def talks(talk: Talk) -> list[Conversation]:
    spoken = Conversation("t", "chat", (Turn("Ann", "Hi", "2024-01-01T10:00:00"), Turn("Bo", "你好 😀")))
    return [talk("Hi", "Hello\nyou", "Bye\u2028", id="a", language="en"), spoken]


def failing(talks: list[Conversation]) -> Iterator[Conversation]:
    yield from talks
    raise CorpusError("input:3", "is no conversation")


def test_corpus_round_trip(talks: list[Conversation], tmp_path: Path) -> None:
    written = write_corpus(tmp_path / "mine", talks, META)
    assert list(read_conversations(tmp_path / "mine")) == talks
    assert read_meta(tmp_path / "mine") == written
    assert (written.conversations, written.turns, written.languages) == (2, 5, ("en",))
    assert (written.origin, written.options, written.input_sha256) == ("test", {"speakers": 2}, "ab")


def test_hash_is_of_the_conversations_file(talks: list[Conversation], tmp_path: Path) -> None:
    written = write_corpus(tmp_path / "mine", talks, META)
    data = (tmp_path / "mine" / "conversations.jsonl").read_bytes()
    assert written.sha256 == hashlib.sha256(data).hexdigest()
    assert [json.loads(line)["id"] for line in data.splitlines()] == ["a", "t"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_corpus_is_private(talks: list[Conversation], tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpora" / "mine", talks, META)
    paths = [tmp_path / "corpora", *(tmp_path / "corpora").rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths}
    assert modes == {"corpora": 0o700, "mine": 0o700, "corpus.json": 0o600, "conversations.jsonl": 0o600}


def test_failing_conversations_leave_nothing_behind(talks: list[Conversation], tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="input:3"):
        write_corpus(tmp_path / "mine", failing(talks), META)
    assert list(tmp_path.iterdir()) == []


def test_failing_conversations_leave_the_earlier_corpus_whole(
    talks: list[Conversation], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    written = write_corpus(folder, talks, META)
    with pytest.raises(CorpusError):
        write_corpus(folder, failing(talks[:1]), META)
    assert list(read_conversations(folder)) == talks
    assert read_meta(folder) == written
    assert sorted(os.listdir(folder)) == ["conversations.jsonl", "corpus.json"]


def test_corpus_is_not_complete_until_its_meta_is_there(
    talks: list[Conversation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the rename after which the machine stops, a new corpus is whole or no corpus."""
    renamed: list[str] = []
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        assert not is_corpus(target.parent)
        real(source, target)
        renamed.append(target.name)

    monkeypatch.setattr("os.replace", replace)
    write_corpus(tmp_path / "mine", talks, META)
    assert renamed == ["conversations.jsonl", "corpus.json"]


def test_no_conversation_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no conversation"):
        write_corpus(tmp_path / "mine", [], META)
    assert list(tmp_path.iterdir()) == []


def test_corpus_is_read_while_it_streams(talks: list[Conversation], tmp_path: Path) -> None:
    write_corpus(tmp_path / "mine", talks, META)
    with (tmp_path / "mine" / "conversations.jsonl").open("ab") as file:
        file.write(b"broken\n")
    reading = read_conversations(tmp_path / "mine")
    assert [next(reading), next(reading)] == talks
    with pytest.raises(CorpusError, match=r"conversations\.jsonl:3: is no JSON"):
        next(reading)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{}", "lacks"),
        (b'{"id": "a", "origin": "b", "turns": []}', "no turns"),
        (b'{"id": "a", "origin": "b", "turns": 3}', "is no conversation"),
        (b"\xff\xfe", "is not UTF-8"),
        (b'"a"', "is no JSON object"),
    ],
)
def test_bad_line_is_named(line: bytes, said: str, talks: list[Conversation], tmp_path: Path) -> None:
    write_corpus(tmp_path / "mine", talks, META)
    (tmp_path / "mine" / "conversations.jsonl").write_bytes(b"\n" + line + b"\n")
    with pytest.raises(CorpusError, match=said) as caught:
        list(read_conversations(tmp_path / "mine"))
    assert caught.value.where.endswith("conversations.jsonl:2")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"origin": 3}', b'{"languages": "en"}', b"\xff"])
def test_damaged_meta_is_told(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_bytes(data)
    with pytest.raises(CorpusError, match=r"corpus\.json"):
        read_meta(tmp_path)


def test_meta_written_by_hand_may_be_short(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_text('{"origin": "by hand", "licence": "MIT"}')
    assert read_meta(tmp_path) == CorpusMeta(origin="by hand")


def test_missing_and_incomplete_folders_are_told(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "conversations.jsonl").touch()
    for name, said in {"none": "no such corpus", "half": "no complete corpus"}.items():
        with pytest.raises(CorpusError, match=said):
            list(read_conversations(tmp_path / name))
        with pytest.raises(CorpusError, match=said):
            read_meta(tmp_path / name)


def test_folder_that_cannot_be_made_is_told(talks: list[Conversation], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ChatbotError):
        write_corpus(tmp_path / "file", talks, META)
    assert (tmp_path / "file").is_file()
