from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.checkpoint import RESUME
from chatbot.errors import CheckpointError
from chatbot.training.request import RUN, STATE, Request, RunRecord, has_state, read_run

MakeRequest = Callable[..., Request]


@pytest.fixture
def request_made(make_request: MakeRequest) -> Request:
    return make_request(hidden=10, mix="talk.tsv=2")


def left_behind(request: Request, **changes: Any) -> Path:
    """A folder as a run leaves it, but for changes in ``run.json``."""
    resume = request.folder / RESUME
    resume.mkdir(parents=True)
    (resume / STATE).write_text("{}")
    record = RunRecord.of(request, True, "key", {"old.tsv": 2.5}).to_json() | changes
    (resume / RUN).write_text(json.dumps({k: v for k, v in record.items() if v is not None}))
    return request.folder


def test_run_is_remembered(request_made: Request) -> None:
    found = read_run(left_behind(request_made))
    assert found == RunRecord(
        request_made.corpora, request_made.config, request_made.command, False, True, "key", {"old.tsv": 2.5}
    )
    assert has_state(request_made.folder)


def test_folder_without_a_run_is_told_from_none(tmp_path: Path) -> None:
    assert not has_state(tmp_path)
    with pytest.raises(CheckpointError, match="holds no training state; name a run that was saved"):
        read_run(tmp_path)
    with pytest.raises(CheckpointError, match="nowhere: no such run"):
        read_run(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "changes",
    [
        {"options": None},
        {"corpora": None},
        {"corpora": 3},
        {"options": {"model": {"hidden": -1}}},
        {"options": {"nodel": {}}},
        {"options": []},
        {"data_key": None},
        {"replayed": ["old.tsv"]},
        {"replayed": {"old.tsv": "often"}},
    ],
)
def test_damaged_record_is_refused_by_name(request_made: Request, changes: dict[str, Any]) -> None:
    with pytest.raises(CheckpointError, match=r"resume/run\.json: does not describe a run"):
        read_run(left_behind(request_made, **changes))


def test_record_of_before_there_was_replay_is_read(request_made: Request) -> None:
    assert read_run(left_behind(request_made, replayed=None)).replayed == {}


def test_torn_record_is_refused(request_made: Request) -> None:
    folder = left_behind(request_made)
    (folder / RESUME / RUN).write_text('{"corpora": [')
    with pytest.raises(CheckpointError, match="cannot be read"):
        read_run(folder)
