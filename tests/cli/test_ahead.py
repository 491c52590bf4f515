from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.cli.ahead import line_batches

LINES = st.lists(st.binary(max_size=9).filter(lambda line: b"\n" not in line), max_size=9)


@given(lines=LINES, last=st.sampled_from([b"", b"end"]), most=st.integers(1, 5), chunk=st.integers(1, 7))
def test_lines_are_those_of_the_stream_however_it_comes(
    lines: list[bytes], last: bytes, most: int, chunk: int
) -> None:
    data = b"".join(line + b"\n" for line in lines) + last

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(chunk)

    batches = list(line_batches(Slow(data), most))
    assert [line for batch in batches for line in batch] == list(io.BytesIO(data))
    assert all(1 <= len(batch) <= most for batch in batches)


def test_so_much_is_read_ahead_and_no_more() -> None:
    class Endless(io.RawIOBase):
        reads = 0

        def read(self, size: int = -1, /) -> bytes:
            self.reads += 1
            return b"hi\n"

    stream = Endless()
    batches = line_batches(stream, 4)  # type: ignore[arg-type]
    for _ in range(3):
        next(batches)
    assert stream.reads <= 3 * 4 + 2 * 4 + 1  # taken, waiting, and in the reader's hand


def test_stream_that_does_not_wait_is_waited_for() -> None:
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    with open(reads, "rb") as stream:
        batches = line_batches(stream, 4)
        os.write(writes, b"one\n")
        assert next(batches) == [b"one\n"]
        os.write(writes, b"two\n")
        assert next(batches) == [b"two\n"]
        os.close(writes)
        assert list(batches) == []


def test_stream_that_cannot_be_read_is_an_error_of_the_one_who_asks(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    with open(os.devnull, "rb") as stream:
        os.dup2(descriptor, stream.fileno())
        os.close(descriptor)
        with pytest.raises(IsADirectoryError):
            list(line_batches(stream, 4))
