"""Spool: pairs kept in a temporary file, so that a large corpus needs little memory.

The file has no name where the system allows that (Linux does), so that nothing private is left behind by
a process that is killed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from chatbot.corpus.conversation import Pair

_TOGETHER = 1024
"""Pairs written and read at once: some 100 KB."""

_HALVES = "surrogatepass"
"""Halves of characters come back as they were."""


class Spool:
    """Pairs in a file: added one by one, then gone through as often as needed; a context manager.

    Args:
        folder: where the file lies; only its owner may read it.

    Raises:
        OSError: the disk is full or does not let us write.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._blocks: list[tuple[int, int]] = []  # where each begins, and its bytes
        self._waiting: list[tuple[tuple[str, ...], str, str, tuple[bool, ...]]] = []
        self._written = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, pair: Pair) -> None:
        """Add a pair behind the others."""
        self._waiting.append((pair.src, pair.tgt, pair.conversation, pair.own))
        if len(self._waiting) == _TOGETHER:
            self._flush()

    def __len__(self) -> int:
        return self._written + len(self._waiting)

    def __iter__(self) -> Iterator[Pair]:
        """The pairs in the order they were added; several may be under way at once."""
        self._flush()
        for start, size in self._blocks:
            self._file.seek(start)
            for src, tgt, conversation, own in json.loads(self._file.read(size).decode("utf-8", _HALVES)):
                yield Pair(tuple(src), tgt, conversation, tuple(own))

    def _flush(self) -> None:
        """Write what is waiting."""
        if not self._waiting:
            return
        data = json.dumps(self._waiting, ensure_ascii=False).encode("utf-8", _HALVES)
        start = sum(self._blocks[-1]) if self._blocks else 0
        self._file.seek(start)
        self._file.write(data)
        self._file.flush()
        self._blocks.append((start, len(data)))
        self._written += len(self._waiting)
        self._waiting.clear()


Made = TypeVar("Made")


class Each(Generic[Made]):
    """What a function makes of each pair of some spools, one after the other, as often as it is asked for."""

    def __init__(self, spools: Sequence[Spool], make: Callable[[Pair], Made]) -> None:
        self._spools = spools
        self._make = make

    def __iter__(self) -> Iterator[Made]:
        return (self._make(pair) for spool in self._spools for pair in spool)
