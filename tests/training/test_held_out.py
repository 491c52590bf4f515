"""The texts a checkpoint is evaluated on are those that its training held out, no more and no fewer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from chatbot.checkpoint import Checkpoint, load
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError
from chatbot.evaluation.material import Material
from chatbot.training.data import prepare
from chatbot.training.held_out import HeldOut
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun


@pytest.fixture
def spools() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def trained(request: Request) -> Checkpoint:
    for _ in TrainingRun(request).events():
        pass
    return load(request.folder)


def held_out(
    spools: ExitStack, tmp_path: Path, *checkpoints: Checkpoint, said: list[str] | None = None
) -> HeldOut:
    notes = [] if said is None else said
    return HeldOut(checkpoints, tmp_path / "corpora", notes.append, spools, tmp_path)


def replies(material: Material) -> list[list[str]]:
    return [[pair.tgt for pair in pairs] for _, pairs in material.corpora]


def test_held_out_pairs_are_those_of_training(make_request: Any, spools: ExitStack, tmp_path: Path) -> None:
    request = make_request()
    checkpoint = trained(request)
    data = prepare(request.corpora, request.library, request.config, print)
    material = held_out(spools, tmp_path, checkpoint).own()
    ((name, valid, _),) = data.held_out()
    said = [data.tokenizer.decode(valid.pair(row)[1].tolist()) for row in range(len(valid))]
    assert material.held_out
    assert [corpus for corpus, _ in material.corpora] == [name]
    assert replies(material) == [said]
    assert len(list(material.training_pairs())) == len(data.corpora[0].train)


def test_nothing_held_out_is_told(make_request: Any, spools: ExitStack, tmp_path: Path) -> None:
    notes: list[str] = []
    checkpoint = trained(make_request(validation=0.0))
    material = held_out(spools, tmp_path, checkpoint, said=notes).own()
    assert not material.held_out
    assert len(replies(material)[0]) == 60
    assert any("flatter" in note for note in notes)


def test_what_either_of_two_checkpoints_learned_from_is_not_held_out(
    make_request: Any, spools: ExitStack, tmp_path: Path
) -> None:
    few, many = (trained(make_request(str(share), validation=share)) for share in (0.1, 0.4))
    alone, both = (held_out(spools, tmp_path, *each).own() for each in ((few,), (many, few)))
    assert replies(both) == replies(alone)


def test_corpus_that_is_gone_is_told_in_one_line(
    make_request: Any, spools: ExitStack, tmp_path: Path
) -> None:
    checkpoint = trained(make_request())
    (tmp_path / "talk.tsv").unlink()
    with pytest.raises(CorpusError, match=r"talk\.tsv, which cannot be opened here; name a text by --on"):
        held_out(spools, tmp_path, checkpoint).own()


def test_corpus_that_changed_is_told(make_request: Any, spools: ExitStack, tmp_path: Path) -> None:
    checkpoint = trained(make_request())
    with (tmp_path / "talk.tsv").open("a", encoding="utf-8") as file:
        file.write("another question\tanother answer\n")
    notes: list[str] = []
    held_out(spools, tmp_path, checkpoint, said=notes).own()
    assert notes == ["talk.tsv is not as it was when bot learned from it"]


def test_other_text_is_looked_at_whole(make_request: Any, spools: ExitStack, tmp_path: Path) -> None:
    checkpoint = trained(make_request())
    other = tmp_path / "other.tsv"
    other.write_text("".join(f"who {n}\tme {n}\n" for n in range(25)), encoding="utf-8")
    material = held_out(spools, tmp_path, checkpoint).other(str(other), ReadingOptions())
    assert replies(material) == [[f"me {n}" for n in range(25)]]
    assert material.held_out
    assert material.train


def test_own_corpus_named_as_other_text_is_not_looked_at_whole(
    make_request: Any, spools: ExitStack, tmp_path: Path
) -> None:
    checkpoint = trained(make_request())
    whole = held_out(spools, tmp_path, checkpoint).own()
    notes: list[str] = []
    named = held_out(spools, tmp_path, checkpoint, said=notes).other(
        str(tmp_path / "talk.tsv"), ReadingOptions()
    )
    assert replies(named) == replies(whole)
    assert any("only what was held out" in note for note in notes)


def test_other_language_of_the_same_file_is_other_text(
    make_request: Any, spools: ExitStack, tmp_path: Path
) -> None:
    request = dataclasses.replace(make_request(), corpora=("smalltalk:chinese",))
    checkpoint = trained(request)
    for language, own in (("chinese", True), ("english", False)):
        notes: list[str] = []
        source = held_out(spools, tmp_path, checkpoint, said=notes)
        material = source.other(f"smalltalk:{language}", ReadingOptions())
        assert any("only what was held out" in note for note in notes) is own
        assert material.held_out


def test_pairs_of_other_text_that_were_learned_from_are_counted(
    make_request: Any, spools: ExitStack, tmp_path: Path
) -> None:
    checkpoint = trained(make_request(validation=0.0))
    other = tmp_path / "other.tsv"
    other.write_text("question 3\tanswer 9\nwho is it\tme\n", encoding="utf-8")
    notes: list[str] = []
    material = held_out(spools, tmp_path, checkpoint, said=notes).other(str(other), ReadingOptions())
    assert notes == ["1 of these 2 pairs were learned from, word for word"]
    assert not material.held_out


def test_other_text_needs_no_corpora(make_request: Any, spools: ExitStack, tmp_path: Path) -> None:
    checkpoint = trained(make_request())
    other = tmp_path / "other.tsv"
    other.write_text("who is it\tme\n", encoding="utf-8")
    (tmp_path / "talk.tsv").unlink()
    notes: list[str] = []
    material = held_out(spools, tmp_path, checkpoint, said=notes).other(str(other), ReadingOptions())
    assert replies(material) == [["me"]]
    assert material.train == ()
    assert len(notes) == 1
    assert "are not here" in notes[0]
