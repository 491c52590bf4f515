"""A checkpoint folder: whole or refused, found by name, and never a way to run somebody's code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatbot import checkpoint
from chatbot.bot import Chatbot
from chatbot.checkpoint import (
    MANIFEST,
    NEXT,
    REQUIRED,
    RESUME,
    WEIGHTS,
    faults,
    find,
    is_complete,
    load,
    save,
    starter_folder,
    update,
)
from chatbot.config import Config
from chatbot.errors import ChatbotError, CheckpointError
from chatbot.text.tokenizer import Tokenizer

ONE_LINE = r"^[^\n]+: [^\n]+; [^\n]+$"


def record(mark: int = 0) -> dict[str, Any]:
    return {"options": Config().replace({"seed": mark}).to_json(), "corpora": []}


def weights(mark: int = 0) -> dict[str, np.ndarray]:
    return {"table": np.full((3, 2), mark, np.float16), "bias": np.array([0.1, -1e-3], np.float16)}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train("bpe", [("hello", "hi")], 300, "question")


@pytest.fixture
def make(tmp_path: Path, tokenizer: Tokenizer) -> Callable[..., Path]:
    """make("name", 7): a complete checkpoint whose weights and seed are 7."""

    def create(name: str = "bot", mark: int = 0) -> Path:
        folder = tmp_path / "checkpoints" / name
        save(folder, record(mark), tokenizer, weights(mark), f"# {name}\n")
        return folder

    return create


def mark_of(folder: Path) -> tuple[int, float]:
    """What seed and weights a checkpoint holds; they belong together."""
    loaded = load(folder)
    return loaded.config.training.seed, float(loaded.weights()["table"][0, 0])


def test_what_is_saved_is_loaded(make: Callable[..., Path], tokenizer: Tokenizer) -> None:
    folder = make("bot", 7)
    loaded = load(folder)
    assert loaded.name == "bot"
    assert loaded.config == Config().replace({"seed": 7})
    assert loaded.record == {"format": 1, **record(7)}
    assert loaded.tokenizer().to_json() == tokenizer.to_json()
    assert (folder / "README.md").read_text() == "# bot\n"
    assert not list(folder.glob("*.tmp")) + list(folder.glob(NEXT))


def test_further_files_are_listed_and_checked(make: Callable[..., Path]) -> None:
    folder = make("bot", 7)
    update(folder, {"encoder.onnx": b"one", "step.onnx": b"two"})
    assert load(folder).files == (*REQUIRED, "README.md", "encoder.onnx", "step.onnx")
    assert load(folder).has_graphs
    assert mark_of(folder) == (7, 7.0)
    (folder / "step.onnx").write_bytes(b"three")
    with pytest.raises(CheckpointError, match=r"step\.onnx: is not as it was written"):
        load(folder)


def test_every_damaged_file_is_named(make: Callable[..., Path]) -> None:
    folder = make()
    assert list(faults(folder)) == []
    (folder / WEIGHTS).write_bytes(b"")
    (folder / "README.md").unlink()
    assert [Path(fault.where).name for fault in faults(folder)] == [WEIGHTS, "README.md"]


def test_files_of_an_earlier_checkpoint_do_not_stay(make: Callable[..., Path]) -> None:
    folder = make("bot", 1)
    update(folder, {"encoder.onnx": b"one", "step.onnx": b"two"})
    make("bot", 2)
    assert not load(folder).has_graphs
    assert not list(folder.glob("*.onnx"))


def test_starter_is_small_and_needs_no_torch() -> None:
    starter = load(starter_folder())
    assert starter.has_graphs
    assert starter.size < 12e6


def test_half_precision_is_loaded_as_single(make: Callable[..., Path]) -> None:
    stored = weights(3)
    loaded = load(make("bot", 3)).weights()
    assert loaded.keys() == stored.keys()
    for name, tensor in stored.items():
        assert loaded[name].dtype == np.float32
        assert loaded[name].tolist() == tensor.astype(np.float32).tolist()


def test_files_are_private(make: Callable[..., Path]) -> None:
    previous = os.umask(0)
    try:
        folder = make()
    finally:
        os.umask(previous)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes.pop("bot") == 0o700
    assert set(modes.values()) == {0o600}
    assert set(REQUIRED) | {MANIFEST, "README.md"} == set(modes)


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many saves in a test; what a power cut would lose is not looked at."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


class Killed(BaseException):
    """Stands for a kill: nothing of ours runs after it."""


def save_until(calls: int, monkeypatch: pytest.MonkeyPatch, saving: Callable[[], object]) -> bool:
    """Save, killed before change number ``calls`` of the disk; False when it came to its end."""
    left = calls

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for owner, name in (
            (checkpoint, "write_atomically"),
            (checkpoint.shutil, "rmtree"),
            (Path, "unlink"),
        ):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        try:
            saving()
        except Killed:
            return True
    return False


@pytest.mark.usefixtures("quick_disk")
def test_first_save_is_complete_at_its_end_and_not_before(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    while save_until(calls, monkeypatch, lambda: make("bot", 1)):
        folder = find("bot", make("other").parent)
        if not is_complete(folder):
            with pytest.raises(CheckpointError, match=ONE_LINE):
                load(folder)
        else:
            assert mark_of(folder) == (1, 1)
        shutil.rmtree(folder)
        calls += 1
    assert calls >= 5
    assert mark_of(make("bot", 1)) == (1, 1)


@pytest.mark.usefixtures("quick_disk")
def test_kill_while_saving_again_leaves_the_old_or_the_new_one(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so does a second kill, while the one after it is saved."""
    seen = set()
    calls = 0
    make("bot", 1)
    while save_until(calls, monkeypatch, lambda: make("bot", 2)):
        folder = find("bot", make("other").parent)
        seen.add(mark_of(folder))
        save_until(calls // 2, monkeypatch, lambda: make("bot", 3))
        assert mark_of(folder) in {(1, 1), (2, 2), (3, 3)}
        make("bot", 1)
        assert mark_of(folder) == (1, 1)
        assert not (folder / NEXT).exists()
        calls += 1
    assert seen == {(1, 1), (2, 2)}
    assert calls > 10


def sealed(folder: Path, name: str, data: bytes) -> Path:
    """Put a file into a checkpoint as a stranger would: the manifest vouches for it."""
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"][name] = hashlib.sha256(data).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


class Malicious:
    """Unpickling it creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (str(self.path), "w"))


def zipped(data: bytes) -> bytes:
    """As torch.save writes them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", data)
    return buffer.getvalue()


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("wrap", [bytes, zipped], ids=["pickle", "zip"])
def test_pickles_are_refused_and_run_nothing(
    name: str, wrap: Callable[[bytes], bytes], make: Callable[..., Path], tmp_path: Path
) -> None:
    """D33."""
    touched = tmp_path / "touched"
    attack = pickle.dumps(Malicious(touched))
    pickle.loads(attack).close()  # noqa: S301  the attack works where something unpickles
    touched.unlink()
    folder = sealed(make(), name, wrap(attack))
    with pytest.raises(CheckpointError, match=ONE_LINE) as told:
        Chatbot.load(folder, "cpu")
    assert str(folder / name) in str(told.value)
    assert "weights_only" not in str(told.value)
    assert not touched.exists()


def tensor_file(kind: str, size: int) -> bytes:
    """A safetensors file of one number of a kind that numpy does not know."""
    header = json.dumps({"a": {"dtype": kind, "shape": [1], "data_offsets": [0, size]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(size)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (WEIGHTS, b""),
        (WEIGHTS, b"\xff" * 100),
        (WEIGHTS, tensor_file("BF16", 2)),
        (WEIGHTS, tensor_file("F8_E4M3", 1)),
        ("tokenizer.json", b"\xff\xfe"),
        ("tokenizer.json", b"{}"),
        ("config.json", b"\xff\xfe"),
        ("config.json", b"[]"),
        ("config.json", b"[" * 100_000),
        ("config.json", b'{"format": 1}'),
        ("config.json", b'{"format": 1, "options": [1]}'),
        ("config.json", b'{"format": 1, "options": {"model": 5}}'),
        ("config.json", b'{"format": 1, "options": {"model": {"hidden": "many"}}}'),
        ("config.json", b'{"format": 1, "options": {"poetry": {}}}'),
        ("config.json", b'{"options": {}}'),
    ],
)
def test_files_of_another_kind_are_refused(name: str, data: bytes, make: Callable[..., Path]) -> None:
    folder = sealed(make(), name, data)
    with pytest.raises(CheckpointError, match=ONE_LINE) as told:
        Chatbot.load(folder, "cpu")
    assert str(folder / name) in str(told.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"sha256": {}}', '{"sha256": {"config.json": "00"}}', '{"sha256": 5}', "\x80"]
)
def test_manifest_must_list_the_files(text: str, make: Callable[..., Path]) -> None:
    folder = make()
    (folder / MANIFEST).write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointError, match=ONE_LINE):
        load(folder)


