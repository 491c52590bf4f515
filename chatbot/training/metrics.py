"""``metrics.jsonl``: one line an event, what plots and tables are drawn from."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chatbot.checkpoint import METRICS
from chatbot.files import write_atomically, write_error
from chatbot.training.events import Event, Reverted


def read_events(folder: Path) -> list[dict[str, Any]]:
    """The events of the run in a checkpoint's folder, in their order; lines that a kill has torn are none."""
    events = []
    path = folder / METRICS
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


@contextmanager
def metrics_log(path: Path, since: int | None) -> Iterator[MetricsLog]:
    """A log to write events to.

    Args:
        since: the step a resumed run goes on from; what was logged of later ones is dropped, since it
            happens again. None starts anew.

    Raises:
        ChatbotError: the disk does not let us write.
    """
    log = MetricsLog(path, since)
    try:
        yield log
    finally:
        log.close()


class MetricsLog:
    """Appends events to a file, each whole and at once, and none twice.

    Args:
        since: as in ``metrics_log``.

    Raises (also of every call):
        ChatbotError: the disk is full.
    """

    def __init__(self, path: Path, since: int | None) -> None:
        self._path = path
        self._known: set[Identity] = set()  # logged events that may come once more
        self._step = since or 0
        self._file = self._begin([] if since is None else self._until(since))

    def write(self, event: Event) -> None:
        """One line, unless it is there: a run that goes on tells again how it began and where it is."""
        if isinstance(event, Reverted):
            self._file.close()
            self._file, self._step = self._begin(self._until(event.step)), event.step
        if event.step > self._step:
            self._known, self._step = set(), event.step
        record = event.to_json()
        if _identity(record) in self._known:
            return
        self._known.add(_identity(record))
        line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "replace"))
        except OSError as error:
            raise write_error(self._path, error) from error

    def close(self) -> None:
        """No more lines."""
        self._file.close()

    def _begin(self, lines: Sequence[bytes]) -> io.FileIO:
        """The file with these lines, to be appended to."""
        write_atomically(self._path, b"".join(line + b"\n" for line in lines))
        return self._path.open("ab", buffering=0)

    def _until(self, step: int) -> list[bytes]:
        """The whole lines of events up to a step; a last line that a kill has torn is none."""
        kept, self._known = [], set()
        for line in self._path.read_bytes().split(b"\n") if self._path.is_file() else []:
            try:
                record = json.loads(line)
                if record["step"] <= step:
                    kept.append(line)
                if record["step"] in (0, step):
                    self._known.add(_identity(record))
            except (ValueError, KeyError, TypeError):
                continue
        return kept


Identity = tuple[Any, ...]


def _identity(record: Mapping[str, Any]) -> Identity:
    """What tells an event from the others of its step."""
    return tuple(str(record.get(name)) for name in ("event", "step", "text", "reason", "path"))
