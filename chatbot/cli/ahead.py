"""Lines read ahead by a thread, so that those that are there already can be answered together."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator
from queue import Queue
from typing import Any, BinaryIO

CHUNK = 1 << 16
"""Bytes asked of the stream at once: what a pipe holds on Linux."""

LineQueue = Queue[bytes | Exception | None]
"""Lines in order; then what ended the reading, None at the end of the stream."""


def line_batches(stream: BinaryIO, most: int) -> Iterator[list[bytes]]:
    """The lines of a stream, in order, as many at a time as are there: at least one, at most ``most``.

    Nobody waits for a second line: where the first is all there is, it comes alone. So much is read ahead
    that the next lot is there when this one is done with, and no more.

    Raises:
        OSError: the stream cannot be read.
    """
    waiting: LineQueue = Queue(2 * most)
    # A daemon, since nothing wakes a thread that waits for a line when the program is to end.
    threading.Thread(target=_read, args=(stream, waiting), daemon=True).start()
    while isinstance(line := waiting.get(), bytes):
        batch = [line]
        while len(batch) < most and _line_is_there(waiting) and isinstance(line := waiting.get(), bytes):
            batch.append(line)
        yield batch
    if line is not None:
        raise line


def _line_is_there(waiting: LineQueue) -> bool:
    """Whether a line can be taken at once; what comes after the last stays where it is."""
    with waiting.mutex:
        return bool(waiting.queue) and isinstance(waiting.queue[0], bytes)


def _read(stream: BinaryIO, waiting: LineQueue) -> None:
    """Hand over each line of a stream, then its end or what went wrong."""
    try:
        for line in _lines(getattr(stream, "raw", stream)):
            waiting.put(line)
    except Exception as error:  # for the thread that asks for the lines
        waiting.put(error)
    else:
        waiting.put(None)


def _lines(source: Any) -> Iterator[bytes]:
    """The lines of an unbuffered stream, each as soon as it is there.

    A buffered one is locked while somebody waits for it, and the interpreter, which closes it at its end,
    would then abort.
    """
    begun: list[bytes] = []
    while chunk := _chunk(source):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        for following in others:
            yield b"".join(begun) + b"\n"
            begun = [following]
    if last := b"".join(begun):
        yield last


def _chunk(source: Any) -> bytes:
    """What there is, at least a byte; none at the end."""
    while (data := source.read(CHUNK)) is None:  # whoever opened it does not want to wait: we do
        select.select([source], [], [])
    return bytes(data)
