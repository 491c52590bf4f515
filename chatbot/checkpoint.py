"""A checkpoint folder: save, find, load, verify, list. No torch, no code in any file.

    config.json          every option that built it, its corpora and their hashes, versions
    tokenizer.json       the tokenizer
    model.safetensors    best weights by validation loss, half precision unless asked otherwise
    encoder.onnx         the same network for replies without torch, where it can be written so
    step.onnx            its other half; both refer to the weights and hold none that are there
    replies.lm.safetensors   what replies are like whatever is asked, against dull ones
    metrics.jsonl        one line an event of training
    README.md            model card
    seen.safetensors     hashes of the words and replies of training
    confidence.json      how sure a reply is, see chatbot.trust; where enough was held out
    why.safetensors      vectors of training questions, and why.jsonl the pairs; with --why
    resume/              the exact training state
    manifest.json        sha256 of every file but resume/ and metrics.jsonl; written last
    next/                while a checkpoint takes an earlier one's place: the new files, manifest last

A folder without a manifest is incomplete: a training run that has not come to its end. At every instant
after the first save one of the two, the folder or its ``next/``, is complete.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.config import FORMAT, Config
from chatbot.decoding.language_model import BackOff
from chatbot.errors import CheckpointError, OptionError
from chatbot.files import check_space, private_folder, sync_folder, write_atomically
from chatbot.text.tokenizer import Tokenizer

CONFIG, TOKENIZER, WEIGHTS, CARD = "config.json", "tokenizer.json", "model.safetensors", "README.md"
SEEN, CONFIDENCE = "seen.safetensors", "confidence.json"
WHY_VECTORS, WHY_PAIRS = "why.safetensors", "why.jsonl"
MANIFEST, METRICS, RESUME, NEXT = "manifest.json", "metrics.jsonl", "resume", "next"
ENCODER, STEP = "encoder.onnx", "step.onnx"
REPLIES = "replies.lm.safetensors"
STARTER = "starter"
REQUIRED = (CONFIG, TOKENIZER, WEIGHTS)

Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete checkpoint, read and checked.

    Args:
        path: its folder.
        config: the options that built it.
        record: all of ``config.json``: corpora, versions, figures.
        home: where its files lie: the folder, or ``next/`` in it.
        files: the names of those that its manifest lists.
    """

    path: Path
    config: Config
    record: Mapping[str, Any]
    home: Path
    files: tuple[str, ...] = ()

    @property
    def has_graphs(self) -> bool:
        """Whether it can be answered from without torch."""
        return {ENCODER, STEP} <= set(self.files)

    @property
    def when(self) -> datetime:
        """When it was written."""
        return datetime.fromtimestamp((self.home / MANIFEST).stat().st_mtime).astimezone()

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum((self.home / name).stat().st_size for name in self.files if (self.home / name).is_file())

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def context(self) -> int:
        """How many turns before a question its corpora put in front of it, or were asked to."""
        data = self.record.get("data")
        found = data.get("context") if isinstance(data, Mapping) else None
        return found if isinstance(found, int) and found >= 0 else self.config.data.context

    @property
    def fingerprint(self) -> str:
        """The sha256 of its manifest, which holds those of its files: the same one, the same checkpoint."""
        return hashlib.sha256((self.home / MANIFEST).read_bytes()).hexdigest()

    def tokenizer(self) -> Tokenizer:
        """The tokenizer it was trained with."""
        where = self.home / TOKENIZER
        try:
            stored = where.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise CheckpointError(str(where), f"cannot be read ({error})", _RESTORE) from None
        text = self.config.text
        return Tokenizer.from_json(stored, text.tokenizer, text.case, str(where))

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The network's parameters by name, in single precision.

        Raises:
            CheckpointError: the file is no safetensors file; nothing in it is ever executed.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        where = self.home / WEIGHTS
        try:
            tensors = load_file(where)
            return {name: np.asarray(tensor, dtype=np.float32) for name, tensor in tensors.items()}
        except (SafetensorError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise CheckpointError(str(where), f"cannot be read ({error})", _RESTORE) from None

    def optional(self, name: str) -> bytes | None:
        """The bytes of a file that a checkpoint may have or not; None where it has not.

        Raises:
            CheckpointError: it is there and cannot be read.
        """
        where = self.home / name
        try:
            return where.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CheckpointError(str(where), f"cannot be read ({error.strerror})", _RESTORE) from None

    def reply_model(self, vocab: int) -> BackOff | None:
        """The language model of its replies; None where it has none.

        Args:
            vocab: tokens of its tokenizer.

        Raises:
            CheckpointError: the file holds no such model, or one of another vocabulary.
        """
        if REPLIES not in self.files:
            return None
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        where = self.home / REPLIES
        try:
            return BackOff.of(load_file(where), vocab)
        except (SafetensorError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise CheckpointError(str(where), f"cannot be read ({error})", _RESTORE) from None


_RESTORE = "restore the folder from a copy, or train again"


def save(
    folder: Path,
    record: Mapping[str, Any],
    tokenizer: Tokenizer,
    weights: Weights,
    card: str,
    extra: Mapping[str, bytes] | None = None,
) -> None:
    """Write a checkpoint; when this returns it is complete.

    An earlier one stays whole until the new one is. In each folder the manifest goes first and the new one
    comes last, so that a mixture of two is never taken for complete.

    Args:
        extra: further files, by name.

    Raises:
        ChatbotError: the folder cannot be written.
    """
    files = {
        CONFIG: to_json({"format": FORMAT, **record}),
        TOKENIZER: tokenizer.to_json().encode(),
        WEIGHTS: weights_file(weights),
        CARD: card.encode(),
        **(extra or {}),
    }
    _replace(folder, files)


def update(folder: Path, changes: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
    """Change some files of a complete checkpoint, as safely as ``save`` writes all.

    Args:
        changes: new contents by name; the other files stay.
        remove: names of files that go; one that is not there is none.

    Raises:
        CheckpointError: it is not complete, or damaged.
        ChatbotError: the folder cannot be written.
    """
    listed, home = verify(folder), _home(folder)
    kept = {name: (home / name).read_bytes() for name in listed if name not in {*remove, *changes}}
    _replace(folder, kept | dict(changes))


def replies_file(model: BackOff) -> bytes:
    """The bytes of ``replies.lm.safetensors``."""
    from safetensors.numpy import save as to_bytes

    return to_bytes(model.arrays())


def weights_file(weights: Weights) -> bytes:
    """The bytes of ``model.safetensors``."""
    from safetensors.numpy import save as to_bytes

    return to_bytes({name: np.ascontiguousarray(tensor) for name, tensor in weights.items()})


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Let these be the files of a checkpoint, new or not; those an earlier one had besides are deleted."""
    private_folder(folder)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    manifest = to_json({"format": FORMAT, "sha256": hashes})
    if _home(folder) != folder:  # an earlier save was cut short: its end first
        with contextlib.suppress(OSError, CheckpointError):
            names = (*_hashes(folder / NEXT), MANIFEST)
            last = {name: (folder / NEXT / name).read_bytes() for name in names}
            _write(folder, last, last.pop(MANIFEST))
    check_space(folder, sum(map(len, files.values())) * (1 + is_complete(folder)))
    if is_complete(folder):
        _write(private_folder(folder / NEXT), files, manifest)
    _write(folder, files, manifest)
    _clear(folder / NEXT)


def _write(folder: Path, files: Mapping[str, bytes], manifest: bytes) -> None:
    """Replace the files of a folder; it is complete before and after, and not in between."""
    try:
        former = set(_hashes(folder))
    except CheckpointError:
        former = set()
    (folder / MANIFEST).unlink(missing_ok=True)
    sync_folder(folder)
    for name, data in files.items():
        write_atomically(folder / name, data)
    for name in former - set(files):
        (folder / name).unlink(missing_ok=True)
    write_atomically(folder / MANIFEST, manifest)


def _clear(folder: Path) -> None:
    """Remove a folder, its manifest first."""
    (folder / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def to_json(record: Mapping[str, Any]) -> bytes:
    """The bytes of a JSON file people may read."""
    return json.dumps(record, ensure_ascii=False, indent=1).encode() + b"\n"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of a checkpoint.

    Raises:
        CheckpointError: it is missing or holds no object.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(str(path), f"cannot be read ({error})", _RESTORE) from None
    if not isinstance(record, dict):
        raise CheckpointError(str(path), "holds no object", _RESTORE)
    return record


def is_complete(folder: Path) -> bool:
    """Whether the folder is a finished checkpoint."""
    return os.path.isfile(_home(folder) / MANIFEST)  # False, not an error, where one may not look


def _home(folder: Path) -> Path:
    """Where the files of a checkpoint lie: ``next/`` from when it is complete until it is cleared."""
    return folder / NEXT if os.path.isfile(folder / NEXT / MANIFEST) else folder


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint, every file checked against the manifest.

    Raises:
        CheckpointError: it is missing, incomplete, damaged or of another format.
    """
    verify(folder)
    return glance(folder)


def glance(folder: Path) -> Checkpoint:
    """Read a checkpoint, its files unchecked: for looking at it, not for answering from it.

    Raises:
        CheckpointError: it is missing, incomplete, or of another format.
    """
    _check_complete(folder)
    home = _home(folder)
    files = tuple(_hashes(home))
    record = read_json(home / CONFIG)
    where = str(home / CONFIG)
    if record.get("format") != FORMAT:
        raise CheckpointError(
            where,
            f"is of format {record.get('format')!r}, not {FORMAT}",
            "use the version of chatbot that made it",
        )
    options = record.get("options")
    if not isinstance(options, dict):
        raise CheckpointError(where, "names no options", _RESTORE)
    try:
        config = Config.from_json(options, where)
    except OptionError as error:
        raise CheckpointError(where, error.what, "use the version of chatbot that made it") from None
    return Checkpoint(folder, config, record, home, files)


def verify(folder: Path) -> tuple[str, ...]:
    """Check that a checkpoint is complete and every file as it was written.

    Returns:
        the names of its files.

    Raises:
        CheckpointError: which file is not.
    """
    for fault in faults(folder):
        raise fault
    return tuple(_hashes(_home(folder)))


def faults(folder: Path) -> Iterator[CheckpointError]:
    """What is wrong with each file that is not as it was written.

    Raises:
        CheckpointError: the folder is no complete checkpoint.
    """
    _check_complete(folder)
    home = _home(folder)
    for name, expected in _hashes(home).items():
        path = home / name
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            yield CheckpointError(str(path), f"cannot be read ({error.strerror})", _RESTORE)
            continue
        if found != expected:
            yield CheckpointError(str(path), "is not as it was written: its sha256 differs", _RESTORE)


def _check_complete(folder: Path) -> None:
    """Raises CheckpointError where there is no complete checkpoint."""
    if not os.path.isdir(folder):
        raise CheckpointError(str(folder), "no such checkpoint", "see --checkpoints, or train one")
    if not is_complete(folder):
        unfinished = (folder / RESUME).is_dir()
        what = "is an unfinished training run" if unfinished else "is no checkpoint: it has no manifest.json"
        remedy = f"go on with chatbot train --resume {folder.name}" if unfinished else "name another folder"
        raise CheckpointError(str(folder), what, remedy)


def _hashes(home: Path) -> dict[str, str]:
    """The sha256 of each file, by its name, as the manifest of a folder lists them.

    Raises:
        CheckpointError: there is no manifest, or it does not list what a checkpoint must have.
    """
    hashes = read_json(home / MANIFEST).get("sha256")
    if not isinstance(hashes, dict) or not set(REQUIRED) <= set(hashes):
        raise CheckpointError(str(home / MANIFEST), "does not list the checkpoint's files", _RESTORE)
    return {Path(name).name: str(expected) for name, expected in hashes.items()}


def list_complete(checkpoints: Path) -> list[Path]:
    """Complete checkpoints under a folder, newest first; the starter is not among them."""
    try:
        folders = [f for f in checkpoints.iterdir() if is_complete(f) and f.name != STARTER]
    except OSError:
        return []
    return sorted(folders, key=lambda f: ((_home(f) / MANIFEST).stat().st_mtime_ns, f.name), reverse=True)


def trained_on(checkpoints: Path, hashes: Collection[str]) -> list[str]:
    """The complete checkpoints that learned from a corpus of one of some hashes, by path."""
    found = []
    for folder in list_complete(checkpoints):
        try:
            corpora = read_json(_home(folder) / CONFIG).get("corpora", [])
            known = {corpus.get("sha256") for corpus in corpora}
        except (CheckpointError, AttributeError, TypeError):
            continue
        if known & set(hashes):
            found.append(str(folder))
    return sorted(found)


def find(name: str | None, checkpoints: Path) -> Path:
    """The folder of a checkpoint: by name under ``checkpoints``, by path, else the newest, else the starter.

    Raises:
        CheckpointError: there is none.
    """
    if name is None:
        return next((folder for folder in list_complete(checkpoints) if not _is_reversed(folder)), None) or (
            starter_folder()
        )
    named = checkpoints / name
    for folder in (named, Path(name)):
        if os.path.isdir(folder):
            return folder
    if name == STARTER:
        return starter_folder()
    import difflib

    known = [f.name for f in list_complete(checkpoints)] + [STARTER]
    near = difflib.get_close_matches(name, known, n=3)
    remedy = f"did you mean {' or '.join(near)}" if near else "there are: " + ", ".join(known)
    raise CheckpointError(name, f"no checkpoint of that name under {checkpoints} and no such folder", remedy)


def _is_reversed(folder: Path) -> bool:
    """Whether a checkpoint was trained to guess questions, so that nobody can talk with it."""
    try:
        training = read_json(_home(folder) / CONFIG)["options"]["training"]
        return bool(training.get("reverse", False))
    except (CheckpointError, LookupError, TypeError, AttributeError):
        return False


def starter_folder() -> Path:
    """The checkpoint that comes with the project: in the package from a wheel, else in the repository.

    Raises:
        CheckpointError: it is in neither place.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "shipped", package.parent):
        folder = place / "checkpoints" / STARTER
        if is_complete(folder):
            return folder
    raise CheckpointError("checkpoints", "there is no trained checkpoint", "make one with chatbot train")
