from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from chatbot.errors import ChatbotError, CheckpointError
from chatbot.training import state as module
from chatbot.training.state import (
    STATE,
    Progress,
    load_state,
    optimizer_tensors,
    restore_optimizer,
    save_state,
    saved_step,
)

EARLY = Progress(step=3, epoch=1, index=2, passes=1.25, seconds=0.1 + 0.2, best_loss=2.5, best_step=2)
TENSORS = {"model.w": torch.tensor([1.5, -0.0, 1e-45]), "random.cpu": torch.arange(5, dtype=torch.uint8)}


def test_state_comes_back_bit_for_bit(tmp_path: Path) -> None:
    save_state(tmp_path / "resume", EARLY, TENSORS)
    progress, tensors = load_state(tmp_path / "resume")
    assert progress == EARLY
    assert {name: tensor.dtype for name, tensor in tensors.items()} == {
        name: tensor.dtype for name, tensor in TENSORS.items()
    }
    for name, tensor in TENSORS.items():
        assert tensor.view(torch.uint8).tolist() == tensors[name].view(torch.uint8).tolist()
    assert saved_step(tmp_path / "resume") == 3


def test_state_before_any_validation_comes_back(tmp_path: Path) -> None:
    save_state(tmp_path, Progress(), TENSORS)
    assert load_state(tmp_path)[0].best_loss == math.inf
    json.loads((tmp_path / STATE).read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_one_state_is_kept_and_it_is_private(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        save_state(tmp_path / "resume", Progress(step=step), TENSORS)
    files = sorted((tmp_path / "resume").iterdir())
    assert len(files) == 2
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "resume").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("step", [3, 4])  # a later state, and another one of the same step
@pytest.mark.parametrize("place", ["before the tensors", "before the rest"])
def test_kill_while_saving_leaves_the_state_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, place: str
) -> None:
    save_state(tmp_path, EARLY, TENSORS)
    write = module.write_atomically

    def killed(path: Path, data: bytes) -> None:
        if place == "before the tensors" or path.name == STATE:
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(module, "write_atomically", killed)
    with pytest.raises(KeyboardInterrupt):
        save_state(tmp_path, Progress(step=step), {"model.w": torch.zeros(3)})
    progress, tensors = load_state(tmp_path)
    assert progress == EARLY
    assert torch.equal(tensors["model.w"], TENSORS["model.w"])
    monkeypatch.undo()
    save_state(tmp_path, Progress(step=9), TENSORS)
    assert len(list(tmp_path.iterdir())) == 2  # the orphan is gone


def damaged(folder: Path, how: str) -> None:
    state, tensors = folder / STATE, next(folder.glob("*.safetensors"))
    record = json.loads(state.read_text())
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
        state.write_text(json.dumps(record | {"progress": {"stepp": 3}}))
    else:
        state.write_text(json.dumps(record | {"tensors": "../../" + tensors.name, "progress": []}))


@pytest.mark.parametrize("how", ["no tensors", "a bit", "torn", "no json", "gone", "unknown", "list"])
def test_damaged_state_is_refused(tmp_path: Path, how: str) -> None:
    save_state(tmp_path, EARLY, TENSORS)
    damaged(tmp_path, how)
    with pytest.raises(CheckpointError):
        load_state(tmp_path)


def test_step_of_no_state_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError):
        saved_step(tmp_path)
    (tmp_path / STATE).write_text('{"progress": {"step": null}}')
    with pytest.raises(CheckpointError, match="names no step"):
        saved_step(tmp_path)


def test_unwritable_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "resume").write_text("a file")
    with pytest.raises(ChatbotError, match="resume"):
        save_state(tmp_path / "resume", EARLY, TENSORS)


def test_optimizer_goes_on_as_if_never_taken_apart() -> None:
    torch.manual_seed(0)
    start = torch.randn(4)

    def stepped(weight: torch.Tensor, optimizer: torch.optim.Optimizer, times: int) -> None:
        for n in range(times):
            weight.grad = start * (n + 1)
            optimizer.step()

    ours, theirs = (torch.nn.Parameter(start.clone()) for _ in range(2))
    whole, first = (torch.optim.AdamW([weight], lr=0.1, fused=True) for weight in (ours, theirs))
    stepped(ours, whole, 2)
    stepped(theirs, first, 2)
    second = torch.optim.AdamW([theirs], lr=0.1, fused=True)
    restore_optimizer(second, optimizer_tensors(first))
    stepped(ours, whole, 3)
    stepped(theirs, second, 3)
    assert torch.equal(ours, theirs)
    fresh = torch.nn.Parameter(start.clone())
    stepped(fresh, torch.optim.AdamW([fresh], lr=0.1, fused=True), 2)
    stepped(fresh, torch.optim.AdamW([fresh], lr=0.1, fused=True), 3)
    assert not torch.equal(fresh, ours)  # moments matter
