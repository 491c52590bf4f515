"""Pretrained word vectors, read for the words of a vocabulary, whatever program wrote the file.

    GloVe text         word n1 ... nSIZE, one a line; the word may hold spaces
    word2vec text      "COUNT SIZE" on the first line, then the same; fastText's .vec files too
    word2vec binary    "COUNT SIZE" on the first line, then word, space, SIZE little-endian 32-bit floats

Each may be packed by gzip. What a file is shows in its bytes, not in its name. A file is read once from end
to end, and only the vectors that are wanted are kept.

Source: Pennington et al. 2014 (GloVe), Mikolov et al. 2013 (word2vec), Bojanowski et al. 2017 (fastText).
"""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from chatbot.errors import CorpusError
from chatbot.files import open_bytes, unreadable

GLOVE, WORD2VEC, BINARY = "GloVe text", "word2vec text", "word2vec binary"

_HEAD_BYTES = 1 << 18
"""How much of a file is looked at to tell what it is: a line of the widest vectors fits."""

_SNIFFED = 50
"""That many lines of it are looked at."""

_WIDEST = 1 << 14
"""No header that promises more numbers a vector is believed: nobody has trained such vectors."""

_NARROWEST = 2
"""Without a header: a word and one number a line is a list of frequencies."""

_LONGEST_LINE = 1 << 20
_CHUNK = 1 << 18

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,6})[ \t\r]*")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_LARGEST = float(np.finfo(np.float32).max)
_REMEDY = "give vectors as GloVe, word2vec or fastText (.vec) write them, unpacked or as .gz"


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors for a vocabulary, and how the file they came from was read.

    Args:
        matrix: the vector of each id; zeros where none was found.
        found: whether the id's word has a vector.
        read: vectors in the file.
        skipped: lines that were no vector of the file's size. Of words not wanted only the number of
            fields is looked at, in a binary file nothing.
        format: GLOVE, WORD2VEC or BINARY.
        words: ids that stand for a word.

    Shapes: matrix [vocab, size], found [vocab]
    """

    matrix: NDArray[np.float32]
    found: NDArray[np.bool_]
    read: int
    skipped: int
    format: str
    words: int

    @property
    def share(self) -> float:
        """Share of the ids standing for a word that have a vector, 0 to 1."""
        return int(self.found.sum()) / max(self.words, 1)


def read_vectors(path: Path, words: Sequence[str]) -> Vectors:
    """The vector of each word: the one of the word as it is, else of its lower-cased form, else zeros.

    Where a word stands in the file more than once, the first sound vector counts.

    Args:
        words: the word of each id; "" where an id stands for no word.

    Raises:
        CorpusError: the file cannot be read, holds no vectors, or breaks off.
    """
    with _unpacked(path) as file:
        layout = _recognise(path, file.read(_HEAD_BYTES))
        file.seek(layout.start)
        rows = _Rows(words, layout.size)
        tally = _READERS[layout.format](file, layout, rows)
    if tally.read + tally.skipped < layout.promised:
        what = f"breaks off: {tally.read + tally.skipped} of {layout.promised} vectors are there"
        raise CorpusError(str(path), what, "get it again")
    if not tally.read:
        raise _no_vectors(path, tally.odd or "there is nothing after the first line")
    real = sum(map(bool, words))
    return Vectors(rows.matrix, rows.found, tally.read, tally.skipped, layout.format, real)


class _Rows:
    """The matrix while it fills.

    A word found as it is wants nothing more; one found lower-cased still gives way to the word as it is.
    """

    def __init__(self, words: Sequence[str], size: int) -> None:
        self.matrix = np.zeros((len(words), size), dtype=np.float32)
        self.found = np.zeros(len(words), dtype=np.bool_)
        self._words = words
        self._exact: dict[str, list[int]] = {}
        self._lowered: dict[str, list[int]] = {}
        for i, word in enumerate(words):
            if word:
                self._exact.setdefault(word, []).append(i)
                self._lowered.setdefault(word.lower(), []).append(i)

    def want(self, word: str) -> bool:
        """Whether a vector of this word would change anything."""
        return word in self._exact or word in self._lowered

    def put(self, word: str, vector: NDArray[np.float32]) -> None:
        """Give the vector to all ids it is for."""
        ids = self._exact.pop(word, [])
        ids += [i for i in self._lowered.pop(word, []) if self._words[i] in self._exact]
        self.matrix[ids] = vector
        self.found[ids] = True


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a file is.

    Args:
        start: bytes before the first vector.
        first: number of the line with the first vector.
        promised: vectors that must be there; 0 where that is not known. Text is often cut to its first,
            most frequent words under the old header.
    """

    format: str
    size: int
    start: int
    first: int
    promised: int = 0


@dataclass(slots=True)
class _Tally:
    """What was met in a file; ``odd`` tells the first line that was no vector."""

    read: int = 0
    skipped: int = 0
    odd: str = ""


