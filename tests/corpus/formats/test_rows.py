"""Rows, beside the csv module, and where it would swallow a file."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats.rows import LONGEST, SEPARATORS, Rows

fields = st.text(st.sampled_from('ab ",;|\t\n你'), max_size=8)


def rows(text: str, separator: str = ",") -> list[list[str]]:
    return [row for _, row in Rows(enumerate(text.split("\n"), start=1), separator)]


@given(st.lists(st.lists(fields, min_size=2, max_size=4), max_size=6), st.sampled_from(SEPARATORS))
def test_rows_reads_what_csv_writes(table: list[list[str]], separator: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    assert rows(out.getvalue(), separator) == table


@given(st.text(st.sampled_from('a",\n'), max_size=40))
def test_rows_loses_no_letter(text: str) -> None:
    found = "".join(field for row in rows(text) for field in row)
    assert found.count("a") == text.count("a")


def test_rows_takes_an_unclosed_quote_as_text() -> None:
    text = 'a,"b\n' + "c,d\n" * (LONGEST + 10)
    assert rows(text)[:2] == [["a", '"b'], ["c", "d"]]
    assert len(rows(text)) == LONGEST + 11


def test_rows_allows_spaces_around_quotes() -> None:
    assert rows('a, "b, c" ,d') == [["a", "b, c", "d"]]


def test_rows_numbers_a_row_by_its_first_line() -> None:
    lines = enumerate(['"a', 'b",c', "", "d,e"], start=1)
    assert [number for number, _ in Rows(lines, ",")] == [1, 4]
