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
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from chatbot.errors import ChatbotError, CorpusError

TEMPORARY = ".tmp"
"""How the temporary names end; such a file is the leftover of a killed process."""

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
        raise ChatbotError(str(path), "is a file, not a folder", "move it away or choose another name")
    return path


def remove_leftovers(folder: Path) -> None:
    """Delete what processes that were killed while writing have left, in a folder nobody else writes to."""
    for path in folder.glob(f".*{TEMPORARY}"):
        with contextlib.suppress(OSError):
            path.unlink()


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
