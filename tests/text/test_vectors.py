"""Word vectors of every format, against files written here number by number."""

from __future__ import annotations

import gzip
import itertools
import math
import os
import pickle
import struct
import threading
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.errors import CorpusError
from chatbot.text.vectors import BINARY, GLOVE, WORD2VEC, Vectors, read_vectors

Entries = Sequence[tuple[str, Sequence[float]]]

CITIES: Entries = (("the", (0.5, -1.0, 2.0)), ("paris", (1.0, 2.0, 3.0)), ("Ёж", (-0.25, 1e-3, 7.0)))


def as_glove(entries: Entries, end: str = "\n") -> bytes:
    return "".join(" ".join([word, *map(repr, row)]) + end for word, row in entries).encode()


def as_word2vec(entries: Entries, end: str = "\n") -> bytes:
    return f"{len(entries)} {len(entries[0][1])}{end}".encode() + as_glove(entries, end)


def as_fasttext(entries: Entries) -> bytes:
    """Older versions leave a space after the last number."""
    return as_word2vec(entries, " \n")


def as_binary(entries: Entries, between: bytes = b"") -> bytes:
    data = f"{len(entries)} {len(entries[0][1])}\n".encode()
    for word, row in entries:
        data += word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + between
    return data


def as_binary_lines(entries: Entries) -> bytes:
    return as_binary(entries, b"\n")


FORMATS = (
    (as_glove, GLOVE),
    (as_word2vec, WORD2VEC),
    (as_fasttext, WORD2VEC),
    (as_binary, BINARY),
    (as_binary_lines, BINARY),
)
every_format = pytest.mark.parametrize(("write", "name"), FORMATS, ids=lambda x: getattr(x, "__name__", ""))


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes, Sequence[str]], Vectors]:
    """Read some bytes under a name that says nothing."""

    def read(data: bytes, words: Sequence[str]) -> Vectors:
        (tmp_path / "vectors").write_bytes(data)
        return read_vectors(tmp_path / "vectors", words)

    return read


Read = Callable[[bytes, Sequence[str]], Vectors]


@every_format
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_vectors_stand_at_the_ids_of_their_words(
    read: Read, write: Callable[[Entries], bytes], name: str, pack: Callable[[bytes], bytes]
) -> None:
    vectors = read(pack(write(CITIES)), ["", "Ёж", "nowhere", "", "the"])
    expected = [[0, 0, 0], [-0.25, 1e-3, 7], [0, 0, 0], [0, 0, 0], [0.5, -1, 2]]
    assert vectors.matrix.dtype == np.float32
    assert np.array_equal(vectors.matrix, np.array(expected, dtype=np.float32))
    assert vectors.found.tolist() == [False, True, False, False, True]
    assert (vectors.read, vectors.skipped, vectors.format) == (3, 0, name)
    assert (vectors.words, vectors.share) == (3, 2 / 3)


SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85"
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Zs", "Zl", "Zp"], exclude_characters=SPACES + "\ufeff"),
    min_size=1,
    max_size=8,
)


@every_format
@given(data=st.data())
def test_any_words_and_numbers_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    write: Callable[[Entries], bytes],
    name: str,
    data: st.DataObject,
) -> None:
    size = data.draw(st.integers(2, 6))
    row = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=size, max_size=size)
    entries = data.draw(st.lists(st.tuples(WORDS, row), min_size=1, max_size=8, unique_by=lambda e: e[0]))
    if name == BINARY:  # a file of a few printable bytes alone could be either
        entries.append(("longer-than-any-other", [0.0] * size))
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(write(entries))
    vectors = read_vectors(path, [word for word, _ in entries])
    assert np.array_equal(vectors.matrix, np.array([row for _, row in entries], dtype=np.float32))
    assert (vectors.format, vectors.read, vectors.share) == (name, len(entries), 1.0)


