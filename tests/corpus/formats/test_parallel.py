"""Two files that belong together line by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chatbot.corpus.formats.parallel import read_pair
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

Read = Callable[[str, str], list[list[str]]]


@pytest.fixture
def read(tmp_path: Path, notices: list[str]) -> Read:
    def said(src: str, tgt: str) -> list[list[str]]:
        (tmp_path / "a.src").write_text(src)
        (tmp_path / "a.tgt").write_text(tgt)
        pair = (Part(tmp_path / "a.src"), Part(tmp_path / "a.tgt"))
        talks = read_pair(*pair, Reading(notices.append))
        return [[f"{message.speaker} {message.text}" for message in talk.messages] for talk in talks]

    return said


def test_parallel_pairs_line_by_line(read: Read, notices: list[str]) -> None:
    assert read("one\ntwo\n", "1\n 2 ") == [["A one", "B 1"], ["A two", "B 2"]]
    assert notices == []


def test_parallel_tells_lines_blank_on_one_side(read: Read, notices: list[str]) -> None:
    assert read("one\n\nthree\nfour\n\n", "1\n2\n3\n \n\n") == [["A one", "B 1"], ["A three", "B 3"]]
    assert len(notices) == 1
    assert ":2: " in notices[0]
    assert "2 such lines" in notices[0]


def test_parallel_passes_over_blank_lines_at_the_end(read: Read) -> None:
    assert read("one\n\n\n", "1\n") == [["A one", "B 1"]]


@pytest.mark.parametrize(
    ("src", "tgt", "counts"),
    [
        ("a\nb\n", "1\n2\n3\n", "2 and 3 lines"),
        ("a\nb\nc\n\n", "1\n", "3 and 1 lines"),
        ("", "1\n", "0 and 1 lines"),
    ],
)
def test_parallel_refuses_files_of_different_length(read: Read, src: str, tgt: str, counts: str) -> None:
    with pytest.raises(CorpusError, match=counts):
        read(src, tgt)
