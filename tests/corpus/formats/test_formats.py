"""Every format reads its cases: the folders beside this file, each an input and what it should give.

FORMAT/CASE/input.*         a file, or a folder ``input`` of files that belong together
FORMAT/CASE/expected.jsonl  {"talk": name} begins a talk; each other line is a message of it
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from chatbot.corpus.formats import FORMATS, nearest, recognise
from chatbot.corpus.input.decode import head_of_part
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import parts_of
from chatbot.corpus.message import SAID, Message, Talk
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError, OptionError

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/*/expected.jsonl"))
FOLDERS = [case for case in CASES if (case / "input").is_dir()]

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")


def input_of(case: Path) -> Path:
    (path,) = case.glob("input*")
    return path


def options_of(case: Path) -> ReadingOptions:
    """Options that a case is read with, where it needs some."""
    path = case / "options.json"
    return ReadingOptions(**json.loads(path.read_bytes())) if path.exists() else ReadingOptions()


def records(talks: Iterable[Talk]) -> list[dict[str, Any]]:
    """Talks and messages as an expectation writes them."""
    found: list[dict[str, Any]] = []
    for talk in talks:
        found.append({"talk": talk.name, "id": talk.id, "origin": talk.origin, "language": talk.language})
        found += [_record(message) for message in talk.messages]
    return found


def _record(message: Message) -> dict[str, Any]:
    record = {name: value for name, value in message._asdict().items() if value}
    record |= {"speaker": message.speaker, "text": message.text, "kind": message.kind}
    if message.time is not None:
        record["time"] = message.time.isoformat()
    return record | ({"mentions": list(message.mentions)} if message.mentions else {})


def read(path: Path, options: ReadingOptions) -> list[tuple[str, list[dict[str, Any]]]]:
    """What is read from an input, by format."""
    reading = Reading(lambda notice: None, options)
    groups = recognise(parts_of([path]), reading)
    return [(name, records(FORMATS[name].read(parts, reading))) for name, parts in groups]


def comparable(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The found records with those fields that the expectation names; of a message, all but said and none."""
    result = []
    for record, wanted in zip(found, expected, strict=True):
        if "talk" in wanted:
            result.append({name: record.get(name) for name in wanted})
        else:
            usual = {"kind": SAID}
            shown = {name: value for name, value in record.items() if usual.get(name) != value}
            result.append(shown)
    return result


@each_case
def test_format_reads_its_case(case: Path) -> None:
    expected = [json.loads(line) for line in (case / "expected.jsonl").read_bytes().splitlines()]
    groups = read(input_of(case), options_of(case))
    assert {name for name, _ in groups} == {case.parent.name}
    found = [record for _, each in groups for record in each]
    if len(found) != len(expected):
        assert found == expected
    assert comparable(found, expected) == expected


@each_case
def test_case_is_taken_by_no_particular_format_but_its_own(case: Path) -> None:
    """The least particular formats, which come last in the table, may fit as well."""
    general = {"table", "tsv", "script", "lines"}
    for part in parts_of([input_of(case)]):
        head = head_of_part(part)
        fitting = {name for name, known in FORMATS.items() if known.looks_like(head)}
        assert fitting - general <= {case.parent.name}


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_zip_of_a_folder_reads_as_the_folder(case: Path, tmp_path: Path) -> None:
    folder = input_of(case)
    with zipfile.ZipFile(tmp_path / "input.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    assert read(tmp_path / "input.zip", options_of(case)) == read(folder, options_of(case))


def test_every_format_has_a_case() -> None:
    assert {case.parent.name for case in CASES} == set(FORMATS)


def test_unknown_format_is_told_with_the_first_line_and_the_nearest_formats(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("".join(f"Sun 3rd Mar 2024 at 10h{at:02}m | P{at % 2} > text {at}\n" for at in range(50)))
    with pytest.raises(CorpusError, match="is in no known format") as caught:
        recognise(parts_of([path]), Reading(lambda notice: None))
    assert "Sun 3rd Mar 2024" in caught.value.what
    assert sum(name in caught.value.what for name in FORMATS) >= 3


def test_nearest_formats_are_those_whose_lines_have_that_shape() -> None:
    assert "whatsapp" in nearest("28.2.2024 klo 9:15 / Ann: terve")
    assert nearest("[2024-02-28 09:15] Ann; hello")[0] == "signal"
    assert nearest("(09:15) <ann> hello")[0] == "irc"


def test_format_that_there_is_not_is_an_option_error(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n")
    with pytest.raises(OptionError, match="did you mean whatsapp"):
        recognise(
            parts_of([tmp_path / "a.tsv"]), Reading(lambda notice: None, ReadingOptions(format="whatsap"))
        )
