"""The exact training state on disk: tensors in safetensors, the rest in JSON.

``resume/state.json`` names the tensor file it belongs to and is written last, so a kill at any instant
leaves the state before whole; older tensor files are deleted after that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chatbot.checkpoint import read_json, to_json
from chatbot.errors import CheckpointError
from chatbot.files import private_folder, write_atomically
from chatbot.training.events import finite
from chatbot.training.request import STATE


@dataclass(slots=True)
class Progress:
    """Where a run is.

    Args:
        step: optimiser updates so far.
        epoch, index: the place of the next batch in the stream.
        passes: over the training pairs so far, with the fraction of the current one.
        seconds: training time so far.
        best_loss, best_step: the best validation so far, in what ``--stop-on`` says (accuracy: 1 - it).
        stale: validations since one that was clearly better.
        evaluated_step, evaluated_passes, evaluated_seconds: where the last validation was.
    """

    step: int = 0
    epoch: int = 0
    index: int = 0
    passes: float = 0.0
    seconds: float = 0.0
    best_loss: float = float("inf")
    best_step: int = -1
    stale: int = 0
    evaluated_step: int = 0
    evaluated_passes: float = 0.0
    evaluated_seconds: float = 0.0


def save_state(folder: Path, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
    """Write a state next to the earlier one, then let it take its place."""
    from safetensors.torch import save

    private_folder(folder)
    data = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    sha256 = hashlib.sha256(data).hexdigest()
    name = f"state-{progress.step:08d}-{sha256[:8]}.safetensors"  # two states of one step have two names
    write_atomically(folder / name, data)
    record = {"tensors": name, "sha256": sha256, "progress": finite(asdict(progress))}
    write_atomically(folder / STATE, to_json(record))
    for old in folder.glob("state-*.safetensors"):
        if old.name != name:
            old.unlink(missing_ok=True)


def load_state(folder: Path) -> tuple[Progress, dict[str, Tensor]]:
    """Read the state back.

    Raises:
        CheckpointError: there is none, or it is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    record = read_json(folder / STATE)
    where = folder / Path(str(record.get("tensors"))).name
    try:
        data = where.read_bytes()
        if hashlib.sha256(data).hexdigest() != record["sha256"]:
            raise CheckpointError(str(where), "is not as it was written: its sha256 differs", "train again")
        return _progress(record["progress"]), load(data)
    except (OSError, SafetensorError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(str(where), f"cannot be read ({error})", "train again") from None


def saved_step(folder: Path) -> int:
    """The step of the state in a folder.

    Raises:
        CheckpointError: there is none, or it is damaged.
    """
    try:
        return int(read_json(folder / STATE)["progress"]["step"])
    except (KeyError, TypeError, ValueError):
        raise CheckpointError(str(folder / STATE), "names no step", "train again") from None


def _progress(record: Mapping[str, Any]) -> Progress:
    """JSON has no infinity; null stands for it."""
    values: dict[str, Any] = {k: float("inf") if v is None else v for k, v in record.items()}
    return Progress(**values)


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The moments and step counts of an optimiser, by parameter number."""
    state = optimizer.state_dict()["state"]
    return {
        f"optimizer.{index}.{name}": torch.as_tensor(value)
        for index, values in state.items()
        for name, value in values.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Put the moments and step counts back."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        prefix, _, rest = key.partition(".")
        if prefix == "optimizer":
            index, _, name = rest.partition(".")
            state.setdefault(int(index), {})[name] = tensor
    whole = optimizer.state_dict()
    optimizer.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
