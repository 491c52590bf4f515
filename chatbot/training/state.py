"""The exact training state on disk: tensors in safetensors, the rest in JSON.

``resume/state.json`` names the states that are kept, the newest first, each with its tensor file and the
sha256 of that. It is written after the tensors and before older ones are deleted, so a kill at any instant
leaves every state it names whole. A tensor file says where the run was as well, and its name how the sha256
begins: where ``state.json`` is damaged, they stand for themselves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from chatbot.checkpoint import read_json, to_json
from chatbot.errors import CheckpointError
from chatbot.files import check_space, private_folder, write_atomically
from chatbot.training.events import finite
from chatbot.training.request import STATE

TENSORS, PROGRESS = "state-*.safetensors", "progress"
"""The tensor files, and what their metadata and their records call where the run was."""


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
        lr_scale: what the learning rate is multiplied by; halved each time the numbers go wrong.
        reverts: how often they have since a validation beyond them was the best.
        fault_step: the update at which they last did; -1 where they never have.
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
    lr_scale: float = 1.0
    reverts: int = 0
    fault_step: int = -1


@dataclass(frozen=True, slots=True)
class Stored:
    """A state as it was read back.

    Args:
        skipped: what was wrong with each newer one, which could not be.
    """

    progress: Progress
    tensors: Mapping[str, Tensor]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class States:
    """The states in a folder ``resume/``.

    Args:
        keep: how many, the newest ones.
    """

    folder: Path
    keep: int = 1

    def save(self, progress: Progress, tensors: Mapping[str, Tensor]) -> str:
        """Write a state beside the earlier ones, then name it first; where it lies is returned.

        Those of the same step and of later ones, which the run has gone back from, are dropped.

        Raises:
            ChatbotError: the disk is full, or does not let us write; the states before are whole.
        """
        from safetensors.torch import save

        private_folder(self.folder)
        place = finite(asdict(progress))
        plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        data = save(plain, {PROGRESS: json.dumps(place)})
        check_space(self.folder, len(data))
        sha256 = hashlib.sha256(data).hexdigest()
        name = f"state-{progress.step:08d}-{sha256[:8]}.safetensors"  # two states of one step have two names
        write_atomically(self.folder / name, data)
        newest = {"tensors": name, "sha256": sha256, PROGRESS: place}
        earlier = [record for record in self._earlier() if _is_before(progress.step, record)]
        kept = [newest, *earlier[: self.keep - 1]]
        write_atomically(self.folder / STATE, to_json({"states": kept}))
        names = {record["tensors"] for record in kept}
        for old in self.folder.glob(TENSORS):
            if old.name not in names:
                old.unlink(missing_ok=True)
        return str(self.folder)

    def load(self) -> Stored:
        """The newest state that is whole.

        Raises:
            CheckpointError: there is none.
        """
        faults: list[CheckpointError] = []
        try:
            records = self._records()
        except CheckpointError as error:
            faults.append(error)
            records = self._found()
        for record in records:
            try:
                return Stored(*self._read(record), tuple(f"{fault.where} {fault.what}" for fault in faults))
            except CheckpointError as error:
                faults.append(error)
        raise faults[0]

    def _records(self) -> list[Any]:
        """What ``state.json`` names; versions that kept one state wrote it alone.

        Raises:
            CheckpointError: it cannot be read, or names none.
        """
        record = read_json(self.folder / STATE)
        found = record.get("states", [record])
        if not isinstance(found, list) or not found:
            raise CheckpointError(str(self.folder / STATE), "names no state", "train again")
        return found

    def _found(self) -> list[Any]:
        """Records of the tensor files that are there, as far as their names tell."""
        names = sorted((path.name for path in self.folder.glob(TENSORS)), reverse=True)
        return [{"tensors": name, "sha256": name.removesuffix(".safetensors")[-8:]} for name in names]

    def _earlier(self) -> list[Any]:
        """The states before; a new run has none."""
        try:
            return self._records()
        except CheckpointError:
            return []

    def _read(self, record: Any) -> tuple[Progress, dict[str, Tensor]]:
        from safetensors import SafetensorError
        from safetensors.torch import load

        where = self.folder
        try:
            where = where / Path(str(record["tensors"])).name
            data = where.read_bytes()
            if not hashlib.sha256(data).hexdigest().startswith(record["sha256"]):
                what = "is not as it was written: its sha256 differs"
                raise CheckpointError(str(where), what, "train again")
            tensors = load(data)
            return _progress(record[PROGRESS] if PROGRESS in record else _told_by(data)), tensors
        except (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(str(where), f"cannot be read ({error})", "train again") from None


def _is_before(step: int, record: Any) -> bool:
    """Whether a record, if it is whole, names a state of an earlier step."""
    try:
        return bool(record["tensors"]) and int(record["progress"]["step"]) < step
    except (KeyError, TypeError, ValueError):
        return False


def _told_by(data: bytes) -> Any:
    """Where the run was, by the metadata of a tensor file that was read: its size, then a JSON header."""
    size = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + size])["__metadata__"][PROGRESS])


def _progress(record: Mapping[str, Any]) -> Progress:
    """JSON has no infinity; null stands for it."""
    values: dict[str, Any] = {k: float("inf") if v is None else v for k, v in record.items()}
    return Progress(**values)
