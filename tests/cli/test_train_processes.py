"""``torchrun -m chatbot train``: several processes make one checkpoint, whatever befalls them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="finds the processes under /proc"),
]

OPTIONS = tuple(
    "--tokenizer chars --embed 8 --hidden 8 --device cpu --beam 1 --minutes 0 --eval-every 50 "  # noqa: SIM905
    "--save-every 20 --patience 0 --batch-tokens 400".split()
)

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """start("--steps", "10", processes=2, torchrun=[...]): chatbot train talk.tsv in a folder of its own."""
    lines = [f"question {n}\tanswer {n * n}\n" for n in range(200)]
    (tmp_path / "talk.tsv").write_text("".join(lines), encoding="utf-8")
    running: list[subprocess.Popen[str]] = []

    def run(*options: str, processes: int = 2, torchrun: Sequence[str] = ()) -> subprocess.Popen[str]:
        launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", *torchrun]
        command = [sys.executable, *(launcher if processes > 1 else []), "-m", "chatbot", "train", *options]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        running.append(
            subprocess.Popen(
                command,
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return running[-1]

    yield run
    for process in running:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=60)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Status, results and what was told."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def events(folder: Path, kind: str = "stepped") -> list[dict[str, Any]]:
    """Whole lines of metrics of a kind."""
    path = folder / "metrics.jsonl"
    lines = path.read_text("utf-8").split("\n")[:-1] if path.is_file() else []
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def wait_for_step(folder: Path, step: int, process: subprocess.Popen[str]) -> None:
    """Until a run is so far."""
    until = time.monotonic() + 90
    while not any(event["step"] >= step for event in events(folder)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "no step in time"
        time.sleep(0.02)


def workers(process: subprocess.Popen[str]) -> dict[int, int]:
    """The processes that a torchrun has started, by rank."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            environment = (folder / "environ").read_bytes().split(b"\0") if parent == process.pid else []
        except (OSError, ValueError, IndexError):
            continue
        found |= {int(each[5:]): int(folder.name) for each in environment if each.startswith(b"RANK=")}
    return found


def weights(folder: Path) -> bytes:
    """The weights of a checkpoint as they lie on disk."""
    return (folder / "model.safetensors").read_bytes()


def test_two_processes_train_as_one(start: Start, tmp_path: Path) -> None:
    talk = ["talk.tsv", *OPTIONS, "--steps", "60", "--dropout", "0"]
    for name, processes in (("one", 1), ("two", 2)):
        status, out, err = ended(start(*talk, "--name", name, "--accumulate", "2", processes=processes))
        assert status == 0, err
        assert out == f"checkpoints/{name}\n"
        assert "Traceback" not in err
        assert err.count("done after 60 steps") == 1
    one, two = (events(tmp_path / "checkpoints" / name) for name in ("one", "two"))
    assert [event["step"] for event in two] == list(range(1, 61))
    for found, wanted in zip(two, one, strict=True):
        assert found["loss"] == pytest.approx(wanted["loss"], rel=1e-4)
        assert found["gradient_norm"] == pytest.approx(wanted["gradient_norm"], rel=1e-3)
        assert (found["epoch"], found["words"]) == (wanted["epoch"], wanted["words"])
    (mine,), (other,) = (events(tmp_path / "checkpoints" / name, "reported") for name in ("one", "two"))
    ratio = mine["report"]["all"]["loss"] / other["report"]["all"]["loss"]
    assert ratio == pytest.approx(1, rel=1e-3)


def test_time_is_up_for_all_at_once(start: Start, tmp_path: Path) -> None:
    status, _, err = ended(start("talk.tsv", *OPTIONS, "--minutes", "0.05", processes=3))
    assert status == 0, err
    assert events(tmp_path / "checkpoints" / "talk", "finished")[0]["reason"] == "done"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_run_goes_on_as_if_it_had_not_been(start: Start, tmp_path: Path, number: int) -> None:
    talk, folder = ["talk.tsv", *OPTIONS, "--steps", "200"], tmp_path / "checkpoints"
    stopped = start(*talk, "--name", "stopped")
    wait_for_step(folder / "stopped", 30, stopped)
    stopped.send_signal(number)
    _, _, err = ended(stopped)
    (finished,) = events(folder / "stopped", "finished")
    assert finished["reason"] == "interrupted", err
    assert finished["step"] < 200
    assert json.loads((folder / "stopped" / "config.json").read_text())["ended"] == "interrupted"
    assert ended(start("--resume", "stopped"))[0] == 0
    assert ended(start(*talk, "--name", "whole"))[0] == 0
    assert weights(folder / "stopped") == weights(folder / "whole")
    losses = [[event["loss"] for event in events(folder / name)] for name in ("stopped", "whole")]
    assert losses[0] == losses[1]


@pytest.mark.parametrize(("rank", "named"), [(1, ["--name", "talk"]), (0, [])])
def test_killed_worker_is_started_again_and_nothing_is_lost(
    start: Start, tmp_path: Path, rank: int, named: list[str]
) -> None:
    talk, folder = ["talk.tsv", *OPTIONS, "--steps", "200"], tmp_path / "checkpoints"
    killed = start(*talk, *named, torchrun=["--max-restarts=1"])
    wait_for_step(folder / "talk", 50, killed)
    os.kill(workers(killed)[rank], signal.SIGKILL)
    status, out, err = ended(killed)
    assert status == 0, err
    assert out == "checkpoints/talk\n"
    assert ended(start(*talk, "--name", "whole"))[0] == 0
    assert weights(folder / "talk") == weights(folder / "whole")
    assert [event["step"] for event in events(folder / "talk")] == list(range(1, 201))


def test_mistake_is_told_once(start: Start) -> None:
    status, out, err = ended(start("nothing.tsv", *OPTIONS, "--steps", "9"))
    assert status == 1
    assert out == ""
    assert err.count("Error: nothing.tsv") == 1
    assert "chatbot/cli" not in err  # torchrun adds a traceback of its own


def test_new_launch_does_not_go_on_with_an_older_run(start: Start, tmp_path: Path) -> None:
    for _ in range(2):
        assert ended(start("talk.tsv", *OPTIONS, "--steps", "5"))[0] == 0
    assert sorted(each.name for each in (tmp_path / "checkpoints").iterdir()) == ["talk", "talk-2"]
