"""ChatterBot files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import chatterbot
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

CASES = Path(__file__).parent / "chatterbot"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("conversations:\n- - a\n  - 'b\n", "is no YAML"),
        ("conversations:\n- - a\n  - *nobody\n", "is no YAML"),
        ("conversations: " + "[" * 100_000, "is no YAML"),
        ("conversations: a text\n", "holds no list of conversations"),
        ("- - a\n  - b\n", "holds no list of conversations"),
        ("conversations:\n- - \a\n", "is no YAML"),
    ],
)
def test_chatterbot_refuses_what_is_not_its_form(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(text)
    with pytest.raises(CorpusError, match=said) as caught:
        list(chatterbot.read(Part(tmp_path / "a.yml"), Reading(lambda notice: None)))
    assert "\n" not in str(caught.value)


def test_chatterbot_names_the_bad_line(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("conversations:\n- - a\n  - b\n- - [c\n")
    with pytest.raises(CorpusError, match=r"a\.yml:[45]: is no YAML"):
        list(chatterbot.read(Part(tmp_path / "a.yml"), Reading(lambda notice: None)))


def test_chatterbot_counts_entries_that_are_no_text() -> None:
    told: list[str] = []
    list(chatterbot.read(Part(CASES / "entries_that_are_no_text" / "input.yml"), Reading(told.append)))
    assert len(told) == 1
    assert "2 of its entries are no text" in told[0]


def test_chatterbot_runs_no_code(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    call = f"!!python/object/apply:os.mkdir ['{touched}']"
    (tmp_path / "a.yml").write_text(f"conversations:\n- - {call}\n  - b\n")
    list(chatterbot.read(Part(tmp_path / "a.yml"), Reading(lambda notice: None)))
    assert not touched.exists()
