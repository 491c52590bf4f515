"""Several processes learn what one learns: the same gradients, losses and places, and one of them writes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch

from chatbot.dataset.batches import TrainingBatches, collate, collate_part
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import OptionError
from chatbot.training.launch import Launch
from chatbot.training.meeting import met, own_device, processes_of
from chatbot.training.processes import Alone, LedStates, Several
from chatbot.training.state import Progress, States

WORKER = Path(__file__).with_name("parts_of_batches.py")
CPU = torch.device("cpu")


def pairs_of(count: int) -> EncodedPairs:
    random = np.random.default_rng(5)
    rows = [random.integers(4, 20, random.integers(1, 9)).tolist() for _ in range(count)]
    return EncodedPairs.from_lists(rows, rows, [len(row) for row in rows], 20)


def test_environment_of_torchrun_says_which_process_it_is() -> None:
    environment = {
        "RANK": "3",
        "WORLD_SIZE": "4",
        "LOCAL_RANK": "1",
        "LOCAL_WORLD_SIZE": "2",
        "TORCHELASTIC_RESTART_COUNT": "1",
        "TORCHELASTIC_RUN_ID": "job",
    }
    assert Launch.of(environment) == Launch(3, 4, 1, 2, 1, "job")
    assert not Launch.of(environment).leads
    assert not Launch.of(environment).complains
    assert Launch.of(environment | {"LOCAL_RANK": "0"}).complains


@pytest.mark.parametrize(
    ("restarts", "name", "wanted"), [(0, "none", False), (1, "none", True), (0, "job", True)]
)
def test_run_of_the_same_launch_may_be_there(restarts: int, name: str, wanted: bool) -> None:
    assert Launch(restarts=restarts, name=name).goes_on is wanted
    assert not Launch().goes_on


def test_process_that_torchrun_did_not_start_is_alone() -> None:
    assert Launch.of({"RANK": "3", "WORLD_SIZE": "4"}) == Launch() == Launch(0, 1, 0, 1, 0, "")
    with processes_of(Launch(), CPU) as processes:
        assert isinstance(processes, Alone)
        assert processes.agree(2.5, True) == 2.5
        assert processes.stops(True)
        assert not processes.stops(False)


@pytest.mark.parametrize("world", [2, 3, 5])
def test_parts_are_the_whole_batch_each_pair_once(world: int) -> None:
    pairs, rows = pairs_of(12), np.array([3, 1, 4, 11, 5, 9, 2])
    whole = collate(pairs, rows)
    parts = [collate_part(pairs, rows, rank, world) for rank in range(world)]
    found = sorted(row[row > 0].tolist() for part in parts for row in part.src)
    assert found == sorted(row[row > 0].tolist() for row in whole.src)
    tokens = int((whole.tgt_out > 0).sum())
    assert [part.whole for part in parts] == [tokens] * world
    assert sum(int((part.tgt_out > 0).sum()) for part in parts) == tokens
    assert [part.words for part in parts] == [whole.words] * world
    assert not any(part.idle for part in parts)


def test_process_without_a_pair_is_idle() -> None:
    parts = [collate_part(pairs_of(5), np.array([2, 4]), rank, 4) for rank in range(4)]
    assert [part.idle for part in parts] == [False, False, True, True]
    assert all(len(part.src) == 1 for part in parts)


def test_all_processes_are_at_the_same_places() -> None:
    streams = [TrainingBatches(pairs_of(50), [50], [1.0], 60, 4, rank, 3).stream() for rank in range(3)]
    alone = TrainingBatches(pairs_of(50), [50], [1.0], 60, 4).stream()
    for wanted, *found in islice(zip(alone, *streams, strict=True), 40):
        assert all(each[:3] == wanted[:3] for each in found)
        assert all(each[3].words == wanted[3].words for each in found)


def test_processes_need_a_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(OptionError, match="2 of cuda for 3 processes on this machine; torchrun --nproc"):
        own_device(torch.device("cuda"), Launch(0, 6, 0, 3))
    chosen: list[int] = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert own_device(torch.device("cuda"), Launch(3, 4, 1, 2)) == torch.device("cuda", 1)
    assert chosen == [1]
    assert own_device(torch.device("cpu"), Launch(0, 6, 0, 3)) == CPU
    assert own_device(torch.device("cuda"), Launch()) == torch.device("cuda")


def test_only_the_leading_process_writes_states(tmp_path: Path) -> None:
    following = Several(Launch(1, 2))
    LedStates(States(tmp_path), following).save(Progress(), {})
    assert not list(tmp_path.iterdir())


def test_new_process_has_random_numbers_of_its_own(tmp_path: Path) -> None:
    """A state that was saved by fewer processes: each draws otherwise, and always the same."""

    def drawn(rank: int, **states: torch.Tensor) -> list[float]:
        torch.manual_seed(7)
        Several(Launch(rank, 3)).restore_random(states, CPU)
        numbers: list[float] = torch.rand(3).tolist()
        return numbers

    assert len({tuple(drawn(rank)) for rank in (0, 1, 2)}) == 3
    assert drawn(2) == drawn(2)
    torch.manual_seed(11)
    state, wanted = torch.get_rng_state(), torch.rand(3).tolist()
    assert drawn(1, **{"random.1.cpu": state}) == wanted


def test_processes_of_a_start_meet_whatever_an_earlier_start_has_left() -> None:
    """Threads stand for processes; the greetings and answers of the dead are still in the store."""
    store = torch.distributed.HashStore()
    with ThreadPoolExecutor(3) as threads:
        names = []
        for _ in range(3):
            found = list(threads.map(lambda rank: met(store, rank, 3), (2, 1, 0)))
            assert len(set(found)) == 1
            names += found
    assert len(set(names)) == 3


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def run_by_two(command: Sequence[str]) -> str:
    """What the leading one of two processes prints."""
    environment = os.environ | {
        "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "TORCHELASTIC_RUN_ID": "test",
        "OMP_NUM_THREADS": "1",
    }
    both = [
        subprocess.Popen(
            command,
            env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        told = [process.communicate(timeout=120) for process in both]
    finally:
        for process in both:
            process.kill()
    assert [process.returncode for process in both] == [0, 0], told
    assert "arning" not in told[0][1] + told[1][1]
    return told[0][0]


@pytest.mark.slow
def test_gradients_of_two_processes_are_those_of_one() -> None:
    cases = [json.loads(line) for line in run_by_two([sys.executable, str(WORKER)]).splitlines()]
    assert len(cases) == 9
    for case in cases:
        assert case["difference"] < 1e-5 * max(case["size"], 1.0), case
        assert case["losses"][0] == pytest.approx(case["losses"][1], rel=1e-5), case
        assert case["gauges"][0] == pytest.approx(case["gauges"][1], rel=1e-4), case
