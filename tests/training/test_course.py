from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from chatbot.display.course import Validation
from chatbot.training.course import read_course
from chatbot.training.events import Evaluated, Event, Sampled, Stepped
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun


def written(folder: Path, *events: Event) -> Path:
    lines = [json.dumps(event.to_json()) for event in events]
    (folder / "metrics.jsonl").write_text("\n".join(lines))
    return folder


def test_course_holds_losses_by_step_and_minutes_of_validations(tmp_path: Path) -> None:
    found = read_course(
        written(
            tmp_path,
            Stepped(1, 0.5, 0.5, 4.0, 0.1, 1.0, 9, 30.0),
            Evaluated(1, 3.5, 33.0, True, {"a": 33.0, "b": float("inf")}),
            Sampled(1, (("q", "a"),)),
            Stepped(2, 1.0, 1.0, 3.0, 0.1, 1.0, 9, 90.0),
            Stepped(3, 1.0, 1.0, float("nan"), 0.1, 1.0, 9, 95.0),
            Evaluated(3, 3.6, float("inf"), False, {}),
        )
    )
    assert found.train == ((1, 4.0), (2, 3.0))
    assert found.validations == (Validation(1, 0.5, 3.5, 33.0, True, {"a": 33.0}),)
    assert found.best == found.validations[0]


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"event": "stepped", "step": "x"}\n[]\n{"event": "evaluated"}\n{'
    )
    assert read_course(tmp_path).train == ()
    assert read_course(tmp_path / "nowhere").validations == ()


def test_resumed_run_has_the_whole_course(make_request: Callable[..., Request]) -> None:
    run = TrainingRun(make_request(eval_every=2))
    for event in run.events():
        if isinstance(event, Stepped) and event.step == 3:
            run.stop()
    list(TrainingRun(make_request(eval_every=2, resume=True)).events())
    course = read_course(make_request().folder)
    assert [step for step, _ in course.train] == [1, 2, 3, 4, 5, 6]
    assert [each.step for each in course.validations] == [2, 4, 6]