@pytest.mark.parametrize("name", [*REQUIRED, "README.md"])
def test_damage_and_loss_are_noticed(name: str, make: Callable[..., Path]) -> None:
    folder = make()
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(CheckpointError, match=rf"{name}: is not as it was written"):
        load(folder)
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=rf"{name}: cannot be read"):
        load(folder)


def test_manifest_names_no_file_elsewhere(make: Callable[..., Path], tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.write_text("x")
    folder = make()
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"][str(outside)] = hashlib.sha256(b"x").hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="secret: cannot be read"):
        load(folder)


def test_another_format_is_told_by_its_number(make: Callable[..., Path]) -> None:
    folder = sealed(make(), "config.json", json.dumps({"format": 2, **record()}).encode())
    with pytest.raises(
        CheckpointError, match=r"is of format 2, not 1; use the version of chatbot that made it"
    ):
        load(folder)


def test_unfinished_run_is_told_apart_from_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "run" / RESUME).mkdir(parents=True)
    with pytest.raises(CheckpointError, match=r"unfinished training run; .*--resume run"):
        load(tmp_path / "run")
    with pytest.raises(CheckpointError, match=r"no manifest\.json"):
        load(tmp_path)
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        load(tmp_path / "nowhere")


def at(folder: Path, seconds: int) -> Path:
    """The checkpoint as if it had been finished then."""
    os.utime(folder / MANIFEST, (seconds, seconds))
    return folder


