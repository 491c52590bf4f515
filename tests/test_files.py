"""Files are written whole or not at all, and are private."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from chatbot import files as module
from chatbot.errors import ChatbotError
from chatbot.files import (
    MARGIN,
    Journal,
    atomic_writer,
    check_space,
    held,
    private_folder,
    remove_leftovers,
    write_atomically,
    write_error,
)

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and signals")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_write_replaces_the_content_and_leaves_no_other_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"old")
    write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


@posix
def test_what_is_written_is_private(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "x" / "y")
    write_atomically(folder / "a", b"")
    assert [mode(tmp_path / "x"), mode(folder), mode(folder / "a")] == [0o700, 0o700, 0o600]
    write_atomically(folder / "a", b"", mode=0o644)
    assert mode(folder / "a") == 0o644


@posix
def test_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    (tmp_path / "shared").chmod(0o755)
    assert mode(private_folder(tmp_path / "shared")) == 0o755


def test_raising_block_leaves_the_old_file_alone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"old")
    stopped = pytest.raises(KeyboardInterrupt)
    with stopped, atomic_writer(tmp_path / "a") as out:
        out.write(b"half of the new")
        raise KeyboardInterrupt
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_writer_can_be_sought(tmp_path: Path) -> None:
    with atomic_writer(tmp_path / "a") as out:
        out.write(b"????, world")
        out.seek(0)
        out.write(b"Hell")
    assert (tmp_path / "a").read_bytes() == b"Hell, world"


@posix
def test_kill_leaves_the_old_file_whole(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"old")
    code = (
        "import os, pathlib, sys\n"
        "from chatbot.files import atomic_writer\n"
        "with atomic_writer(pathlib.Path(sys.argv[1])) as out:\n"
        "    out.write(b'x' * 100_000)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)
    assert done.returncode == -9
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("size", [10, 1_000_000], ids=["at the flush", "while writing"])
def test_full_disk_is_told_and_leaves_the_old_file(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_atomically(tmp_path / "a", b"old")
    (tmp_path / "temporary").touch()
    full = os.open("/dev/full", os.O_RDWR)
    monkeypatch.setattr("tempfile.mkstemp", lambda *_: (full, str(tmp_path / "temporary")))
    with pytest.raises(ChatbotError, match=r"a: the disk is full; free some space"):
        write_atomically(tmp_path / "a", b"x" * size)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "no permission"), (errno.EIO, "cannot be written")],
)
def test_write_error_says_what_to_do(number: int, said: str) -> None:
    error = write_error(Path("x"), OSError(number, os.strerror(number)))
    assert error.where == "x"
    assert said in error.what
    assert error.remedy


def test_errors_of_the_block_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_writer(tmp_path / "a"):
        (tmp_path / "not there").read_bytes()
    assert os.listdir(tmp_path) == []


def test_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatbotError, match="a: cannot be written"):
        write_atomically(tmp_path / "missing" / "a", b"")


def test_private_folder_refuses_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(ChatbotError, match="is a file, not a folder"):
        private_folder(tmp_path / "a")
    with pytest.raises(ChatbotError):
        private_folder(tmp_path / "a" / "b")


def test_space_is_needed_for_what_is_written_and_a_margin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=50 * 2**20 + MARGIN))
    check_space(tmp_path, 50 * 2**20)
    with pytest.raises(ChatbotError) as caught:
        check_space(tmp_path, 50 * 2**20 + 1)
    left, remedy = (
        "the disk has 54 MB left, and 55 are needed",
        "free some space or choose a folder on another",
    )
    assert str(caught.value) == f"{tmp_path}: {left}; {remedy} disk"


def test_space_of_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatbotError, match="cannot be written"):
        check_space(tmp_path / "missing", 1)


def test_leftovers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".state.json.x7f.tmp", "notes.tmp", ".hidden", "a"):
        (tmp_path / name).touch()
    (tmp_path / ".folder.tmp").mkdir()
    remove_leftovers(tmp_path)
    remove_leftovers(tmp_path / "missing")
    assert sorted(os.listdir(tmp_path)) == [".folder.tmp", ".hidden", "a", "notes.tmp"]


def test_journal_grows_on_the_disk_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "log"
    journal = Journal(path)
    for number in range(3):
        journal.add(b"%d\n" % number)
        assert path.read_bytes() == b"0\n1\n2\n"[: 2 * (number + 1)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal.close()


def test_journal_is_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("old")
    with pytest.raises(ChatbotError, match="is there already"):
        Journal(tmp_path / "log")
    assert (tmp_path / "log").read_text() == "old"


def test_journal_tells_of_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "log")

    def full(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(ChatbotError, match="the disk is full"):
            journal.add(b"x")
    journal.close()


def test_what_is_held_is_refused_to_others_by_the_number_of_its_holder(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with held(lock, "bot"):
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        with pytest.raises(ChatbotError) as told, held(lock, "bot"):
            pass
        assert str(told.value) == (
            f"bot: another process ({os.getpid()}) is at work on it; wait for its end, or stop it"
        )
        assert lock.exists()
    assert not lock.exists()
    with held(lock, "bot"):
        pass


def test_lock_of_a_process_that_was_killed_is_no_obstacle(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("4000000")
    with held(lock, "bot"):
        assert lock.read_text() == str(os.getpid())


def test_lock_that_vanishes_while_it_is_taken_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one before removes it between its being opened and locked."""
    lock, take, taken = tmp_path / "lock", module._lock, []

    def late(handle: int) -> None:
        if not taken:
            lock.unlink()
        taken.append(handle)
        take(handle)

    monkeypatch.setattr(module, "_lock", late)
    with held(lock, "bot"):
        assert len(taken) == 2
        with pytest.raises(ChatbotError), held(lock, "bot"):
            pass


def test_file_system_without_locks_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(handle: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(module, "_lock", none)
    with held(tmp_path / "lock", "bot"), held(tmp_path / "lock", "bot"):
        pass
