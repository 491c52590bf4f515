"""``metrics.jsonl``: one line an event, what plots and tables are drawn from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chatbot.files import write_atomically, write_error
from chatbot.training.events import Event


@contextmanager
def metrics_log(path: Path, since: int | None) -> Iterator[MetricsLog]:
    """A log to write events to.

    Args:
        since: the step a resumed run goes on from; what was logged of later ones is dropped, since it
            happens again. None starts anew.

    Raises:
        ChatbotError: the disk does not let us write.
    """
    kept = [] if since is None else _lines_until(path, since)
    write_atomically(path, b"".join(line + b"\n" for line in kept))
    log = MetricsLog(path)
    try:
        yield log
    finally:
        log.close()


class MetricsLog:
    """Appends events to a file, each whole and at once.

    Raises (of every call):
        ChatbotError: the disk is full.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab", buffering=0)

    def write(self, event: Event) -> None:
        """One line."""
        line = json.dumps(event.to_json(), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "replace"))
        except OSError as error:
            raise write_error(self._path, error) from error

    def close(self) -> None:
        """No more lines."""
        self._file.close()


def _lines_until(path: Path, step: int) -> list[bytes]:
    """The whole lines of events up to a step; a last line that a kill has torn is none."""
    kept = []
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        try:
            if json.loads(line)["step"] <= step:
                kept.append(line)
        except (ValueError, KeyError, TypeError):
            continue
    return kept
