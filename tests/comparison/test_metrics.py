from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.comparison.metrics import validation_curve, words_per_second
from chatbot.training.metrics import read_events


def stepped(step: int, seconds: float, words: int = 10) -> dict[str, Any]:
    return {"event": "stepped", "step": step, "words": words, "seconds": seconds}


def test_speed_is_the_median_so_that_validations_do_not_count() -> None:
    # 10 words in 1 s, 20 words in 1 s, 30 words in 100 s: a validation stood between.
    steps = [stepped(1, 0.0), stepped(2, 1.0, 20), stepped(3, 2.0, 30), stepped(4, 102.0)]
    assert words_per_second(steps) == pytest.approx(10.0)


def test_one_step_has_no_speed() -> None:
    assert words_per_second([stepped(1, 0.5)]) is None
    assert words_per_second([]) is None


def test_curve_is_perplexity_over_steps_and_minutes() -> None:
    events = [
        stepped(1, 30.0),
        {"event": "evaluated", "step": 1, "perplexity": 50.0},
        stepped(2, 90.0),
        {"event": "evaluated", "step": 2, "perplexity": None},
        {"event": "evaluated", "step": 3, "perplexity": 40.0},
    ]
    assert validation_curve("a", events).points == ((1, 0.5, 50.0), (3, 1.5, 40.0))


def test_torn_lines_are_none(tmp_path: Path) -> None:
    line = json.dumps(stepped(1, 0.5)).encode()
    (tmp_path / "metrics.jsonl").write_bytes(line + b"\n[1]\n" + line[:-5])
    assert read_events(tmp_path) == [stepped(1, 0.5)]
    assert read_events(tmp_path / "nowhere") == []
