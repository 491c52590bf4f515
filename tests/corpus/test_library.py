"""A corpus is found by its name, in the stated order, and a wrong name is told with near ones."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from chatbot.corpus import builtin
from chatbot.corpus.conversation import Conversation
from chatbot.corpus.library import DEFAULT_CORPORA, list_corpora, open_corpus
from chatbot.corpus.store import CorpusMeta, write_corpus
from chatbot.errors import CorpusError

Talk = Callable[..., Conversation]
Store = Callable[..., Path]


@pytest.fixture
def store(corpora: Path, talk: Talk) -> Store:
    """Store a corpus of one conversation for each language: store("mine", "en", "zh")."""

    def write(name: str, *languages: str | None) -> Path:
        talks = [talk("Hi", "Hello", id=str(at), language=tag) for at, tag in enumerate(languages)]
        write_corpus(corpora / name, talks, CorpusMeta(origin=f"made for {name}"))
        return corpora / name

    return write


def ids(name: str | Path, corpora: Path, told: list[str] | None = None) -> list[str]:
    notify = (told if told is not None else []).append
    return [talk.id for talk in open_corpus(str(name), corpora, notify).conversations()]


def test_stored_corpus_is_found_by_name_and_by_path(store: Store, corpora: Path) -> None:
    folder = store("mine", "en", "zh")
    assert ids("mine", corpora) == ids(folder, corpora) == ["0", "1"]
    assert open_corpus("mine", corpora, print).origin == "made for mine"


def test_hash_is_of_the_input(store: Store, corpora: Path, tmp_path: Path) -> None:
    data = (store("mine", "en") / "conversations.jsonl").read_bytes()
    assert open_corpus("mine", corpora, print).sha256 == hashlib.sha256(data).hexdigest()
    (tmp_path / "a.tsv").write_bytes(b"Hi\tHello\n")
    found = open_corpus(str(tmp_path / "a.tsv"), corpora, print)
    assert found.sha256 == hashlib.sha256(b"Hi\tHello\n").hexdigest()


def test_stored_name_comes_before_a_built_in_one(store: Store, corpora: Path) -> None:
    store("chatterbot:english", None)
    assert ids("chatterbot:english", corpora) == ["0"]


def test_built_in_name_comes_before_a_file(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chatterbot:urdu").write_text("Hi\tHello\n")
    assert open_corpus("chatterbot:urdu", corpora, print).origin == "chatterbot-corpus"
    assert open_corpus("./chatterbot:urdu", corpora, print).origin == "chatterbot:urdu (tsv)"


@pytest.mark.parametrize(
    ("language", "expected"), [("chinese", ["1", "2"]), ("zh", ["1", "2"]), ("ZH-hant", ["2"]), ("en", ["0"])]
)
def test_language_picks_conversations_by_their_tag(
    language: str, expected: list[str], store: Store, corpora: Path
) -> None:
    store("mine", "en", "zh", "zh-Hant", None)
    assert ids(f"mine:{language}", corpora) == expected


def test_language_that_is_not_there_is_told_with_those_that_are(store: Store, corpora: Path) -> None:
    store("mine", "en", "zh", None)
    with pytest.raises(CorpusError, match="no conversation in 'dutch'; there are: en, zh"):
        ids("mine:dutch", corpora)


def test_corpus_can_be_read_again(store: Store, corpora: Path) -> None:
    store("mine", "en")
    corpus = open_corpus("mine", corpora, print)
    assert list(corpus.conversations()) == list(corpus.conversations())


def test_file_gives_unique_ids_that_do_not_hang_on_the_position(corpora: Path, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Hi\tHello\nHi\tHello\n")
    (tmp_path / "b.tsv").write_text("Bye\tBye\nHi\tHello\n")
    first, second = ids(tmp_path / "a.tsv", corpora)
    assert second == f"{first}-2"
    assert ids(tmp_path / "b.tsv", corpora)[1] == first


def test_line_ends_make_no_difference(corpora: Path, tmp_path: Path) -> None:
    found = []
    for name, end in {"lf": "\n", "crlf": "\r\n", "cr": "\r"}.items():
        path = tmp_path / name
        path.write_bytes("".join(f"question {at}\tanswer {at}{end}" for at in range(20)).encode())
        talks = open_corpus(str(path), corpora, print).conversations()
        found.append([(talk.id, talk.turns) for talk in talks])
    assert len(found[0]) == 20
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("chichat", "did you mean chitchat"),
        ("chatterbot:englsh", "chatterbot:english"),
        ("minee", "did you mean mine"),
        ("zzz.txt", "see chatbot corpus list"),
        ("", "see chatbot corpus list"),
        ("../mine", "did you mean mine"),
        (".cache", "see chatbot corpus list"),
        ("a\0b", "see chatbot corpus list"),
        ("x" * 5000, "see chatbot corpus list"),
    ],
)
def test_unknown_name_is_told_with_near_ones(name: str, near: str, store: Store, corpora: Path) -> None:
    store("mine", "en")
    with pytest.raises(CorpusError, match="no corpus of that name") as caught:
        open_corpus(name, corpora, print)
    assert near in caught.value.remedy


def test_folder_without_its_meta_is_told(corpora: Path) -> None:
    (corpora / "half").mkdir()
    with pytest.raises(CorpusError, match="no complete corpus"):
        open_corpus("half", corpora, print)


@pytest.mark.parametrize("data", [b"<!doctype html>\n<p>Hi</p>\n", b'[{"a": 1},\n {"b": 2}]\n', b"{\n}\n"])
def test_unknown_format_is_told_with_the_known_ones(data: bytes, corpora: Path, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    with pytest.raises(CorpusError, match=r"no known format; .*the nearest formats are"):
        open_corpus(str(tmp_path / "a.bin"), corpora, print)


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_pipe_is_refused_instead_of_waited_for(corpora: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CorpusError, match="is a pipe"):
        open_corpus(str(tmp_path / "pipe"), corpora, print)


def test_file_without_a_conversation_is_told(corpora: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"turns": []}\n' * 2)
    with pytest.raises(CorpusError, match="0 pairs from 2 lines"):
        ids(tmp_path / "a.jsonl", corpora)


def test_conversations_changed_by_hand_are_read_and_told(
    store: Store, corpora: Path, notices: list[str]
) -> None:
    path = store("mine", "en") / "conversations.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    assert ids("mine", corpora, notices) == ["0", "0"]
    assert len(notices) == 1
    assert "changed since it was imported" in notices[0]


def test_list_has_built_in_and_stored_corpora_with_counts(
    store: Store, corpora: Path, monkeypatch: pytest.MonkeyPatch, talk: Talk
) -> None:
    monkeypatch.setattr(builtin, "read_chitchat", lambda: iter([talk("Hi", "Hello", language="en")]))
    store("mine", "en", "zh")
    (corpora / "half").mkdir()
    (store("broken", "en") / "corpus.json").write_text("{")
    entries = {entry.name: entry for entry in list_corpora(corpora)}
    counts = {name: (entry.kind, entry.conversations, entry.turns) for name, entry in entries.items()}
    assert counts["chitchat"] == ("built-in", 1, 2)
    assert counts["mine"] == ("stored", 2, 4)
    assert counts["chatterbot:english"][1] > 2000
    assert entries["mine"].languages == ("en", "zh")
    assert entries["broken"].fault
    assert "half" not in entries


def test_list_needs_no_folder_of_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "read_chitchat", lambda: iter([]))
    assert "chitchat" in {entry.name for entry in list_corpora(tmp_path / "missing")}


def test_default_corpora_are_there(corpora: Path) -> None:
    assert [open_corpus(name, corpora, print).name for name in DEFAULT_CORPORA] == list(DEFAULT_CORPORA)
