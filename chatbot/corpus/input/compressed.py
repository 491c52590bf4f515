"""The bytes of files, decompressed where they are compressed: told by what they begin with, not by name.

Whatever is wrong with one is a CorpusError, and no output outgrows what was read without end.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from chatbot.errors import CorpusError
from chatbot.files import open_bytes, unreadable

Advance = Callable[[int], None]
"""Is told how many bytes of the disk were read."""

BUFFER = 1 << 16
FREE_BYTES = 64 << 20
"""So much may come out of anything: no machine is harmed by it."""
BOMB_RATIO = 200
"""Text shrinks to a tenth, the most monotonous chat to a fiftieth; bombs to a thousandth."""

GZIP, ZSTD, ZIP = "gzip", "zstd", "zip"
_MAGIC = (
    (b"\x1f\x8b", GZIP),
    (b"\x28\xb5\x2f\xfd", ZSTD),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59", "bzip2"),
)
_SKIPPABLE_ZSTD = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_TAR_AT = 257
BROKEN = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    MemoryError,
    OverflowError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
)
"""What libraries raise of damaged files."""


def kind_of(head: bytes) -> str:
    """What a file that begins so is compressed with; "" for one that is not."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if _SKIPPABLE_ZSTD.match(head):
        return ZSTD
    return "tar" if head[_TAR_AT : _TAR_AT + 5] == b"ustar" else ""


def open_regular(path: Path) -> io.BufferedReader:
    """A file on the disk that can be read as often as one likes, opened.

    Raises:
        CorpusError: it is missing, a folder, a device or a pipe, or may not be read.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return open_bytes(path)
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        what = "is a pipe or a device, which cannot be read twice"
        raise CorpusError(str(path), what, "save it as a file first")
    return open_bytes(path)


def open_file(path: Path, name: str, advance: Advance) -> BinaryIO:
    """The bytes of a file, decompressed where it is gzip or Zstandard."""
    file = open_regular(path)
    try:
        kind = kind_of(file.read(_TAR_AT + 5))
        file.seek(0)
    except OSError as error:
        file.close()
        raise unreadable(path, error) from None
    if kind and kind not in _OPENERS:
        file.close()
        raise packed(name, kind)
    counted = Counted(file, advance)
    return io.BufferedReader(Careful(_OPENERS[kind](counted), counted, name), BUFFER)


def packed(name: str, kind: str) -> CorpusError:
    """What is told of a file that is compressed in a way, or at a place, where it is not opened."""
    return CorpusError(name, f"is a {kind} file, which is not opened here", "unpack it first")


def damaged(name: str, error: BaseException) -> CorpusError:
    """What is told of a compressed file that cannot be read to its end."""
    said = " ".join(str(error).split()) or type(error).__name__
    return CorpusError(name, f"is damaged ({said[:120]})", "make or fetch it again")


class _Stream(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def close(self) -> None: ...


class Counted(io.RawIOBase):
    """A file that says how much of it was read.

    Attributes:
        count: bytes so far.
    """

    def __init__(self, file: io.BufferedReader, advance: Advance) -> None:
        self.count = 0
        self._file = file
        self._advance = advance

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(BUFFER if size < 0 else size)
        self.count += len(data)
        if data:
            self._advance(len(data))
        return data

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self._file.close()
        super().close()


class Careful(io.RawIOBase):
    """A stream of decompressed bytes that is refused where it is damaged or a bomb."""

    def __init__(self, stream: _Stream, counted: Counted, name: str) -> None:
        self._stream = stream
        self._counted = counted
        self._name = name
        self._given = 0
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        room = memoryview(buffer)  # type: ignore[arg-type]
        if not self._left:
            self._left = memoryview(self._next(min(len(room), BUFFER)))
        size = min(len(room), len(self._left))
        room[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def _next(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except BROKEN as error:
            raise damaged(self._name, error) from None
        self._given += len(data)
        if self._given > FREE_BYTES and self._given > BOMB_RATIO * self._counted.count:
            what = f"becomes more than {BOMB_RATIO} times as large when it is unpacked"
            raise CorpusError(self._name, what, "if it is really a chat, unpack it and give that")
        return data

    def close(self) -> None:
        self._stream.close()
        self._counted.close()
        super().close()


class _Zstd(io.RawIOBase):
    """The bytes of Zstandard frames, one after the other; a frame that ends early is an error."""

    # A block of 4 bytes may become 128 KB, so little is fed at once.
    FED = 2048

    def __init__(self, file: Counted) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new()
        self._file = file
        self._left = b""
        self._begun = False

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes; ``size`` is not obeyed, since a frame gives what it gives."""
        while True:
            fed = self._left or self._file.read(self.FED)
            self._left = b""
            if not fed:
                if self._begun:
                    raise EOFError("it ends within a frame")
                return b""
            try:
                data = self._frame.decompress(fed)
            except self._error as error:
                raise ValueError(str(error)) from None
            self._begun = True
            if self._frame.eof:
                self._left, self._frame, self._begun = self._frame.unused_data, self._new(), False
            if data:
                return data


def _gunzipped(file: Counted) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=file, mode="rb")


_OPENERS: Mapping[str, Callable[[Counted], _Stream]] = {"": lambda raw: raw, GZIP: _gunzipped, ZSTD: _Zstd}