@pytest.mark.parametrize("write", [as_glove, as_word2vec])
def test_words_with_spaces_leave_the_last_fields_as_numbers(
    read: Read, write: Callable[[Entries], bytes]
) -> None:
    """As in the largest GloVe file."""
    entries = [
        (". . .", (1.0, 2.0)),
        ("at name@domain.com", (3.0, 4.0)),
        (".", (5.0, 6.0)),
        ("at", (7.0, 8.0)),
    ]
    vectors = read(write(entries), [".", "at", "at name@domain.com"])
    assert vectors.matrix.tolist() == [[5, 6], [7, 8], [3, 4]]
    assert (vectors.read, vectors.skipped) == (4, 0)


def test_words_that_are_numbers_do_not_widen_the_vectors(read: Read) -> None:
    vectors = read(b"route 66 1 2\n5 3 4\n1e3 5 6\nnan 7 8\n", ["5", "1e3", "nan"])
    assert vectors.matrix.tolist() == [[3, 4], [5, 6], [7, 8]]


@pytest.mark.parametrize(
    "word", ["a\u2028b", "a\u0085b", "a\u2029b", "\u3000", "\u00a0", "a\x1cb", "a\u200bb"]
)
@pytest.mark.parametrize("write", [as_glove, as_binary])
def test_only_a_line_feed_ends_a_line(read: Read, write: Callable[[Entries], bytes], word: str) -> None:
    vectors = read(write([("one", (1.0, 2.0)), (word, (3.0, 4.0)), ("b", (5.0, 6.0))]), [word, "b"])
    assert vectors.matrix.tolist() == [[3, 4], [5, 6]]
    assert vectors.read == 3


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("write", [as_glove, as_word2vec])
def test_windows_line_ends_and_a_mark_change_nothing(
    read: Read, write: Callable[[Entries, str], bytes], mark: bytes
) -> None:
    words = [word for word, _ in CITIES]
    there, here = read(mark + write(CITIES, "\r\n"), words), read(write(CITIES, "\n"), words)
    assert np.array_equal(there.matrix, here.matrix)
    assert (there.read, there.share) == (3, 1.0)


def test_a_missing_last_line_end_changes_nothing(read: Read) -> None:
    assert read(b"a 1 2", ["a"]).matrix.tolist() == [[1, 2]]


@pytest.mark.parametrize("data", [b"caf\xe9 1 2\ntea 3 4\n", b"1 2\ncaf\xe9 " + struct.pack("<2f", 1, 2)])
def test_bytes_that_are_no_utf8_are_replaced(read: Read, data: bytes) -> None:
    assert read(data, ["caf\ufffd"]).matrix.tolist() == [[1, 2]]


@every_format
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_word_as_it_is_wins_over_its_lower_case(
    read: Read, write: Callable[[Entries], bytes], name: str, order: Sequence[int]
) -> None:
    """Wherever the two stand in the file."""
    entries = [("Paris", (1.0, 1.0)), ("paris", (2.0, 2.0)), ("rome", (3.0, 3.0))]
    vectors = read(write([entries[i] for i in order]), ["Paris", "PARIS", "paris", "Rome", "ROME", "Oslo"])
    assert vectors.matrix[:, 0].tolist() == [1, 2, 2, 3, 3, 0]
    assert vectors.found.tolist() == [True, True, True, True, True, False]


def test_a_lower_cased_word_never_finds_a_capital(read: Read) -> None:
    assert not read(b"Paris 1 2\n", ["paris"]).found.any()


@every_format
def test_the_first_of_two_entries_counts(read: Read, write: Callable[[Entries], bytes], name: str) -> None:
    entries = [("a", (1.0, 0.0)), ("a", (2.0, 0.0)), ("b", (3.0, 0.0)), ("b", (4.0, 0.0))]
    vectors = read(write(entries), ["a", "B"])
    assert vectors.matrix[:, 0].tolist() == [1, 3]
    assert vectors.read == 4


def test_ids_of_the_same_word_share_its_vector(read: Read) -> None:
    vectors = read(b"a 1 2\n", ["a", "", "a", "A"])
    assert vectors.matrix.tolist() == [[1, 2], [0, 0], [1, 2], [1, 2]]
    assert vectors.share == 1.0


