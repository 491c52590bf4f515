"""Reading: what a reader is given to read a part with, and tells about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, BinaryIO

from chatbot.corpus.input.decode import Notify, lines_of_part, shortened, text_of_part
from chatbot.corpus.input.json_stream import values_at
from chatbot.corpus.input.part_text import VALUES, PartText, line_ends
from chatbot.corpus.input.source import Part
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CorpusError

FIRST_WIDTH = 80
"""So much is shown of a line that was not understood."""


class Reading:
    """Gives the lines, text or JSON values of parts, and counts.

    Args:
        notify: is told what is odd about the input.
        options: how to read; a reader takes what concerns it (columns).
        advance: is told how many bytes of the disk were read, for progress.

    Attributes:
        lines: how many were read.
        not_understood: how many of them no reader could make anything of.
        first: the first of these, as "FILE:LINE: text"; "" where there is none.
    """

    def __init__(
        self,
        notify: Notify,
        options: ReadingOptions | None = None,
        advance: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.notify = notify
        self.options = options or ReadingOptions()
        self.lines = 0
        self.not_understood = 0
        self.first = ""
        self._advance = advance

    def lines_of(self, part: Part) -> Iterator[tuple[int, str]]:
        """The lines of a part with their numbers from 1, without their ends.

        Raises:
            CorpusError: it cannot be read, is no text, or a line is endless.
            OptionError: there is no encoding of the name that the options give.
        """
        with closing(lines_of_part(part, self.notify, self.options.encoding, self._advance)) as lines:
            for line in lines:
                self.lines += 1
                yield line

    def bytes_of(self, part: Part) -> BinaryIO:
        """The bytes of a part, for what is no text as a whole: each mail of a mailbox has its own encoding.

        Raises:
            CorpusError: it cannot be read, now or while reading.
        """
        return part.open(self._advance)

    def text_of(self, part: Part) -> str:
        """A whole part as one text, its lines ended by ``\\n``.

        Raises:
            CorpusError: as ``lines_of``, or it is too large to be held.
            OptionError: as ``lines_of``.
        """
        text = text_of_part(part, self.notify, self.options.encoding, self._advance)
        self.lines += text.count("\n")
        return text

    def json_of(self, part: Part, *prefixes: str) -> Iterator[tuple[str, Any]]:
        """The values found at some places of a JSON document, as they come, with their place.

        Numbers are int or float; half a surrogate pair is U+FFFD.

        Args:
            prefixes: places in the words of ``ijson``: "messages.item", "chats.list.item.name", "name".

        Raises:
            CorpusError: it cannot be read or is no JSON; file and line are named.
            OptionError: as ``lines_of``.
        """
        text = PartText(part, self.options.encoding, VALUES, self._advance)

        def wrong(what: str, block: str, index: int) -> CorpusError:
            number = text.line + line_ends(block[:index]) + 1
            return CorpusError(f"{part.name}:{number}", what, "give the export as it is")

        with closing(text.blocks(self.notify)) as blocks:
            yield from values_at(prefixes, blocks, wrong)

    def miss(self, part: Part, number: int, line: str) -> None:
        """Count a line that was not understood."""
        self.not_understood += 1
        self.first = self.first or f"{part.name}:{number}: {shortened(line, FIRST_WIDTH)}"
