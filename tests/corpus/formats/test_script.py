"""Scripts are told by names that come up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import script
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part


@pytest.mark.parametrize(
    ("lines", "fits"),
    [
        (["ANN: a", "BO: b", "ANN: c"], True),
        (["ann: a", "bo: b", "ann: c", "bo: d"], True),
        (["ANN: a", "(Enter BO.)", "BO: b", "goes on", "ANN: c", "BO: d"], True),
        (["ANN: a", "ANN: b", "ANN: c"], False),
        (["ANN: a", "BO: b", "CY: c", "DEE: d"], False),
        (["http://a.example", "https://b.example", "http://c.example"], False),
        (["12:30 a", "12:31 b", "12:32 c"], False),
        (["At 12:30", "At 12:31", "Until 12:32", "Until 12:33"], False),
        (["ANN: a", "no name", "BO: b", "no name", "ANN: c"], False),
        (["I said this: no.", "Then what: yes?", "It was so: never.", "We saw it: gone."], False),
    ],
)
def test_script_is_told_by_its_names(lines: list[str], fits: bool) -> None:
    assert script.looks_like(Head(Path("a"), tuple(lines))) is fits


def test_script_counts_lines_before_the_first_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A play\nof two\nANN: Hi\nBO: Ho\nANN: Hm\n")
    reading = Reading(lambda notice: None)
    (talk,) = script.read(Part(tmp_path / "a.txt"), reading)
    assert [message.text for message in talk.messages] == ["Hi", "Ho", "Hm"]
    assert reading.not_understood == 2