def test_an_id_of_no_word_finds_no_empty_word(read: Read) -> None:
    vectors = read(as_binary([("", (1.0, 2.0)), ("a", (3.0, 4.0))]), ["", "a"])
    assert vectors.matrix.tolist() == [[0, 0], [3, 4]]
    assert (vectors.found.tolist(), vectors.read) == ([False, True], 2)


def test_no_words_have_a_share_of_nothing(read: Read) -> None:
    vectors = read(b"a 1 2\n", ["", ""])
    assert (vectors.share, vectors.read, vectors.matrix.shape) == (0.0, 1, (2, 2))


@pytest.mark.parametrize("header", [b"", b"6 2\n"])
@pytest.mark.parametrize(
    "line", [b"x 1", b"x 1 2 3", b"x", b"", b"4 5", b"x 1 two", b"a nan 1", b"a 1 -inf", b"a 1 1e39"]
)
def test_lines_that_are_no_vector_are_counted(read: Read, header: bytes, line: bytes) -> None:
    vectors = read(header + b"b 5 6\nc 7 8\n" + line + b"\na 1 2\nd 0 0\n", ["a", "b", "x"])
    assert vectors.matrix.tolist() == [[1, 2], [5, 6], [0, 0]]
    assert (vectors.read, vectors.skipped) == (4, 1)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_vectors_that_are_not_finite_are_counted(read: Read, number: float) -> None:
    vectors = read(as_binary([("a", (1.0, number)), ("b", (1.0, 2.0)), ("a", (3.0, 4.0))]), ["a", "b"])
    assert vectors.matrix.tolist() == [[3, 4], [1, 2]]
    assert (vectors.read, vectors.skipped) == (2, 1)


def test_text_may_end_before_its_header_says(read: Read) -> None:
    """Cut to its most frequent words, as people do."""
    assert read(b"1000000 2\na 1 2\n", ["a"]).read == 1


def test_binary_vectors_cross_the_chunks_they_are_read_in(read: Read) -> None:
    """Words and numbers at every place of a chunk; the bytes of a number may be spaces and line ends."""
    same = struct.unpack("<25f", b" \n1 " * 25)
    entries = [("zero", (0.0,) * 25)] + [(f"w{'x' * (i % 7)}{i}", same) for i in range(6000)]
    vectors = read(as_binary(entries, b"\n"), [word for word, _ in entries[1::100]])
    assert (vectors.read, vectors.share, vectors.format) == (6001, 1.0, BINARY)
    assert (vectors.matrix == np.array(same, dtype=np.float32)).all()


