"""Zip archives: what is in them, and the bytes of one member."""

from __future__ import annotations

import functools
import io
import os
import re
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from chatbot.corpus.input.compressed import (
    BROKEN,
    BUFFER,
    ZIP,
    Advance,
    Careful,
    Counted,
    damaged,
    kind_of,
    open_regular,
)
from chatbot.errors import CorpusError
from chatbot.files import unreadable

MAX_MEMBERS = 100_000
MAX_DIRECTORY_BYTES = 32 << 20
"""The table of contents of 100,000 members with long names."""

_DRIVE = re.compile(r"[A-Za-z]:")
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The decompressors of others give all that comes of what they are fed, be it a thousand times as much."""


def open_member(path: Path, member: str, advance: Advance) -> BinaryIO:
    """The bytes of one file of a zip archive."""
    name = f"{path}/{member}"
    info = members_of(path).get(member)
    if info is None:
        raise CorpusError(name, "is not in the archive", "check the name")
    if info.flag_bits & _ENCRYPTED:
        raise CorpusError(name, "is locked with a password", "unpack the archive and give the folder")
    if info.compress_type not in _METHODS:
        what = f"is compressed in a way that is not known here (method {info.compress_type})"
        raise CorpusError(name, what, "unpack the archive and give the folder")
    file = open_regular(path)
    try:
        file.seek(info.header_offset)
        magic, name_size, extra_size = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        if magic != b"PK\x03\x04":
            raise zipfile.BadZipFile("no member where the table of contents says so")
        file.seek(name_size + extra_size, os.SEEK_CUR)
        counted = Counted(file, advance)
        stream = zipfile.ZipExtFile(counted, "r", info, None, True)
    except BROKEN as error:
        file.close()
        raise damaged(name, error) from None
    return io.BufferedReader(Careful(stream, counted, name), BUFFER)


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive by how it begins."""
    with open_regular(path) as file:
        try:
            return kind_of(file.read(4)) == ZIP
        except OSError as error:
            raise unreadable(path, error) from None


def members_of(path: Path) -> Mapping[str, zipfile.ZipInfo]:
    """The files of a zip archive by their names, in the order of the archive.

    Raises:
        CorpusError: it is damaged, has too many members, or one whose path leads out of it.
    """
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return _members(path, about.st_size, about.st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _members(path: Path, size: int, changed: int) -> Mapping[str, zipfile.ZipInfo]:
    """The table of contents, kept: an export of a year of channels is opened once a day and channel."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(_Directory(file)) as archive:
            infos = archive.infolist()
    except BROKEN as error:
        raise damaged(str(path), error) from None
    if len(infos) > MAX_MEMBERS:
        what = f"holds {len(infos):,} files, more than {MAX_MEMBERS:,}"
        raise CorpusError(str(path), what, "unpack it and give the folder")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = _name_of(info)
        if _leads_out(name):
            what = f"names a file outside itself ({name[:80]!r})"
            raise CorpusError(str(path), what, "do not use an archive that does so")
        if not info.is_dir():
            found[name] = info
    return found


def _name_of(info: zipfile.ZipInfo) -> str:
    """A member's path. Some systems write UTF-8 and do not say so."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _leads_out(name: str) -> bool:
    path = name.replace("\\", "/")
    return path.startswith("/") or _DRIVE.match(path) is not None or ".." in path.split("/")


class _Directory:
    """A zip file whose table of contents is read only if it has a size that can be held."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(f"a table of contents of {size >> 20} MB")
        return self._file.read(size)
