"""Every format reads its cases: the folders beside this file, each an input and what it should give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.formats import FORMATS, recognise

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/*/expected.jsonl"))


def input_of(case: Path) -> Path:
    (path,) = case.glob("input.*")
    return path


def as_expected(conversation: Conversation, expected: dict[str, Any]) -> dict[str, Any]:
    """What the expectation speaks of: always the turns, other fields where it names them."""
    found = {"turns": [[turn.speaker, turn.text] for turn in conversation.turns]}
    return found | {name: getattr(conversation, name) for name in expected if name != "turns"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_format_reads_its_case(case: Path) -> None:
    expected = [json.loads(line) for line in (case / "expected.jsonl").read_bytes().splitlines()]
    name = recognise(input_of(case))
    found = list(FORMATS[name].read(input_of(case), lambda notice: None))
    assert name == case.parent.name
    assert [as_expected(*both) for both in zip(found, expected, strict=True)] == expected


def test_every_format_has_a_case() -> None:
    assert {case.parent.name for case in CASES} == set(FORMATS)