def refusal(read: Read, data: bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        read(data, ["a", "b"])
    assert caught.value.where.endswith("vectors")
    assert caught.value.remedy
    return caught.value.what


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("data", [b"", b" \r\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(read: Read, data: bytes, pack: Callable[[bytes], bytes]) -> None:
    assert refusal(read, pack(data)) == "is empty"


@pytest.mark.parametrize(
    ("data", "quoted"),
    [
        (b"Hello, how are you?\nFine.\n", 'line 1 is "Hello, how are you?"'),
        (b"a 1 2\nHello\nthere\n", 'line 2 is "Hello"'),
        (b"the 12345\nof 2345\n", 'line 1 is "the 12345"'),
        (b"2 3\na 1 2\nb 3 4\n", 'line 2 is "a 1 2"'),
        (b"2 2\na nan 2\nb 3 inf\n", 'line 2 is "a nan 2"'),
        (b"a nan 2\nb 3 inf\n", 'line 1 is "a nan 2"'),
        (b"2 3\n", "nothing after the first line"),
        (b"2 0\na\nb\n", 'line 1 is "2 0"'),
        (b"1 999999\na 1 2\n", 'line 1 is "1 999999"'),
        (b"no\x1b[31m red\x07\n", r'line 1 is "no\x1b[31m red\x07"'),
        ("x\u202ey\u0085\n".encode(), r'line 1 is "x\u202ey'),
        (pickle.dumps({"a": [1.0, 2.0]}), r'line 1 is "\ufffd\x04'.replace(r"\ufffd", "\ufffd")),
        (b"z" * 2_000_000, f'line 1 is "{"z" * 59}…"'),
        (b"1 2\na " + struct.pack("<2f", math.nan, 1), "vector 1 is not finite"),
    ],
)
def test_what_is_no_vector_file_is_quoted(read: Read, data: bytes, quoted: str) -> None:
    what = refusal(read, data)
    assert quoted in what
    assert what.isprintable()
    assert len(what) < 120


@pytest.mark.parametrize("between", [b"", b"\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_binary_file_that_breaks_off_is_refused(
    read: Read, between: bytes, pack: Callable[[bytes], bytes]
) -> None:
    """Wherever it does, but for the line end after the last vector."""
    whole = as_binary([("one", (1.0, 2.0)), ("two", (3.0, 4.0))], between)
    assert read(whole, ["two"]).share == 1.0
    second = len(whole) - len(b"two ") - 8 - len(between)
    for length in range(second, len(whole) - len(between)):
        assert "breaks off: 1 of 2 vectors" in refusal(read, pack(whole[:length]))


@pytest.mark.parametrize("hurt", [lambda data: data[:-9], lambda data: data[:60] + b"\xff" * 9 + data[69:]])
def test_a_damaged_gzip_file_is_refused(read: Read, hurt: Callable[[bytes], bytes]) -> None:
    packed = gzip.compress(as_glove([(f"w{i}", (i / 7, i / 3)) for i in range(50)]))
    assert "damaged gzip file" in refusal(read, hurt(packed))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_vectors(tmp_path / "nowhere.txt", ["a"])
    with pytest.raises(CorpusError, match="is a folder"):
        read_vectors(tmp_path, ["a"])
    with pytest.raises(CorpusError, match="cannot be read"):
        read_vectors(tmp_path / "a\0b", ["a"])


def test_a_file_one_may_not_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(CorpusError, match=r"cannot be read \(Permission denied\)"):
        read_vectors(tmp_path / "secret", ["a"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a 1 2\n",))
    writer.start()
    with pytest.raises(CorpusError, match="not seekable"):
        read_vectors(tmp_path / "pipe", ["a"])
    writer.join()


def reading_peak(path: Path, words: Sequence[str]) -> tuple[Vectors, int]:
    """What was read, and the most bytes held at a time."""
    tracemalloc.start()
    try:
        return read_vectors(path, words), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("pack", "lines"), [(open, 200_000), (gzip.open, 50_000)], ids=["plain", "gzip"])
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, pack: Callable[..., IO[bytes]], lines: int
) -> None:
    numbers = " 0.12345" * 15
    with pack(tmp_path / "vectors", "wb") as file:
        file.write("".join(f"word{i}{numbers}\n" for i in range(lines)).encode())
    vectors, peak = reading_peak(tmp_path / "vectors", ["word7", f"word{lines - 1}", "nowhere"])
    assert (vectors.read, vectors.found.tolist()) == (lines, [True, True, False])
    assert peak < 2_000_000 < lines * len(numbers) / 2


def test_memory_does_not_grow_with_the_vectors_of_a_binary_file(tmp_path: Path) -> None:
    entries = [(f"w{i}", (0.0,) * 50) for i in range(1000)]
    body = as_binary(entries).partition(b"\n")[2]
    (tmp_path / "vectors").write_bytes(b"50000 50\n" + body * 50)
    vectors, peak = reading_peak(tmp_path / "vectors", ["w0", "nowhere"])
    assert (vectors.read, vectors.found.tolist()) == (50_000, [True, False])
    assert peak < 2_000_000 < len(body) * 50 / 3


def test_a_line_without_end_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"a 1 2\n" + b"z" * 30_000_000 + b"\nb 3 4\n")
    vectors, peak = reading_peak(tmp_path / "vectors", ["a", "b"])
    assert vectors.matrix.tolist() == [[1, 2], [3, 4]]
    assert peak < 8_000_000


def test_a_binary_word_without_end_takes_little_memory(tmp_path: Path) -> None:
    entries = as_binary([("a", (1.0, 2.0))]).partition(b"\n")[2]
    (tmp_path / "vectors").write_bytes(b"2 2\n" + entries + b"x" * 10_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match="breaks off: 1 of 2"):
            read_vectors(tmp_path / "vectors", ["a"])
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
