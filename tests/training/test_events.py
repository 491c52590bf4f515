from __future__ import annotations

import dataclasses
import io
import json
import math
from pathlib import Path

import pytest

from chatbot.errors import ChatbotError
from chatbot.training.events import (
    Evaluated,
    Event,
    Finished,
    Looked,
    Prepared,
    Reverted,
    Saved,
    Stepped,
    Warned,
)
from chatbot.training.metrics import metrics_log

STEP = Stepped(3, 0.5, 1.25, 2.0, 0.001, math.inf, 40, 7.5)


def test_event_is_an_object_that_names_its_kind() -> None:
    assert Warned(0, "few").to_json() == {"event": "warned", "step": 0, "text": "few"}


def test_numbers_json_does_not_have_become_null() -> None:
    event = Evaluated(3, math.nan, math.inf, False, {"a": math.inf, "b": 2.0})
    record = json.loads(json.dumps(event.to_json(), allow_nan=False))
    assert (record["loss"], record["perplexity"], record["corpora"]) == (None, None, {"a": None, "b": 2.0})


def test_what_attention_does_is_a_line_of_json() -> None:
    event = Looked(3, None, None, None, None, math.inf, {"gate": math.nan, "centre": 0.5})
    assert json.loads(json.dumps(event.to_json(), allow_nan=False)) == {
        "event": "looked", "step": 3, "entropy": None, "heaviest": None, "moved": None, "mass": None,
        "gain": None, "gauges": {"gate": None, "centre": 0.5},
    }  # fmt: skip


def test_step_has_the_gauges_of_its_loss() -> None:
    assert STEP.to_json()["gauges"] == {}
    assert dataclasses.replace(STEP, gauges={"gate": 0.5}).to_json()["gauges"] == {"gate": 0.5}


def logged(path: Path, *events: Event, since: int | None = None) -> list[tuple[str, int]]:
    with metrics_log(path, since) as log:
        for event in events:
            log.write(event)
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(record["event"], record["step"]) for record in records]


def test_log_has_a_line_an_event_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    with metrics_log(path, None) as log:
        log.write(Prepared(0, {"name": "你好 \u2028 x"}))
        assert json.loads(path.read_text("utf-8"))["summary"]["name"] == "你好 \u2028 x"
        log.write(STEP)
    assert path.read_bytes().count(b"\n") == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_new_run_starts_a_new_log(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    logged(path, STEP)
    assert logged(path, Warned(0, "")) == [("warned", 0)]


def test_resumed_run_drops_what_was_logged_of_later_steps_and_torn_lines(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    logged(path, Warned(0, ""), STEP, Finished(4, "done", 3, 1.0))
    with path.open("ab") as out:
        out.write(b'{"event": "stepped", "st')
    assert logged(path, Warned(3, "on"), since=3) == [("warned", 0), ("stepped", 3), ("warned", 3)]


def test_resumed_run_without_a_log_starts_one(tmp_path: Path) -> None:
    assert logged(tmp_path / "metrics.jsonl", STEP, since=3) == [("stepped", 3)]


def test_event_that_comes_again_where_a_run_goes_on_is_logged_once(tmp_path: Path) -> None:
    path, told = tmp_path / "metrics.jsonl", [Prepared(0, {}), Warned(0, "few"), Warned(0, "long")]
    early = [
        *told,
        STEP,
        Evaluated(3, 2.0, 9.0, True, {}),
        Saved(3, "resume"),
        Finished(3, "interrupted", 3, 1),
    ]
    wanted = logged(path, *early, Stepped(4, 0.6, 1.5, 2.0, 0.1, 1.0, 40, 8.0))
    again = [*told, Warned(0, "another"), Evaluated(3, 2.0, 9.0, True, {}), Finished(3, "done", 3, 2.0)]
    assert logged(path, *again, since=3) == [*wanted[:-1], ("warned", 0), ("finished", 3)]


def test_later_steps_are_dropped_where_a_run_goes_back(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    fourth = dataclasses.replace(STEP, step=4)
    events = [Prepared(0, {}), STEP, Saved(3, "resume"), fourth, Reverted(3, "step 5: nan"), fourth]
    assert logged(path, *events) == [
        ("prepared", 0),
        ("stepped", 3),
        ("saved", 3),
        ("reverted", 3),
        ("stepped", 4),
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    with metrics_log(tmp_path / "metrics.jsonl", None) as log:
        log._file.close()
        log._file = io.FileIO("/dev/full", "ab")
        with pytest.raises(ChatbotError, match=r"metrics.jsonl: the disk is full; free some space"):
            log.write(STEP)
