"""Tables: columns by choice, odd rows, and what is no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import table
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError


def said(path: Path, reading: Reading) -> list[list[str]]:
    return [[message.text for message in talk.messages] for talk in table.read(Part(path), reading)]


def with_columns(columns: str) -> Reading:
    return Reading(lambda notice: None, ReadingOptions(columns=columns))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("said, answered", [["Hi", "Hello, Ann"]]),
        ("ANSWERED,Said", [["Hello, Ann", "Hi"]]),
        ("2,3", [["said", "answered"], ["Hi", "Hello, Ann"]]),
    ],
)
def test_table_takes_the_columns_that_are_named(
    columns: str, expected: list[list[str]], tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text('no,said,answered\n1,Hi,"Hello, Ann"\n')
    assert said(tmp_path / "a.csv", with_columns(columns)) == expected


def test_table_columns_by_number_pass_over_known_headings(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer,extra\nWho?,Me,x\n")
    assert said(tmp_path / "a.csv", with_columns("1,3")) == [["Who?", "x"]]


def test_table_unknown_column_is_told_with_the_headings(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("said,answered\nHi,Hello\n")
    with pytest.raises(CorpusError, match=r"a\.csv:1: there is no column 'reply'; .* said, answered"):
        said(tmp_path / "a.csv", with_columns("said,reply"))


def test_table_of_messages_tells_times_and_talks_it_cannot_use(tmp_path: Path) -> None:
    rows = "thread,sender,text,date\n1,ann,a,noon\n2,bo,b,2024-01-01\n1,ann,c,2024-01-01\nodd\n"
    (tmp_path / "a.csv").write_text(rows)
    told: list[str] = []
    reading = Reading(told.append)
    assert said(tmp_path / "a.csv", reading) == [["a"], ["b"], ["c"]]
    assert reading.not_understood == 1
    assert [notice.split("a.csv: ")[1][:7] for notice in told] == ["1 times", "1 times"]


def test_table_reads_messages_while_they_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sender,text\n" + "ann,hello\n" * 5000)
    reading = Reading(lambda notice: None)
    talk = next(table.read(Part(tmp_path / "a.csv"), reading))
    assert reading.lines < 100
    assert sum(1 for _ in talk.messages) == 5000


@pytest.mark.parametrize(
    ("name", "lines", "fits"),
    [
        ("a.txt", ["question,answer", "Who?,Me"], True),
        ("a.txt", ["author;message", "ann;hi"], True),
        ("a.tsv", ['"Hi"\t"Hello"', '"Bye"\t"See you"'], True),
        ("a.csv", ["Hi,Hello", "Bye,See you"], True),
        ("a.csv.gz", ["Hi,Hello", "Bye,See you"], True),
        ("a.txt", ["Hi, you", "Bye, then"], False),
        ("a.txt", ['"Well," she said.', '"Never," he said.'], False),
        ("a.tsv", ['"Go," he said.\t"Va", dit-il.', "Hi.\tSalut."], False),
        ("a.tsv", ["a\tb", "c\td"], False),
        ("a.txt", ["Question, answer", "that is all there is to it"], False),
        ("a.csv", ["one line, no more"], False),
    ],
)
def test_table_is_told_by_headings_quotes_and_name(name: str, lines: list[str], fits: bool) -> None:
    assert table.looks_like(Head(Path(name), tuple(lines))) is fits
