"""Format: how one kind of file is recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message, Talk

Reader = Callable[[Part, Reading], Iterator[Talk]]
"""Reads one part; yields talks whose messages may be read lazily. It does nothing but read."""

PartsReader = Callable[[Sequence[Part], Reading], Iterator[Talk]]
Sniffer = Callable[[Head], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Args:
        read: yields the talks of all parts of an input that are of this format; raises CorpusError with
            file and line.
        looks_like: whether the first lines of a part are of this format.
        description: one line for help and error messages.
        example: a typical line, for telling which formats an unknown line is nearest to; "" where a line
            tells nothing.
        joint: whether the parts of an input belong together and are read as one.
    """

    read: PartsReader
    looks_like: Sniffer
    description: str
    example: str = ""
    joint: bool = False


def each(reader: Reader) -> PartsReader:
    """A reader of many parts from a reader of one: for formats whose files stand alone."""

    def read(parts: Sequence[Part], reading: Reading) -> Iterator[Talk]:
        for part in parts:
            yield from reader(part, reading)

    return read


def alternating(texts: Sequence[str]) -> list[Message]:
    """The messages of two speakers, A and B, who take turns.

    A blank text is a turn that is missing: it is left out, and nobody else becomes its speaker.
    """
    return [Message("AB"[at % 2], text.strip()) for at, text in enumerate(texts) if text.strip()]
