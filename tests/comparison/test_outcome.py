from __future__ import annotations

import json
from typing import Any

import pytest

from chatbot.comparison.outcome import Results, read_outcomes


def test_outcomes_are_read_back_as_they_were(results: Results) -> None:
    record = json.loads(json.dumps(results.to_json()))
    assert tuple(read_outcomes(record)) == results.outcomes


@pytest.mark.parametrize(
    "record", [None, [], {}, {"format": 2, "variants": []}, {"format": 1}, {"format": 1, "variants": 3}]
)
def test_what_is_no_comparison_has_no_outcomes(record: Any) -> None:
    assert read_outcomes(record) == []


def test_outcome_that_cannot_be_read_is_left_out(results: Results) -> None:
    record = json.loads(json.dumps(results.to_json()))
    record["variants"][0]["figures"] = {"loss": 1}
    record["variants"][1] = "odd"
    assert [outcome.label for outcome in read_outcomes(record)] == ["ntm"]
