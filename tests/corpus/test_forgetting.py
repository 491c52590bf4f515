"""A person's turns are taken out, nothing else changes, and a receipt says so."""

from __future__ import annotations

import json
import stat
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.forgetting import forget, known_hashes, without
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.store import CorpusMeta, read_conversations, read_meta, write_corpus
from chatbot.errors import CorpusError


def talk(name: str, *said: tuple[str, str], to: dict[int, int] | None = None) -> Conversation:
    turns = tuple(Turn(who, text, None, (to or {}).get(at)) for at, (who, text) in enumerate(said))
    return Conversation(name, "test", turns)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    talks = [
        talk("1", ("Ann", "hi"), ("Bo", "hello"), ("Cy", "hey Ann"), ("Bo", "bye")),
        talk("2", ("Bo", "where is Ann?"), ("Cy", "at home")),
        talk("3", ("Ann", "alone here")),
    ]
    write_corpus(tmp_path / "friends", talks, CorpusMeta("test", options={"data": {"context": 1}}))
    return tmp_path / "friends"


def nobody(hashes: Collection[str]) -> list[str]:
    return []


def test_turns_are_taken_out_and_nobody_answers_across_the_gap(folder: Path) -> None:
    receipt, _ = forget(folder, "Bo", nobody)
    found = [[(turn.speaker, turn.text) for turn in each.turns] for each in read_conversations(folder)]
    assert found == [[("Ann", "hi"), ("Cy", "hey Ann")], [("Cy", "at home")], [("Ann", "alone here")]]
    assert (receipt.turns, receipt.conversations) == (3, 2)
    assert not [pair for each in read_conversations(folder) for pair in pairs_of(each)]


def test_receipt_says_what_was_done_and_is_private(folder: Path) -> None:
    before = read_meta(folder).sha256
    receipt, path = forget(folder, "Ann", lambda hashes: ["checkpoints/x"] if before in hashes else [])
    record = json.loads(path.read_bytes())
    assert record["turns"] == receipt.turns == 2
    assert record["still_named"] == 2
    assert record["checkpoints"] == ["checkpoints/x"]
    assert record["sha256_before"] == before
    assert record["sha256_after"] == read_meta(folder).sha256 != before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_meta(folder).options == {"data": {"context": 1}}


def test_receipts_stay_and_tell_the_hashes_a_corpus_has_had(folder: Path) -> None:
    first = read_meta(folder).sha256
    forget(folder, "Ann", nobody)
    second = read_meta(folder).sha256
    forget(folder, "Cy", nobody)
    assert len(list(folder.glob("receipt-*.json"))) == 2
    assert known_hashes(folder) == {first, second, read_meta(folder).sha256}


def test_speaker_who_is_not_there_is_told_with_those_who_are(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(CorpusError, match=r"nobody is called 'Anne'.*'Ann'"):
        forget(folder, "Anne", nobody)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_corpus_of_one_person_is_to_be_removed_instead(tmp_path: Path) -> None:
    write_corpus(tmp_path / "diary", [talk("1", ("Ann", "dear diary"))], CorpusMeta("test"))
    with pytest.raises(CorpusError, match="chatbot corpus remove diary"):
        forget(tmp_path / "diary", "Ann", nobody)
    assert list(read_conversations(tmp_path / "diary"))


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["x", "y"])), min_size=1, max_size=9),
    st.randoms(use_true_random=False),
)
def test_pairs_that_are_left_were_pairs_before(said: list[tuple[str, str]], random: object) -> None:
    to = {at: random.randrange(-1, at) for at in range(1, len(said)) if random.random() < 0.5}  # type: ignore[attr-defined]
    numbered = [(who, f"{text}{at}") for at, (who, text) in enumerate(said)]
    whole = talk("1", *numbered, to={0: -1} | to)
    before = {(pair.src, pair.tgt) for pair in pairs_of(whole)}
    rest = without(whole, "C")
    left = {(pair.src, pair.tgt) for pair in pairs_of(rest)} if rest else set()
    assert left == {(src, tgt) for src, tgt in before if not self_said(numbered, src[0], tgt)}


def self_said(numbered: list[tuple[str, str]], *texts: str) -> bool:
    """Whether C said one of the texts."""
    return any((who, text) in numbered for who, text in (("C", text) for text in texts))