def test_newest_complete_checkpoint_is_taken_when_none_is_named(make: Callable[..., Path]) -> None:
    old, new, newest = at(make("zebra"), 100), at(make("apple"), 300), at(make("torn"), 400)
    at(make("starter"), 500)
    (newest / MANIFEST).unlink()
    (new.parent / "a-file").touch()
    assert find(None, new.parent) == new
    assert checkpoint.list_complete(new.parent) == [new, old]


@pytest.fixture
def installed(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """installed("repository") or installed("wheel"): the package, and a starter beside it or in it."""

    def install(how: str) -> Path:
        package = tmp_path / "site" / "chatbot"
        monkeypatch.setattr(checkpoint, "__file__", str(package / "checkpoint.py"))
        place = package / "shipped" if how == "wheel" else package.parent
        place.joinpath("checkpoints").mkdir(parents=True)
        starter = place / "checkpoints" / "starter"
        make("made").rename(starter)
        return starter

    return install


@pytest.mark.parametrize("how", ["repository", "wheel"])
def test_starter_is_taken_where_there_is_nothing_else(
    how: str, installed: Callable[[str], Path], make: Callable[..., Path], tmp_path: Path
) -> None:
    starter = installed(how)
    for name in (None, "starter"):
        assert find(name, tmp_path / "checkpoints") == starter
        assert find(name, tmp_path / "no such folder") == starter
    mine = make("mine")
    assert find(None, mine.parent) == mine
    assert find("starter", mine.parent) == starter
    own = make("starter")
    assert find("starter", mine.parent) == own


def test_no_checkpoint_at_all_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "__file__", str(tmp_path / "chatbot" / "checkpoint.py"))
    for name in (None, "starter"):
        with pytest.raises(CheckpointError, match="chatbot train"):
            find(name, tmp_path)


