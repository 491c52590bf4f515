"""A run that is killed at any instant, and again, and resumed each time, ends as if it had not been.

The processes are forked from one that has imported torch and done nothing with it, so that a run takes about
a second and not three.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch

from chatbot import checkpoint
from chatbot.training.request import has_state, read_run
from chatbot.training.state import States

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes and signals")

HERE = Path(__file__).parent
STEPS = 40
NEW = (
    "talk.tsv", "--name", "bot", "--single", "--tokenizer", "chars", "--embed", "8", "--hidden", "8",
    "--dropout", "0.3", "--batch-tokens", "200", "--beam", "1", "--device", "cpu", "--steps", str(STEPS),
    "--save-every", "3", "--eval-every", "7", "--patience", "0", "--average", "0.9", "--quiet",
)  # fmt: skip
DONE, NOTHING_LEFT = 0, 1

OURS = ("chatbot.cli.train", "chatbot.cli.progress", "slow_disk")
"""Loaded once, before the processes are forked; torch's optimisers load ``torch._dynamo``."""

Start = Callable[[Path, list[str]], BaseProcess]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """start(folder, args): a process that trains."""
    import sys

    sys.path.insert(0, str(HERE))  # the children look where their parent does
    context: ForkServerContext = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch._dynamo", "safetensors.torch", "chatbot.training.run", *OURS])
    import slow_disk

    def begin(folder: Path, args: list[str]) -> BaseProcess:
        process = context.Process(target=slow_disk.train, args=(folder, args))
        process.start()
        return process

    yield begin
    sys.path.remove(str(HERE))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, start: Start) -> tuple[Path, float]:
    """The folder of a run that nobody disturbed, and the seconds it took."""
    folder = tmp_path_factory.mktemp("whole")
    corpus(folder)
    process, began = start(folder, list(NEW)), time.monotonic()
    process.join()
    assert process.exitcode == DONE
    return folder, time.monotonic() - began


def corpus(folder: Path) -> None:
    lines = "".join(f"question {n}\tanswer {n * n}\n" for n in range(60))
    (folder / "talk.tsv").write_text(lines, encoding="utf-8")


def check_readable(bot: Path) -> None:
    """What is there is whole; a state is there unless the run had hardly begun."""
    if has_state(bot):
        read_run(bot)
        assert not States(bot / "resume").load().skipped
    if checkpoint.is_complete(bot):
        checkpoint.load(bot).weights()
        assert has_state(bot)


def events(bot: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bot / "metrics.jsonl").read_text("utf-8").split("\n")[:-1]]


def check_same(bot: Path, other: Path) -> None:
    """Two runs ended in the same weights, state and history, bit for bit."""
    ours, theirs = (checkpoint.load(folder).weights() for folder in (bot, other))
    assert ours.keys() == theirs.keys()
    assert all((ours[name] == theirs[name]).all() for name in ours)
    mine, yours = (States(folder / "resume").load() for folder in (bot, other))
    assert mine.progress.step == yours.progress.step == STEPS
    assert mine.tensors.keys() == yours.tensors.keys()
    assert all(torch.equal(mine.tensors[name], yours.tensors[name]) for name in mine.tensors)
    assert history(bot) == history(other)


def history(bot: Path) -> list[dict[str, Any]]:
    """All events of the log but that something was saved, without times and paths; none is there twice."""
    found = [{k: v for k, v in event.items() if k not in ("seconds", "path")} for event in events(bot)]
    told = [json.dumps(event) for event in found if event["event"] != "saved"]
    assert len(told) == len(set(told))
    return [event for event in found if event["event"] != "saved"]


def killed_and_resumed(start: Start, folder: Path, delays: list[float]) -> tuple[int, int]:
    """Train to the end, killed after each of the delays.

    Returns:
        How many kills met a run that had not ended, and how many of these a file that was being written.
    """
    bot, met, torn = folder / "checkpoints" / "bot", 0, 0
    for delay in [*delays, None]:
        args = ["--resume", "bot", "--quiet"] if has_state(bot) else list(NEW)
        process = start(folder, args)
        process.join(delay)
        running = process.exitcode is None
        process.kill()
        process.join()
        met, torn = met + running, torn + (running and any(bot.rglob(".*.tmp")))
        check_readable(bot)
    assert process.exitcode in (DONE, NOTHING_LEFT)
    return met, torn


@pytest.mark.parametrize(
    "kills", [[0.35], [0.6], [0.9, 0.4]], ids=["early", "in the midst", "late, and again after that"]
)
def test_run_killed_at_an_instant_ends_as_the_one_that_was_not(
    tmp_path: Path, start: Start, whole: tuple[Path, float], kills: list[float]
) -> None:
    other, seconds = whole
    corpus(tmp_path)
    killed_and_resumed(start, tmp_path, [share * seconds for share in kills])
    check_same(tmp_path / "checkpoints" / "bot", other / "checkpoints" / "bot")


@pytest.mark.slow
def test_run_killed_at_fifty_instants_ends_as_the_one_that_was_not(
    tmp_path: Path, start: Start, whole: tuple[Path, float]
) -> None:
    other, seconds = whole
    draw, kills = random.Random(1), 50  # noqa: S311 (no secret)
    met = torn = 0
    while kills:
        folder = tmp_path / str(kills)
        folder.mkdir()
        corpus(folder)
        delays = [draw.uniform(0.0, 0.95) * seconds for _ in range(min(kills, draw.choice([1, 1, 2, 3])))]
        found = killed_and_resumed(start, folder, delays)
        check_same(folder / "checkpoints" / "bot", other / "checkpoints" / "bot")
        kills, met, torn = kills - len(delays), met + found[0], torn + found[1]
    assert met > 20, f"{met} of 50 kills met a run of {seconds:.2f} s, {torn} of them a file being written"
    assert torn
