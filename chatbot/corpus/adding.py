"""Adding: an import that becomes a corpus folder, everything counted."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.corpus.clean import KEPT, REASONS, Cleaner, Cleaning, Judge
from chatbot.corpus.conversation import Pair
from chatbot.corpus.identity import UniqueIds
from chatbot.corpus.importing import Import
from chatbot.corpus.options import DataOptions, ReadingOptions
from chatbot.corpus.shards import Prepared, Work, Workers, here, shards_of
from chatbot.corpus.store import CorpusMeta, Line, write_lines
from chatbot.errors import CorpusError
from chatbot.files import atomic_writer

IMPORT_ONLY = {"mix", "validation"}
"""Options of choosing pairs that are a training run's, not a corpus'."""


@dataclass(frozen=True, slots=True)
class Added:
    """What was added.

    Args:
        folder: of the corpus.
        meta: as written.
        cleaning: what was kept and left out.
        messages: of each kind.
        scrubbed: how much was replaced, by kind.
    """

    folder: Path
    meta: CorpusMeta
    cleaning: Cleaning
    messages: Counter[str]
    scrubbed: Counter[str]


class Adding:
    """Writes the conversations of an import, and counts its pairs, while they stream by.

    Args:
        imported: the files.
        data: which pairs are wanted; kept with the corpus, and in force whenever it is used.
        workers: where the work of a shard is done.
    """

    def __init__(self, imported: Import, data: DataOptions, workers: Workers[list[Prepared]] = here) -> None:
        self._import = imported
        self._data = self._known(data)
        self._workers = workers
        self._cleaner = Cleaner()
        self._scrubbed: Counter[str] = Counter()

    def write(self, folder: Path, rejected: Path | None = None) -> Added:
        """Write the corpus, in the place of an earlier one.

        Args:
            rejected: a file for the pairs that are left out, a JSON object a line with the reason.

        Raises:
            CorpusError: no pair is left, or something in the input is wrong; nothing is written then.
            ChatbotError: the disk does not let us write.
        """
        with _rejects(rejected) as reject:
            meta = write_lines(folder, self._lines(reject), self._meta)
        counts = self._import.counts
        return Added(folder, meta, self._cleaner.cleaning, counts, self._scrubbed)

    def _lines(self, reject: Callable[[Pair, str], None] | None) -> Iterator[Line]:
        work = Work(Judge(self._data), self._import.scrubber, keep=reject is not None)
        ids = UniqueIds()
        self._cleaner.begin()
        for shard in self._workers(work, shards_of(self._import.conversations())):
            for prepared in shard:
                self._take(prepared, reject)
                identity = json.dumps(ids.unique(prepared.id), ensure_ascii=False).encode()
                record = b'{"id": ' + identity + b", " + prepared.record[1:]
                yield Line(record, prepared.turns, prepared.language)
        if not self._cleaner.cleaning.kept:
            raise self._nothing()

    def _take(self, prepared: Prepared, reject: Callable[[Pair, str], None] | None) -> None:
        self._cleaner.count(prepared.turns, prepared.blank, bool(prepared.judged))
        self._scrubbed.update(prepared.scrubbed)
        for at, judged in enumerate(prepared.judged):
            reason = self._cleaner.admit(judged, self._data.reply_cap)
            if reason != KEPT and reject is not None:
                reject(prepared.pairs[at], REASONS[reason])

    def _nothing(self) -> CorpusError:
        where = ", ".join(str(path) for path in self._import.paths)
        what = self._import.nothing()
        left = self._cleaner.cleaning.left_out()
        if left:
            what += "; left out: " + ", ".join(f"{count:,} {reason}" for reason, count in left.items())
            return CorpusError(where, what, "loosen the options that choose pairs")
        if self._data.me:
            return CorpusError(where, what, f"check the name: does {self._data.me!r} reply to anybody?")
        return CorpusError(where, what, "is it what --format says? see chatbot corpus formats")

    def _meta(self) -> CorpusMeta:
        counts: dict[str, Any] = {
            "lines": self._import.reading.lines,
            "not_understood": self._import.reading.not_understood,
            "messages": dict(self._import.counts),
            **dataclasses.asdict(self._cleaner.cleaning),
        }
        if self._import.scrubber is not None:
            counts["scrubbed"] = dict(sorted(self._scrubbed.items()))
        options = {
            "reading": differing(self._import.options, ReadingOptions()),
            "data": differing(self._data, DataOptions(), IMPORT_ONLY),
        }
        if self._import.scrubber is not None:  # what they name may be a person
            for name in ("bots", "src", "tgt"):
                options["reading"].pop(name, None)
        sha256 = self._import.sha256()
        return CorpusMeta(self._import.origin, self._import.format, options, counts, sha256)

    def _known(self, data: DataOptions) -> DataOptions:
        """The options with the pseudonym of the one who replies, where names are replaced."""
        scrubber = self._import.scrubber
        if scrubber is None or not data.me:
            return data
        if not scrubber.known(data.me):
            raise CorpusError(data.me, "no message is by this speaker", "check --me: spelling and case count")
        return dataclasses.replace(data, me=scrubber.speaker(data.me))


def differing(options: Any, defaults: Any, without: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """The options that have not their default value, by name."""
    values, usual = dataclasses.asdict(options), dataclasses.asdict(defaults)
    return {name: value for name, value in values.items() if value != usual[name] and name not in without}


@contextlib.contextmanager
def _rejects(path: Path | None) -> Iterator[Callable[[Pair, str], None] | None]:
    """Something to call with each rejected pair and the reason; None where nobody wants them."""
    if path is None:
        yield None
        return
    with atomic_writer(path) as out:

        def reject(pair: Pair, reason: str) -> None:
            record = {
                "reason": reason,
                "src": list(pair.src),
                "tgt": pair.tgt,
                "conversation": pair.conversation,
            }
            out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")

        yield reject