def test_name_goes_before_path(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make("bot")
    shutil.copytree(folder, tmp_path / "elsewhere" / "bot")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert find("bot", folder.parent) == folder
    assert find("bot", tmp_path / "nowhere") == Path("bot")
    assert find(str(folder), tmp_path / "nowhere") == folder


def test_near_names_are_offered(make: Callable[..., Path]) -> None:
    checkpoints = make("holiday").parent
    with pytest.raises(CheckpointError, match=r"^holidya: .*; did you mean holiday$"):
        find("holidya", checkpoints)
    with pytest.raises(CheckpointError, match=r"there are: holiday, starter$"):
        find("qqq", checkpoints)


@pytest.mark.parametrize("name", ["nul\0l", "x" * 5000, "a/b/c", "bot/config.json"])
def test_names_no_folder_can_have_are_no_crash(name: str, make: Callable[..., Path]) -> None:
    with pytest.raises(CheckpointError):
        find(name, make().parent)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_folder_one_may_not_enter_hides_no_other(make: Callable[..., Path]) -> None:
    folder, closed = make("open"), make("closed")
    closed.chmod(0)
    try:
        assert find(None, folder.parent) == folder
    finally:
        closed.chmod(0o700)


def test_disk_that_is_too_full_leaves_the_checkpoint_there_is(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make("bot", 7)
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(ChatbotError, match="bot: the disk has 0 MB left, and 5 are needed"):
        make("bot", 8)
    assert mark_of(folder) == (7, 7.0)


EXTRA = {"why.jsonl": b'["q", "r"]\n', "confidence.json": b"{}\n"}


def test_optional_files_are_listed_read_and_verified(tmp_path: Path, tokenizer: Tokenizer) -> None:
    folder = tmp_path / "bot"
    save(folder, record(), tokenizer, weights(), "", EXTRA)
    assert load(folder).optional("why.jsonl") == EXTRA["why.jsonl"]
    assert load(folder).optional("seen.safetensors") is None
    assert stat.S_IMODE((folder / "why.jsonl").stat().st_mode) == 0o600
    (folder / "why.jsonl").write_bytes(b"[]")
    with pytest.raises(CheckpointError, match=r"why\.jsonl: is not as it was written"):
        load(folder)


def test_new_save_leaves_no_optional_file_of_the_old_one(tmp_path: Path, tokenizer: Tokenizer) -> None:
    folder = tmp_path / "bot"
    save(folder, record(), tokenizer, weights(), "", EXTRA)
    save(folder, record(1), tokenizer, weights(1), "", {"confidence.json": b"[]"})
    assert not (folder / "why.jsonl").exists()
    assert load(folder).optional("confidence.json") == b"[]"


def test_update_changes_and_removes_what_is_named_and_nothing_else(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    folder = tmp_path / "bot"
    save(folder, record(3), tokenizer, weights(3), "# bot\n", EXTRA)
    checkpoint.update(folder, {"README.md": b"new"}, ["why.jsonl", "never there"])
    assert mark_of(folder) == (3, 3)
    assert (folder / "README.md").read_bytes() == b"new"
    assert load(folder).optional("why.jsonl") is None
    assert load(folder).optional("confidence.json") == b"{}\n"


@pytest.mark.usefixtures("quick_disk")
def test_update_killed_at_any_instant_leaves_the_old_or_the_new(
    tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, calls, killed = tmp_path / "bot", 0, True
    old, new = EXTRA, {"why.jsonl": b'["a", "b"]\n', "confidence.json": b"[1]\n"}
    save(folder, record(5), tokenizer, weights(5), "", old)
    while killed:
        killed = save_until(calls, monkeypatch, lambda: checkpoint.update(folder, new))
        found = load(folder)
        assert {name: found.optional(name) for name in new} in (old, new)
        assert mark_of(folder) == (5, 5)
        checkpoint.update(folder, old)
        assert load(folder).optional("why.jsonl") == old["why.jsonl"]
        calls += 1


def test_manifest_that_names_files_elsewhere_deletes_none_of_them(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    folder, outside = tmp_path / "bot", tmp_path / "precious"
    save(folder, record(), tokenizer, weights(), "")
    outside.write_bytes(b"x")
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"]["../precious"] = hashlib.sha256(b"x").hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))
    save(folder, record(1), tokenizer, weights(1), "")
    assert outside.read_bytes() == b"x"
