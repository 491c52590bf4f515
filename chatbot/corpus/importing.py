"""An import: files in any known format -> conversations, one way for ``corpus add`` and ``train FILE``.

    paths -> parts -> (format, parts) -> talks -> conversations

Everything streams; with ``scrub`` the files are read twice, once for the names of the speakers.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.formats import FORMATS, parallel, recognise
from chatbot.corpus.input.decode import Notify
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part, parts_of
from chatbot.corpus.message import Talk
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.pairs import pairs_of
from chatbot.corpus.privacy.scrub import Scrubber
from chatbot.corpus.store import paths_sha256
from chatbot.corpus.turns import Cutting, conversations_of
from chatbot.errors import CorpusError, OptionError

PARALLEL = "parallel"
"""The format of two files, a line of one for a line of the other; it has no reader of one file."""


HELD = 10_000
"""Conversations without an answer that are waited for one that has some."""


@dataclass(frozen=True, slots=True)
class Found:
    """Parts of an input that are of one format."""

    format: str
    parts: tuple[Part, ...]


class Import:
    """Files that become conversations.

    Args:
        paths: files, archives and folders; none where the options name two parallel files.
        options: how they are read.
        notify: is told what is odd about the input.
        advance: is told how many bytes of the disk were read.

    Attributes:
        found: the parts by format.
        counts: messages of each kind, when they have been read.
        reading: counts lines, and those not understood.

    Raises:
        CorpusError: an input is missing, no text or in no known format.
        OptionError: the options make no sense.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: ReadingOptions,
        notify: Notify,
        advance: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.options = options
        self.reading = Reading(notify, options, advance)
        self.counts: Counter[str] = Counter()
        self._notify, self._advance = notify, advance
        self.paths = tuple(paths) + _parallel(options)
        self.found = self._find(list(paths))
        self.scrubber = self._scrubber() if options.scrub else None

    @property
    def format(self) -> str:
        """The names of the formats, joined by commas."""
        return ",".join(dict.fromkeys(found.format for found in self.found))

    @property
    def size(self) -> int:
        """Bytes on the disk that are going to be read."""
        return sum(part.size for found in self.found for part in found.parts)

    @property
    def origin(self) -> str:
        """Where the conversations come from, for people; no name of a file where names are scrubbed."""
        formats = self.format.replace(",", ", ")
        if self.options.scrub:
            return formats
        return f"{', '.join(dict.fromkeys(shown_name(path) for path in self.paths))} ({formats})"

    def conversations(self) -> Iterator[Conversation]:
        """Yield the conversations while the files are read; nothing is scrubbed yet, ids may repeat.

        Where nobody answers anybody within the usual silence that ends a conversation, as in a talk of one
        message a day, the silences are told and do not count.
        """
        cutting = Cutting.of(self.options)
        held: list[Conversation] = []
        reading = self._read(cutting)
        for conversation in reading:
            held.append(conversation)
            if len(held) > HELD or next(pairs_of(conversation), None) is not None:
                yield from held
                yield from reading
                return
        if len(held) > 1 and self.options.gap_hours == ReadingOptions().gap_hours:
            usual = f"no message is answered within {self.options.gap_hours:g} hours"
            self._notify(f"{self.paths[0]}: {usual}; silences were not taken for ends, see --gap-hours")
            yield from self._read(dataclasses.replace(cutting, gap=None))
        else:
            yield from held

    def _read(self, cutting: Cutting) -> Iterator[Conversation]:
        self.counts.clear()
        self.reading = Reading(self._notify, self.options, self._advance)
        for found in self.found:
            for talk in self._talks(found, self.reading):
                yield from conversations_of(talk, cutting, self.counts, self._origin_of(found, talk))

    def sha256(self) -> str:
        """The hash of the input's bytes."""
        return paths_sha256(self.paths)

    def nothing(self) -> str:
        """What to say when no pair is left: how much was read, and the first line not understood."""
        reading = self.reading
        read = f"{reading.lines:,} lines" if reading.lines else f"{sum(self.counts.values()):,} messages"
        first = f"; the first line not understood is {reading.first}" if reading.first else ""
        return f"0 pairs from {read}{first}"

    def _find(self, paths: list[Path]) -> list[Found]:
        if (self.options.src != "") != (self.options.tgt != ""):
            raise OptionError("--src and --tgt", "belong together", "give both files, or neither")
        pair = [Part(path, size=_size(path)) for path in _parallel(self.options)]
        found = [Found(PARALLEL, tuple(pair))] if pair else []
        if not paths and not found:
            raise CorpusError("", "no file is given", "name files to read")
        if not paths:
            return found
        parts = parts_of(paths, self.reading.notify)
        return found + [Found(name, tuple(group)) for name, group in recognise(parts, self.reading)]

    def _talks(self, found: Found, reading: Reading) -> Iterator[Talk]:
        if found.format == PARALLEL:
            src, tgt = found.parts
            return parallel.read_pair(src, tgt, reading)
        return FORMATS[found.format].read(found.parts, reading)

    def _origin_of(self, found: Found, talk: Talk) -> str:
        if self.options.scrub:
            return found.format
        file = shown_name(found.parts[0].file)
        return f"{file}, {talk.name}" if talk.name and talk.name not in file else file

    def _scrubber(self) -> Scrubber:
        """Read the files for the speakers, in their order; what is odd is told the second time."""
        quiet = Reading(lambda notice: None, self.options)
        speakers: dict[str, None] = {}
        for found in self.found:
            for talk in self._talks(found, quiet):
                for message in talk.messages:
                    speakers.setdefault(message.speaker)
                    speakers.update(dict.fromkeys(message.mentions))
        speakers.pop("", None)
        return Scrubber(speakers, self.options.region)


def _parallel(options: ReadingOptions) -> tuple[Path, ...]:
    return (Path(options.src), Path(options.tgt)) if options.src and options.tgt else ()


def shown_name(path: Path) -> str:
    """A file's name as text that can be written, whatever bytes it is made of."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
