"""What the readers of plain formats tell, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import tsv
from chatbot.errors import CorpusError

CASES = Path(__file__).parent / "tsv"


def test_tsv_tells_the_lines_it_leaves_out() -> None:
    told: list[str] = []
    list(tsv.read(CASES / "odd_columns" / "input.tsv", told.append))
    assert [notice.split("input.tsv:")[1] for notice in told] == [
        "2: no tab; 1 such lines were left out",
        "1: more than two columns; of 1 such lines the first two count",
    ]


def test_tsv_without_a_pair_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"hello\t\n\thi\nnothing\n")
    with pytest.raises(CorpusError, match="no line holds a pair"):
        list(tsv.read(tmp_path / "a.tsv", lambda notice: None))
