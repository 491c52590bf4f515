"""Bytes to text, whatever wrote them.

    part -> PartText: blocks of text, cut at line ends -> lines

A line ends at ``\\n``, ``\\r\\n`` or ``\\r`` and nowhere else: a form feed, U+0085 or U+2028 inside a message
is part of the message. Nothing here asks the locale.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from chatbot.corpus.input.compressed import kind_of, packed
from chatbot.corpus.input.encodings import UNDECODABLE, checked_encoding, settled_encoding
from chatbot.corpus.input.mixed import choice_of
from chatbot.corpus.input.part_text import BOM, HEAD_BYTES, LINES, PartText, no_text, transcoded
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

Notify = Callable[[str], None]
"""Called with a sentence about something odd in the input; the command line prints it on stderr."""

TEXT_BYTES = 256 << 20
"""The longest text that is held as a whole."""

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_LFS = "version https://git-lfs"


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a part that are not blank, for telling its format.

    Args:
        path: its name; formats may tell by it.
        lines: without their ends; the last may be cut.
    """

    path: Path
    lines: tuple[str, ...]


def lines_of_part(
    part: Part, notify: Notify, encoding: str = "", advance: Callable[[int], None] = lambda count: None
) -> Generator[tuple[int, str], None, None]:
    """The lines of a part with their numbers from 1, without their ends.

    Raises:
        CorpusError: it cannot be read, is no text, or a line is endless.
    """
    number = 1
    with closing(PartText(part, encoding, LINES, advance).blocks(notify)) as blocks:
        for text in blocks:
            lines = _split(text)
            yield from enumerate(lines, number)
            number += len(lines)


def text_of_part(
    part: Part, notify: Notify, encoding: str = "", advance: Callable[[int], None] = lambda count: None
) -> str:
    """A whole part as one text, its lines ended by ``\\n``.

    Raises:
        CorpusError: as ``lines_of_part``, or it is too large to be held.
    """
    whole = io.StringIO()
    size = 0
    with closing(PartText(part, encoding, LINES, advance).blocks(notify)) as blocks:
        for text in blocks:
            size += len(text)
            if size > TEXT_BYTES:
                what = f"is larger than {TEXT_BYTES >> 20} MB, which is too much for this format"
                raise CorpusError(part.name, what, "split it into several files")
            whole.write("".join(line + "\n" for line in _split(text)))
    return whole.getvalue()


def lines_of(path: Path, notify: Notify) -> Iterator[tuple[int, str]]:
    """The lines of a file; as ``lines_of_part``."""
    return lines_of_part(Part(path), notify)


def text_of(path: Path, notify: Notify) -> str:
    """The whole text of a file; as ``text_of_part``."""
    return text_of_part(Part(path), notify)


def head_of(path: Path) -> Head:
    """The start of a file; as ``head_of_part``."""
    return head_of_part(Part(path))


def head_of_part(part: Part, encoding: str = "") -> Head:
    """The start of a part that may become a corpus.

    Args:
        encoding: of the part; found out where "".

    Raises:
        CorpusError: it cannot be read, is empty, is no text, or only stands in for the real file.
        OptionError: there is no such encoding.
    """
    name = part.name
    encoding = checked_encoding(encoding) if encoding else ""
    with part.open() as stream:
        data = stream.read(HEAD_BYTES)
        complete = not stream.read(1)
    if kind := kind_of(data):
        raise packed(name, kind)
    encoding = settled_encoding(encoding, data)
    text = _coded_head(data, encoding) if encoding else _mixed_head(data, complete)
    if "\0" in text:
        raise no_text(name, "it holds NUL bytes")
    raw = text.encode("utf-8", "replace")
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    if controls > max(8, len(raw) // 20):
        raise no_text(name, f"{controls} of its first {len(raw)} bytes are control codes")
    lines = tuple(line for line in _split(text) if line.strip())
    _check_real(name, lines, complete)
    return Head(Path(name), lines)


def _coded_head(data: bytes, encoding: str) -> str:
    return next(transcoded([data], encoding), "").replace(UNDECODABLE, "\ufffd")


def _mixed_head(data: bytes, complete: bool) -> str:
    """The first bytes as text; a character that was cut in two is left out."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, complete)
    except UnicodeDecodeError:
        pass
    pieces = LINES.pieces(data)
    choice = choice_of(pieces)
    texts = [choice.decode(piece)[0] for piece in pieces]
    if not complete:
        try:
            texts[-1] = codecs.getincrementaldecoder("utf-8")().decode(pieces[-1])
        except UnicodeDecodeError:
            texts[-1] = texts[-1].removesuffix(UNDECODABLE)
    return "\n".join(texts).replace(UNDECODABLE, "\ufffd")


def _check_real(name: str, lines: tuple[str, ...], complete: bool) -> None:
    if not lines:
        raise CorpusError(name, "is empty", "give a file that holds conversations")
    if lines[0].startswith(_LFS):
        raise CorpusError(name, "is a Git LFS pointer, not the file itself", "run git lfs pull first")
    if complete and len(lines) == 1 and _may_be_a_link(lines[0]):
        what = f"holds a single line ({shortened(lines[0])}): a placeholder or a link"
        raise CorpusError(name, what, "give the real file")


def shortened(line: str, width: int = 60) -> str:
    """A line for a message: control characters made spaces, cut where it is long."""
    line = "".join(char if char.isprintable() else " " for char in line[: 4 * width].strip())
    return line if len(line) <= width else line[: width - 1] + "…"


def _may_be_a_link(line: str) -> bool:
    return "\t" not in line and not line.lstrip().startswith(("{", "["))


def _split(text: str) -> list[str]:
    """The lines of a block, without their ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removeprefix(BOM) for line in lines] if BOM in text else lines
