"""Bytes to lines of text, whatever wrote them.

UTF-8 first; a line that is not UTF-8 is read as Windows-1252 (Latin-1 for the five bytes that has no
character for), and the first such line is named. A line ends at ``\\n``, ``\\r\\n`` or ``\\r`` and nowhere
else: a form feed, U+0085 or U+2028 inside a message is part of the message. Nothing here asks the locale.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chatbot.errors import CorpusError
from chatbot.files import open_bytes

Notify = Callable[[str], None]
"""Called with a sentence about something odd in the input; the command line prints it on stderr."""

HEAD_BYTES = 65536
"""How much of a file is looked at to tell what it is."""

BOM = "\ufeff"

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_LFS = "version https://git-lfs"


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a text file that are not blank, for telling its format."""

    path: Path
    lines: tuple[str, ...]


def lines_of(path: Path, notify: Notify) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, without their ends.

    Raises:
        CorpusError: the file cannot be read, or a line holds a NUL and so is no text.
    """
    told = False
    with _as_characters(open_bytes(path)) as file:
        for number, raw in enumerate(_raw_lines(file), start=1):
            text, faithful = decode_line(raw)
            if "\0" in text:
                raise _no_text(path, f"line {number} holds a NUL byte")
            if not faithful and not told:
                told = True
                notify(f"{path}:{number}: not UTF-8; this line and others like it were read as Windows-1252")
            yield number, text


def text_of(path: Path, notify: Notify) -> str:
    """The whole file as one text, its lines ended by ``\\n``."""
    return "".join(line + "\n" for _, line in lines_of(path, notify))


def decode_line(raw: bytes) -> tuple[str, bool]:
    """One line as text, and whether it was UTF-8. A byte-order mark before it is dropped."""
    try:
        return raw.decode("utf-8").removeprefix(BOM), True
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), False
    except UnicodeDecodeError:
        return raw.decode("latin-1"), False


def head_of(path: Path) -> Head:
    """The start of a file that may become a corpus.

    Raises:
        CorpusError: it cannot be read, is empty, is no text, or only stands in for the real file.
    """
    with open_bytes(path) as file:
        data = file.read(HEAD_BYTES)
        complete = not file.read(1)
    _check_text(path, data)
    decoded = (decode_line(raw)[0] for raw in _raw_lines(_as_characters(io.BytesIO(data))))
    lines = tuple(line for line in decoded if line.strip())
    if not lines:
        raise CorpusError(str(path), "is empty", "give a file that holds conversations")
    if lines[0].startswith(_LFS):
        raise CorpusError(str(path), "is a Git LFS pointer, not the file itself", "run git lfs pull first")
    if complete and len(lines) == 1 and _may_be_a_link(lines[0]):
        what = f"holds a single line ({_shortened(lines[0])}): a placeholder or a link"
        raise CorpusError(str(path), what, "give the real file")
    return Head(path, lines)


def _raw_lines(file: io.TextIOWrapper) -> Iterator[bytes]:
    for line in file:
        yield line.removesuffix("\n").encode("latin-1")


def _check_text(path: Path, data: bytes) -> None:
    if data.startswith(_WIDE_MARKS):
        raise CorpusError(str(path), "is UTF-16 text", "save it as UTF-8")
    if b"\0" in data:
        raise _no_text(path, "it holds NUL bytes")
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > max(8, len(data) // 20):
        raise _no_text(path, f"{controls} of its first {len(data)} bytes are control codes")


def _no_text(path: Path, why: str) -> CorpusError:
    return CorpusError(str(path), f"is no text file: {why}", "give a text file with conversations, as UTF-8")


def _may_be_a_link(line: str) -> bool:
    return "\t" not in line and not line.lstrip().startswith("{")


def _shortened(line: str, width: int = 60) -> str:
    line = "".join(char if char.isprintable() else " " for char in line.strip())
    return line if len(line) <= width else line[: width - 1] + "…"


def _as_characters(file: IO[bytes]) -> io.TextIOWrapper:
    """A file whose lines end at the three ends only; Latin-1 maps bytes to characters one to one and back."""
    return io.TextIOWrapper(file, encoding="latin-1", newline=None)
