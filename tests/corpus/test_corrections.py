from __future__ import annotations

import stat
from pathlib import Path

import pytest

from chatbot.corpus.clean import Cleaner
from chatbot.corpus.corrections import NAME, Corrections
from chatbot.corpus.library import open_corpus
from chatbot.corpus.options import DataOptions
from chatbot.corpus.split import is_held_out


def learned(corpora: Path) -> list[tuple[str, str]]:
    """The pairs a training run makes of the corpus."""
    corpus = open_corpus(NAME, corpora, pytest.fail)
    pairs = Cleaner().pairs(corpus.conversations(), corpus.options(DataOptions()))
    return [(pair.src[-1], pair.tgt) for pair in pairs]


def test_taught_reply_is_learned_and_nothing_else(tmp_path: Path) -> None:
    Corrections(tmp_path).good(("hi", "go away"), "who are you", "Juno.")
    assert learned(tmp_path) == [("who are you", "Juno.")]


def test_later_correction_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    for question, reply in (("hi", "hello"), ("bye", "see you"), ("hi", "hi there")):
        Corrections(tmp_path).good((), question, reply)
    assert learned(tmp_path) == [("bye", "see you"), ("hi", "hi there")]


def test_bad_reply_is_kept_and_not_learned(tmp_path: Path) -> None:
    Corrections(tmp_path).good((), "hi", "hello")
    Corrections(tmp_path).bad((), "bye", "why?")
    assert learned(tmp_path) == [("hi", "hello")]
    kept = open_corpus(NAME, tmp_path, pytest.fail).conversations()
    assert [turn.text for each in kept for turn in each.turns] == ["hi", "hello", "bye", "why?"]


def test_reply_found_bad_is_no_longer_learned(tmp_path: Path) -> None:
    Corrections(tmp_path).good((), "bye", "why?")
    Corrections(tmp_path).good((), "hi", "hello")
    Corrections(tmp_path).bad((), "bye", "why?")
    assert learned(tmp_path) == [("hi", "hello")]


def test_correction_is_never_held_out(tmp_path: Path) -> None:
    for number in range(40):
        Corrections(tmp_path).good((), f"question {number}", "the same answer")
    conversations = list(open_corpus(NAME, tmp_path, pytest.fail).conversations())
    assert len(conversations) == 40
    assert not any(is_held_out(each.id, 0.5) for each in conversations)
    assert len(learned(tmp_path)) == 40


def test_corrections_are_private(tmp_path: Path) -> None:
    Corrections(tmp_path).good((), "hi", "hello")
    for path in (tmp_path / NAME).iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
