"""Request: what a person asked a training run for, and how ``resume/run.json`` remembers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatbot import checkpoint
from chatbot.config import AUTO, Config
from chatbot.errors import CheckpointError, OptionError

RUN, STATE, LOCK = "run.json", "state.json", "lock"
"""Files of ``resume/``: what the run is, where it is, and that a process is at work on it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked for.

    Args:
        corpora: names or paths; empty takes the default ones.
        folder: where the checkpoint goes.
        library: the folder of corpora.
        config: every option.
        command: as typed, for the model card.
        start: a checkpoint whose weights and tokenizer are gone on from, or None.
        resume: go on with the state in ``folder``.
        half: store weights in half precision.
        force: train on a corpus whatever is wrong with it.
    """

    corpora: tuple[str, ...]
    folder: Path
    library: Path
    config: Config
    command: str
    start: Path | None = None
    resume: bool = False
    half: bool = True
    force: bool = False


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is remembered of a run beside its state: enough to go on with it.

    Args:
        fine_tuned: it started from another checkpoint, whose tokenizer it keeps.
        data_key: names the encoded data it learns from.
        replayed: corpora of the other checkpoint that it learns from too, with their times there.
        launch: what torchrun called its last start; "" without torchrun.
    """

    corpora: tuple[str, ...]
    config: Config
    command: str
    half: bool
    fine_tuned: bool
    data_key: str
    replayed: Mapping[str, float] = field(default_factory=dict)
    launch: str = ""

    @classmethod
    def of(
        cls,
        request: Request,
        fine_tuned: bool,
        data_key: str,
        replayed: Mapping[str, float],
        launch: str = "",
    ) -> RunRecord:
        """The record of a request."""
        asked = request.corpora, request.config, request.command, request.half
        return cls(*asked, fine_tuned, data_key, replayed, launch)

    def to_json(self) -> dict[str, Any]:
        """The object in ``run.json``."""
        return {
            "corpora": list(self.corpora),
            "options": self.config.to_json(),
            "command": self.command,
            "half": self.half,
            "fine_tuned": self.fine_tuned,
            "data_key": self.data_key,
            "replayed": dict(self.replayed),
            "launch": self.launch,
        }


def has_state(folder: Path) -> bool:
    """Whether a checkpoint folder holds a run that can be gone on with."""
    return (folder / checkpoint.RESUME / STATE).is_file()


def has_run(folder: Path, request: Request, launch: str) -> bool:
    """Whether a checkpoint folder holds a run that was begun by a request, in a launch of torchrun.

    Args:
        request: its folder is of no account.
    """
    try:
        record = read_run(folder)
    except CheckpointError:
        return False
    config = request.config
    if config.training.batch_tokens == AUTO:  # the run has found one
        config = config.replace({"training.batch_tokens": record.config.training.batch_tokens})
    begun = record.corpora, record.config, record.command, record.launch
    return begun == (request.corpora, config, request.command, launch)


def read_run(folder: Path) -> RunRecord:
    """What is remembered of the run in a checkpoint folder.

    Raises:
        CheckpointError: the folder holds no training state, or a damaged one.
    """
    resume = folder / checkpoint.RESUME
    if not has_state(folder):
        what = "holds no training state" if folder.is_dir() else "no such run"
        raise CheckpointError(str(folder), what, "name a run that was saved, or train anew")
    where = str(resume / RUN)
    record = checkpoint.read_json(resume / RUN)
    try:
        return RunRecord(
            tuple(map(str, record["corpora"])),
            Config.from_json(record["options"], where),
            str(record["command"]),
            bool(record["half"]),
            bool(record["fine_tuned"]),
            str(record["data_key"]),
            {str(name): float(times) for name, times in record.get("replayed", {}).items()},
            str(record.get("launch", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
        raise CheckpointError(where, f"does not describe a run ({error})", "train anew") from None
