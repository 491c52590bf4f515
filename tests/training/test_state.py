from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import itertools
import json
import math
import os
import shutil
from pathlib import Path

import pytest
import torch

from chatbot.errors import ChatbotError, CheckpointError
from chatbot.training import state as module
from chatbot.training.state import STATE, Progress, States

EARLY = Progress(step=3, epoch=1, index=2, passes=1.25, seconds=0.1 + 0.2, best_loss=2.5, best_step=2)
TENSORS = {"model.w": torch.tensor([1.5, -0.0, 1e-45]), "random.cpu": torch.arange(5, dtype=torch.uint8)}


def test_state_comes_back_bit_for_bit(tmp_path: Path) -> None:
    States(tmp_path / "resume").save(EARLY, TENSORS)
    stored = States(tmp_path / "resume").load()
    progress, tensors = stored.progress, stored.tensors
    assert (progress, stored.skipped) == (EARLY, ())
    assert {name: tensor.dtype for name, tensor in tensors.items()} == {
        name: tensor.dtype for name, tensor in TENSORS.items()
    }
    for name, tensor in TENSORS.items():
        assert tensor.view(torch.uint8).tolist() == tensors[name].view(torch.uint8).tolist()


def test_state_before_any_validation_comes_back(tmp_path: Path) -> None:
    States(tmp_path).save(Progress(), TENSORS)
    assert States(tmp_path).load().progress.best_loss == math.inf
    json.loads((tmp_path / STATE).read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_newest_states_are_kept_and_they_are_private(tmp_path: Path, keep: int) -> None:
    for step in (1, 2, 3, 4):
        States(tmp_path / "resume", keep).save(Progress(step=step), TENSORS)
    files = sorted((tmp_path / "resume").iterdir())
    wanted = [f"state-{step:08d}" for step in range(5 - keep, 5)]
    assert [file.name[:14] for file in files] == [*wanted, STATE]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "resume").stat().st_mode & 0o777 == 0o700
    record = json.loads((tmp_path / "resume" / STATE).read_text())
    assert [state["progress"]["step"] for state in record["states"]] == [4, 3, 2, 1][:keep]
    for state in record["states"]:
        data = (tmp_path / "resume" / state["tensors"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == state["sha256"]


def test_fewer_states_may_be_kept_from_now_on(tmp_path: Path) -> None:
    for step, keep in ((1, 3), (2, 3), (3, 3), (4, 1)):
        States(tmp_path, keep).save(Progress(step=step), TENSORS)
    assert len(list(tmp_path.iterdir())) == 2


def test_state_of_a_run_that_went_back_drops_the_later_ones(tmp_path: Path) -> None:
    for step in (1, 2, 3, 4, 2):
        States(tmp_path, 9).save(Progress(step=step), {"model.w": torch.full((2,), step / 3)})
    assert [state["progress"]["step"] for state in json.loads((tmp_path / STATE).read_text())["states"]] == [
        2,
        1,
    ]
    assert len(list(tmp_path.iterdir())) == 3


def test_state_of_an_earlier_version_is_read_and_gone_on_from(tmp_path: Path) -> None:
    States(tmp_path).save(EARLY, TENSORS)
    (record,) = json.loads((tmp_path / STATE).read_text())["states"]
    for name in ("lr_scale", "reverts", "fault_step"):
        del record["progress"][name]
    (tmp_path / STATE).write_text(json.dumps(record))
    assert States(tmp_path).load().progress == EARLY
    States(tmp_path, 2).save(Progress(step=4), TENSORS)
    assert len(list(tmp_path.glob("*.safetensors"))) == 2
    damaged(tmp_path, "a bit")
    assert States(tmp_path).load().progress == EARLY


@pytest.mark.parametrize("step", [3, 4])  # a later state, and another one of the same step
@pytest.mark.parametrize("place", ["before the tensors", "before the rest"])
def test_kill_while_saving_leaves_the_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, place: str
) -> None:
    States(tmp_path).save(EARLY, TENSORS)
    write = module.write_atomically

    def killed(path: Path, data: bytes) -> None:
        if place == "before the tensors" or path.name == STATE:
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(module, "write_atomically", killed)
    with pytest.raises(KeyboardInterrupt):
        States(tmp_path).save(Progress(step=step), {"model.w": torch.zeros(3)})
    stored = States(tmp_path).load()
    assert (stored.progress, stored.skipped) == (EARLY, ())
    assert torch.equal(stored.tensors["model.w"], TENSORS["model.w"])
    monkeypatch.undo()
    States(tmp_path).save(Progress(step=9), TENSORS)
    assert len(list(tmp_path.iterdir())) == 2  # the orphan is gone


def damaged(folder: Path, how: str) -> None:
    """Damage what the newest state is made of."""
    state, whole = folder / STATE, json.loads((folder / STATE).read_text())
    tensors, record = folder / whole["states"][0]["tensors"], whole["states"][0]
    if how == "no tensors":
        tensors.unlink()
    elif how == "a bit":
        tensors.write_bytes(tensors.read_bytes()[:-1] + b"\x01")
    elif how == "torn":
        state.write_text(state.read_text()[:-20])
    elif how == "no json":
        state.write_bytes(b"\xff\xfe")
    elif how == "gone":
        state.unlink()
    elif how == "unknown":
        record["progress"] = {"stepp": 3}
    elif how == "list":
        record |= {"tensors": "../../" + tensors.name, "progress": []}
    elif how == "no record":
        whole["states"][0] = None
    else:
        whole["states"] = {} if how == "object" else []
    if state.is_file() and how in ("unknown", "list", "no record", "object", "none"):
        state.write_text(json.dumps(whole))


INNER = ["no tensors", "a bit", "unknown", "list", "no record"]
OUTER = ["torn", "no json", "gone", "object", "none"]


@pytest.mark.parametrize("how", INNER)
def test_damaged_state_is_refused_where_it_is_the_only_one(tmp_path: Path, how: str) -> None:
    States(tmp_path).save(EARLY, TENSORS)
    damaged(tmp_path, how)
    with pytest.raises(CheckpointError):
        States(tmp_path).load()
    States(tmp_path, 5).save(Progress(step=9), TENSORS)  # a damaged one is in nobody's way
    assert States(tmp_path).load().progress.step == 9


@pytest.mark.parametrize("how", OUTER)
def test_states_stand_for_themselves_where_the_list_of_them_is_damaged(tmp_path: Path, how: str) -> None:
    for step in (1, 2, 3):
        place = dataclasses.replace(EARLY, step=step)
        States(tmp_path, 3).save(place, {"model.w": torch.tensor([float(step)])})
    damaged(tmp_path, how)
    stored = States(tmp_path).load()
    assert (stored.progress, stored.tensors["model.w"].item(), len(stored.skipped)) == (place, 3.0, 1)
    newest = max(tmp_path.glob("*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:-1] + b"\x01")
    stored = States(tmp_path).load()
    assert (stored.progress.step, len(stored.skipped)) == (2, 2)
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(b"damaged")
    with pytest.raises(CheckpointError, match=r"^[^\n]*state\.json: [^\n]*$"):
        States(tmp_path).load()


@pytest.mark.parametrize("how", INNER)
def test_next_older_state_stands_in_for_a_damaged_one(tmp_path: Path, how: str) -> None:
    for step in (1, 2, 3):
        States(tmp_path, 3).save(Progress(step=step), {"model.w": torch.tensor([float(step)])})
    damaged(tmp_path, how)
    stored = States(tmp_path).load()
    assert (stored.progress.step, stored.tensors["model.w"].item(), len(stored.skipped)) == (2, 2.0, 1)
    assert stored.skipped[0].startswith(str(tmp_path))


# A full disk


def test_disk_that_is_too_full_is_told_before_anything_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    States(tmp_path, 2).save(EARLY, TENSORS)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=3 * 2**20))
    with pytest.raises(ChatbotError, match="the disk has 3 MB left, and 5 are needed; free some space"):
        States(tmp_path, 2).save(Progress(step=4), TENSORS)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert States(tmp_path).load().progress == EARLY


@pytest.mark.parametrize("written", range(6))
def test_write_that_fails_leaves_a_state_to_go_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """The disk takes so many more calls that bring something to it, and then no more."""
    States(tmp_path, 2).save(EARLY, TENSORS)
    sync, calls = os.fsync, itertools.count()

    def full(handle: int) -> None:
        if next(calls) >= written:
            raise OSError(errno.ENOSPC, "no space left")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    fails = pytest.raises(ChatbotError, match="the disk is full") if written < 4 else contextlib.nullcontext()
    with fails:
        States(tmp_path, 2).save(Progress(step=4), TENSORS)
    monkeypatch.undo()
    stored = States(tmp_path).load()
    assert stored.progress.step == (3 if written < 3 else 4)
    assert not stored.skipped
    assert not list(tmp_path.glob(".*"))


def test_unwritable_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "resume").write_text("a file")
    with pytest.raises(ChatbotError, match="resume"):
        States(tmp_path / "resume").save(EARLY, TENSORS)
