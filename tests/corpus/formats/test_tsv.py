"""What the reader of pairs between tabs tells, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import tsv
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError

CASES = Path(__file__).parent / "tsv"


def said(path: Path, columns: str = "") -> list[list[str]]:
    talks = tsv.read(Part(path), Reading(lambda notice: None, ReadingOptions(columns=columns)))
    return [[message.text for message in talk.messages] for talk in talks]


def test_tsv_tells_the_lines_it_leaves_out() -> None:
    told: list[str] = []
    reading = Reading(told.append)
    list(tsv.read(Part(CASES / "odd_columns" / "input.tsv"), reading))
    assert [notice.split("input.tsv:")[1] for notice in told] == [
        "2: too few columns; 1 such lines were left out",
        "1: more than two columns; of 1 such lines the first two count",
    ]
    assert reading.not_understood == 1
    assert "only one column" in reading.first


def test_tsv_without_a_pair_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"hello\t\n\thi\nnothing\n")
    with pytest.raises(CorpusError, match="no line holds a pair"):
        said(tmp_path / "a.tsv")


def test_tsv_takes_columns_by_number_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("x\tone\ttwo\ny\tthree\tfour\n")
    assert said(tmp_path / "a.tsv", "3,2") == [["two", "one"], ["four", "three"]]
    assert said(tmp_path / "a.tsv", "One,two") == [["three", "four"]]


def test_tsv_makes_no_pair_of_known_headings(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Frage\tAntwort\nWer?\tIch\n")
    assert said(tmp_path / "a.tsv") == [["Wer?", "Ich"]]


def test_tsv_names_the_columns_where_one_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("x\tone\n")
    with pytest.raises(CorpusError, match="no column '3'; choose two of x, one"):
        said(tmp_path / "a.tsv", "1,3")
    with pytest.raises(CorpusError, match="is not two columns"):
        said(tmp_path / "a.tsv", "1")