def _recognise(path: Path, head: bytes) -> _Layout:
    mark = len(_BOM) if head.startswith(_BOM) else 0
    if not head[mark:].strip():
        raise CorpusError(str(path), "is empty", _REMEDY)
    first, _, body = head[mark:].partition(b"\n")
    header = _HEADER.fullmatch(first)
    if header is None:
        return _Layout(GLOVE, _common_size(path, head[mark:]), mark, first=1)
    if not 0 < int(header[2]) <= _WIDEST:
        raise _no_vectors(path, _told(1, first))
    count, size, start = int(header[1]), int(header[2]), mark + len(first) + 1
    lines = body.split(b"\n", _SNIFFED)[:_SNIFFED]
    if _CONTROL.search(body) and all(_vector_at_end(line, size) is None for line in lines):
        return _Layout(BINARY, size, start, first=2, promised=count)
    return _Layout(WORD2VEC, size, start, first=2)


def _common_size(path: Path, head: bytes) -> int:
    """Numbers a vector in a file without a header, which no line tells alone: words may hold numbers."""
    *lines, last = head.split(b"\n", _SNIFFED)
    if len(head) < _HEAD_BYTES and len(lines) < _SNIFFED:
        lines.append(last)  # whole, though no line end follows
    numbers = [(number, _numbers_at_end(line)) for number, line in enumerate(lines, 1) if line.strip()]
    sizes = Counter(size for _, size in numbers if size >= _NARROWEST)
    if not sizes or 2 * sizes.total() < len(numbers):
        odd = next((number for number, size in numbers if size < _NARROWEST), 1)
        raise _no_vectors(path, _told(odd, [*lines, last][odd - 1]))
    return sizes.most_common(1)[0][0]


def _numbers_at_end(line: bytes) -> int:
    """How many fields at the end of a line are numbers; the first field is a word."""
    fields = line.split()[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not _is_number(field)), len(fields))


def _read_text(file: IO[bytes], layout: _Layout, rows: _Rows) -> _Tally:
    tally, size = _Tally(), layout.size
    for number, line in enumerate(iter(partial(file.readline, _LONGEST_LINE), b""), layout.first):
        line = line.rstrip()
        if line.count(b" ") == size and not rows.want(_decoded(line[: line.index(b" ")])):
            tally.read += 1
            continue
        vector = _vector_at_end(line, size)
        if vector is None:
            tally.skipped += 1
            tally.odd = tally.odd or _told(number, line)
        else:
            tally.read += 1
            rows.put(_decoded(b" ".join(line.split()[:-size])), vector)
    return tally


def _vector_at_end(line: bytes, size: int) -> NDArray[np.float32] | None:
    """The last fields of a line as a vector; None where they are none, or where it is longer."""
    fields = line.split()
    between = fields[1:-size]
    if len(fields) <= size or (between and all(map(_is_number, between))):
        return None
    try:
        numbers = np.array([float(field) for field in fields[-size:]])
    except ValueError:
        return None
    return numbers.astype(np.float32) if (np.abs(numbers) <= _LARGEST).all() else None


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read_binary(file: IO[bytes], layout: _Layout, rows: _Rows) -> _Tally:
    tally = _Tally()
    for number, (word, raw) in enumerate(_entries(file, layout), 1):
        if not rows.want(word):
            tally.read += 1
            continue
        vector = np.frombuffer(raw, dtype="<f4")
        if np.isfinite(vector).all():
            tally.read += 1
            rows.put(word, vector)
        else:
            tally.skipped += 1
            tally.odd = tally.odd or f"vector {number} is not finite"
    return tally


def _entries(file: IO[bytes], layout: _Layout) -> Iterator[tuple[str, bytes]]:
    """Words and the bytes of their vectors, as many as were promised or as there are."""
    buffer, at, width = b"", 0, 4 * layout.size
    for _ in range(layout.promised):
        end = buffer.find(b" ", at) + 1
        while not end or end + width > len(buffer):
            more = file.read(_CHUNK)
            if not more or len(buffer) - at > _CHUNK:  # no word is that long
                return
            buffer, at = buffer[at:] + more, 0
            end = buffer.find(b" ") + 1
        yield _decoded(buffer[at : end - 1].lstrip(b"\n")), buffer[end : end + width]
        at = end + width


_READERS: dict[str, Callable[[IO[bytes], _Layout, _Rows], _Tally]] = {
    GLOVE: _read_text,
    WORD2VEC: _read_text,
    BINARY: _read_binary,
}


@contextlib.contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, those inside it where it is packed; errors in reading them are told."""
    try:
        with open_bytes(path) as file:
            packed = file.peek(len(_GZIP)).startswith(_GZIP)
            with io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file as inner:
                yield inner
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(str(path), f"is a damaged gzip file ({error})", "get it again") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _no_vectors(path: Path, why: str) -> CorpusError:
    return CorpusError(str(path), f"holds no word vectors: {why}", _REMEDY)


def _told(number: int, line: bytes, width: int = 60) -> str:
    """A line to quote: cut, and with escapes for what is not seen."""
    start = _decoded(line[: 4 * width]).strip()
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in start)
    return f'line {number} is "{shown if len(shown) <= width else shown[: width - 1] + "…"}"'


def _decoded(word: bytes) -> str:
    return word.decode("utf-8", "replace")
