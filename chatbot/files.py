"""Writing to disk so that a kill, a power cut or a full disk never leaves half a file; opening input files.

A file is written under a temporary name in its own folder, flushed and fsynced, and renamed over the
old one; then the folder is fsynced, so that the rename itself is on the disk. Whatever is written is
private: files 0600, folders 0700.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from chatbot.errors import ChatbotError, CorpusError

TEMPORARY = ".tmp"
"""How the temporary names end; such a file is the leftover of a killed process."""

LOCKED_BYTE = 1 << 20
"""The byte of a file that is locked where only bytes can be; beyond its end, so that it can be read."""

MARGIN = 4 * 2**20
"""Bytes a disk must have left beside what is about to be written: the small files around it, and the log."""


def write_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Make ``path`` hold ``data``, or leave it as it was.

    Raises:
        ChatbotError: the disk is full or does not let us write.
    """
    with atomic_writer(path, mode) as out:
        out.write(data)


@contextlib.contextmanager
def atomic_writer(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of ``path`` when the block ends, and vanishes when it raises.

    The file can be sought, but not closed or renamed by the caller. Errors of the block that are not
    about writing pass through unchanged.

    Raises:
        ChatbotError: the disk is full or does not let us write.
    """
    path = Path(path)
    with _told(path):
        handle, name = tempfile.mkstemp(TEMPORARY, f".{path.name}.", path.parent)
    temporary = Path(name)
    out = io.BufferedRandom(_ToldFile(handle, path))
    try:
        yield out
        with _told(path):
            out.flush()
            _set_mode(handle, mode)
            os.fsync(handle)
            out.close()
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError, ChatbotError):
            out.close()
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    with _told(path):
        sync_folder(path.parent)


def private_folder(path: Path) -> Path:
    """Create a folder, and those above it that are missing, with mode 0700; one that exists is kept as it is.

    Raises:
        ChatbotError: it cannot be created, or something that is no folder has its name.
    """
    path = Path(path)
    with _told(path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
            sync_folder(folder.parent)
    if not path.is_dir():
        raise _no_folder(path)
    return path


class Journal:
    """A new private file that grows; what ``add`` was given is on the disk when it returns.

    A kill loses at most what is being added.

    Raises:
        ChatbotError: a file of that name is there already, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        with _told(path):
            try:
                self._handle = os.open(path, flags, 0o600)
            except FileExistsError:
                what, remedy = "is there already", "name another file, or move it away"
                raise ChatbotError(str(path), what, remedy) from None
            sync_folder(path.parent)

    def add(self, data: bytes) -> None:
        """Write at the end of the file."""
        left = memoryview(data)
        with _told(self._path):
            while left:
                left = left[os.write(self._handle, left) :]
            os.fsync(self._handle)

    def close(self) -> None:
        """Nothing more comes."""
        os.close(self._handle)


def remove_leftovers(folder: Path) -> None:
    """Delete what processes that were killed while writing have left, in a folder nobody else writes to."""
    for path in folder.glob(f".*{TEMPORARY}"):
        with contextlib.suppress(OSError):
            path.unlink()


@contextlib.contextmanager
def held(path: Path, what: str) -> Iterator[None]:
    """The block runs while no other process holds the same file, which is there as long as it is held.

    The system lets go of it when the process ends, however it ends. A file system without locks is taken
    as it is.

    Args:
        what: what is held, as a person calls it.

    Raises:
        ChatbotError: another process holds it.
    """
    handle = _locked(path, what)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # while it is held, so that nobody else's is removed
        os.close(handle)


def _locked(path: Path, what: str) -> int:
    """The descriptor of the file, locked, with this process' number in it."""
    while True:
        with _told(path):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
            if _is_there(handle, path):  # else the one before has just removed it
                os.ftruncate(handle, 0)
                os.write(handle, str(os.getpid()).encode())
                return handle
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                return handle
            number = os.read(handle, 20).decode("ascii", "replace")
            os.close(handle)
            by = f"another process ({number})" if number.isdecimal() else "another process"
            raise ChatbotError(what, f"{by} is at work on it", "wait for its end, or stop it") from None
        os.close(handle)


def _lock(handle: int) -> None:
    """Lock a file for this process, at once or not at all.

    Raises:
        OSError: another one has it, or there are no locks here.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_there(handle: int, path: Path) -> bool:
    """Whether a path still names an open file."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def check_space(folder: Path, size: int) -> None:
    """Look whether so many bytes go on the disk of a folder, before anything there is touched.

    Raises:
        ChatbotError: they do not; how much is left and needed.
    """
    with _told(folder):
        free = shutil.disk_usage(folder).free
    needed = size + MARGIN
    if free < needed:
        what = f"the disk has {free // 2**20:,} MB left, and {-(-needed // 2**20):,} are needed"
        raise ChatbotError(str(folder), what, "free some space or choose a folder on another disk")


def _no_folder(path: Path) -> ChatbotError:
    return ChatbotError(str(path), "is a file, not a folder", "move it away or choose another name")


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A private folder to be filled, that takes the place of ``path`` when the block ends.

    When the block raises, the new folder vanishes and an earlier one is as it was. At no instant is there
    neither: the system exchanges two names at once where it can (Linux does); elsewhere the old folder is
    first moved aside.

    Raises:
        ChatbotError: the disk is full or does not let us write.
    """
    if path.exists() and not path.is_dir():
        raise _no_folder(path)
    _clear_leftovers(path)
    with _told(path):
        building = Path(tempfile.mkdtemp(TEMPORARY, f".{path.name}.{os.getpid()}.", path.parent))
    try:
        yield building
        with _told(path):
            if path.exists() and not _exchanged(building, path):
                aside = Path(tempfile.mkdtemp(TEMPORARY, f".{path.name}.", path.parent))
                path.replace(aside)
                building.rename(path)
                shutil.rmtree(aside, ignore_errors=True)
            elif building.exists() and not path.exists():
                building.rename(path)
            sync_folder(path.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _clear_leftovers(path: Path) -> None:
    """Delete what killed processes left of the folder of that name: it may be private."""
    import glob

    for folder in path.parent.glob(f".{glob.escape(path.name)}.*{TEMPORARY}"):
        number = folder.name.removeprefix(f".{path.name}.").partition(".")[0]
        if number.isdecimal() and not _is_running(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)  # signal 0 asks only
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _exchanged(new: Path, old: Path) -> bool:
    """Exchange the names of two folders by Linux' renameat2; False where there is no such call."""
    import ctypes

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    at_fdcwd, rename_exchange = -100, 2
    return bool(call(at_fdcwd, os.fsencode(new), at_fdcwd, os.fsencode(old), rename_exchange) == 0)


def sync_folder(path: Path) -> None:
    """Bring a folder's list of names to the disk; does nothing where the system has no such call."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_bytes(path: Path) -> io.BufferedReader:
    """An input file, opened.

    Raises:
        CorpusError: it is missing, a folder or may not be read.
    """
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise CorpusError(str(path), "no such file", "check the name") from None
    except IsADirectoryError:
        raise CorpusError(str(path), "is a folder, not a file", "name a file in it") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> CorpusError:
    """What is told of an input file that the system does not let one read."""
    reason = getattr(error, "strerror", None) or str(error)
    return CorpusError(str(path), f"cannot be read ({reason})", "check that it is a file you may read")


def write_error(path: Path, error: OSError) -> ChatbotError:
    """The error a user is told when ``path`` could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        what, remedy = "the disk is full", "free some space or choose a folder on another disk"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what, remedy = "no permission to write here", "choose a folder that is yours"
    else:
        what, remedy = f"cannot be written ({error.strerror or error})", "choose another folder"
    return ChatbotError(str(path), what, remedy)


class _ToldFile(io.FileIO):
    """An open file whose failing writes raise what a user is told about ``path``."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "r+b")
        self._path = path

    def write(self, data: object, /) -> int:
        with _told(self._path):
            return super().write(data)  # type: ignore[arg-type]


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise write_error(path, error) from error


def _set_mode(handle: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
