"""PartText: the bytes of a part as blocks of text.

UTF-8 first; UTF-16 and UTF-32 are told by their marks and zero bytes. Pieces (lines, mostly) that are no
UTF-8 are read in one older encoding, the likeliest for all of them in the part; it is named with the first
such line. No more than some blocks of a part are held.
"""

from __future__ import annotations

import codecs
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import AnyStr, BinaryIO

from chatbot.corpus.input.encodings import (
    MARKING,
    UNDECODABLE,
    checked_encoding,
    settled_encoding,
    shown_encoding,
)
from chatbot.corpus.input.mixed import Choice, choice_of
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

HEAD_BYTES = 65536
"""How much of a part is looked at to tell what it is."""
BLOCK_BYTES = 1 << 20
PIECE_BYTES = 16 << 20
"""The longest line; nobody says so much at once."""
AHEAD_BYTES = 16 << 20
"""How far ahead of the first piece that is no UTF-8 others are looked for, to tell their encoding."""

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Grain:
    """Where text may be cut while it is decoded.

    Args:
        ends: characters after which a block may end.
        mark: the one that the smallest pieces end with: a piece is in one encoding.
        name: what lies between two ends, for people.
    """

    ends: str
    mark: str
    name: str

    def pieces(self, raw: bytes) -> list[bytes]:
        """A block in its smallest pieces."""
        if self.mark == "\n":
            raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return raw.split(self.mark.encode())

    def cut(self, blocks: Iterable[AnyStr], endless: Callable[[], CorpusError]) -> Iterator[AnyStr]:
        """Blocks that end where pieces end.

        Args:
            endless: makes the error of a piece that is too long.
        """
        rest: AnyStr | None = None
        for block in blocks:
            ends = [end if isinstance(block, str) else end.encode() for end in self.ends]
            # A carriage return at the very end may be half of a line end.
            cut = max(block.rfind(end, 0, len(block) - (end in ("\r", b"\r"))) for end in ends) + 1
            size = len(rest) if rest else 0
            if size + len(block) > PIECE_BYTES:
                found = (block.find(end) for end in ends)
                if size + min((at for at in found if at >= 0), default=len(block)) > PIECE_BYTES:
                    raise endless()
            if cut:
                yield rest + block[:cut] if rest else block[:cut]
                rest = block[cut:]
            else:
                rest = rest + block if rest else block
        if rest:
            yield rest


LINES = Grain("\n\r", "\n", "a line")
VALUES = Grain('\n",[', '"', "a single value")
"""JSON, which may be one line of any length."""


class PartText:
    """The text of a part, block by block.

    Args:
        encoding: of the part; found out where "".
        grain: where it is cut: after each block the text goes on with a new piece.
        advance: is told how many bytes of the disk were read.

    Attributes:
        line: how many lines ended before the block that was given last.

    Raises:
        OptionError: there is no such encoding.
    """

    def __init__(
        self,
        part: Part,
        encoding: str = "",
        grain: Grain = LINES,
        advance: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.line = 0
        self._name = part.name
        self._part = part
        self._encoding = checked_encoding(encoding) if encoding else ""
        self._grain = grain
        self._advance = advance
        self._oddities = _Oddities(part.name)

    def blocks(self, notify: Callable[[str], None]) -> Generator[str, None, None]:
        """The text in blocks that end where the grain says, line ends as they are, without a mark before it.

        Args:
            notify: is told at the end how it was decoded, if not as UTF-8.

        Raises:
            CorpusError: it cannot be read, is no text, or a piece of it is endless.
        """
        with self._part.open(self._advance) as stream:
            try:
                start = True
                for text in self._decoded(stream):
                    if "\0" in text:
                        raise no_text(self._name, f"line {self._line_of(text, chr(0))} holds a NUL byte")
                    yield text.removeprefix(BOM) if start else text
                    start = False
                    self.line += line_ends(text)
            finally:
                for notice in self._oddities.told():
                    notify(notice)

    def _decoded(self, stream: BinaryIO) -> Iterator[str]:
        first = stream.read(BLOCK_BYTES)
        encoding = settled_encoding(self._encoding, first[:HEAD_BYTES])
        blocks = _chain(first, stream)
        if not encoding:
            yield from self._mixed(_Ahead(self._grain.cut(blocks, self._endless)))
            return
        if not self._encoding:
            self._oddities.wide = encoding
        for text in self._grain.cut(transcoded(blocks, encoding), self._endless):
            if UNDECODABLE in text:
                self._oddities.lost(self._line_of(text, UNDECODABLE), encoding, text)
            yield text.replace(UNDECODABLE, "\ufffd")

    def _mixed(self, blocks: _Ahead) -> Iterator[str]:
        """UTF-8 with pieces that are not."""
        choice = Choice()
        for raw in blocks:
            try:
                text = raw.decode("utf-8")
                if not choice.throughout or raw.isascii():
                    yield text
                    continue
            except UnicodeDecodeError:
                if not choice.encoding:
                    choice = choice_of(self._pieces_ahead(raw, blocks))
            yield self._by_piece(raw, choice)

    def _pieces_ahead(self, raw: bytes, blocks: _Ahead) -> Iterator[bytes]:
        yield from self._grain.pieces(raw)
        for block in blocks.look(AHEAD_BYTES):
            if not block.isascii():
                yield from self._grain.pieces(block)

    def _by_piece(self, raw: bytes, choice: Choice) -> str:
        texts: list[str] = []
        number = self.line + 1
        for piece in self._grain.pieces(raw):
            text, encoding = choice.decode(piece)
            if encoding:
                self._oddities.odd(number, encoding, text)
                text = text.replace(UNDECODABLE, "\ufffd")
            texts.append(text)
            number += 1 if self._grain.mark == "\n" else piece.count(b"\n")
        return self._grain.mark.join(texts)

    def _line_of(self, text: str, char: str) -> int:
        return self.line + line_ends(text[: text.index(char)]) + 1

    def _endless(self) -> CorpusError:
        what = f"{self._grain.name} is longer than {PIECE_BYTES >> 20} MB"
        return CorpusError(f"{self._name}:{self.line + 1}", what, "give a text file with conversations")


class _Ahead:
    """Blocks that can be looked at before it is their turn. What goes wrong is raised in its turn."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._seen: deque[bytes] = deque()
        self._error: CorpusError | None = None

    def __iter__(self) -> Iterator[bytes]:
        while True:
            if self._seen:
                yield self._seen.popleft()
            elif self._error is not None:
                raise self._error
            elif (block := next(self._blocks, None)) is not None:
                yield block
            else:
                return

    def look(self, limit: int) -> Iterator[bytes]:
        """The blocks that come next, as many as fit into a number of bytes."""
        size = 0
        while size < limit:
            try:
                block = next(self._blocks, None)
            except CorpusError as error:
                self._error = error
                return
            if block is None:
                return
            self._seen.append(block)
            size += len(block)
            yield block


class _Oddities:
    """What was odd about the bytes of a part, to be told once.

    Attributes:
        wide: the encoding that was found by marks or zero bytes; "" where none was.
    """

    def __init__(self, name: str) -> None:
        self.wide = ""
        self._name = name
        self._first = self._last = 0
        self._lines: dict[str, int] = {}
        self._replaced = 0

    def odd(self, number: int, encoding: str, text: str) -> None:
        """A piece was in no good UTF-8."""
        self._first = self._first or number
        if number != self._last:
            self._lines[encoding] = self._lines.get(encoding, 0) + 1
        self._last = number
        self._replaced += text.count(UNDECODABLE)

    def lost(self, number: int, encoding: str, text: str) -> None:
        """Bytes of a block are no character of the encoding that was asked for."""
        self._first = self._first or number
        self._lines.setdefault(encoding, 0)
        self._replaced += text.count(UNDECODABLE)

    def told(self) -> Iterator[str]:
        """The notices."""
        if self.wide:
            yield f"{self._name}: read as {shown_encoding(self.wide)}"
        older = [
            f"{count:,} line{'s were' if count > 1 else ' was'} read as {shown_encoding(encoding)}"
            for encoding, count in self._lines.items()
            if count and encoding != "utf-8"
        ]
        shown = " or ".join(map(shown_encoding, self._lines))
        places = f"{self._replaced:,} place{'s that are' if self._replaced > 1 else ' that is'} no {shown}"
        replaced = [f"{places} became U+FFFD"] if self._replaced else []
        if older or replaced:
            yield f"{self._name}:{self._first}: " + "; ".join(
                (["not UTF-8"] if older else []) + older + replaced
            )


def no_text(name: str, why: str) -> CorpusError:
    """What is told of a part that is no text."""
    return CorpusError(name, f"is no text file: {why}", "give a text file with conversations, as UTF-8")


def transcoded(blocks: Iterable[bytes], encoding: str) -> Iterator[str]:
    """Blocks of bytes in one encoding as text; UNDECODABLE stands for bytes that are no character of it."""
    decoder = codecs.getincrementaldecoder(encoding)(MARKING)
    for block in itertools.chain(blocks, (b"",)):
        try:
            text = decoder.decode(block, not block)
        except UnicodeError:
            # Decoders that shift between sets give up on a sequence that does not end.
            text = UNDECODABLE
            decoder.reset()
        if text:
            yield text


def line_ends(text: str) -> int:
    """How many lines end in a text."""
    ends = text.count("\n")
    return ends + text.count("\r") - text.count("\r\n") if "\r" in text else ends


def _chain(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    block = first
    while block:
        yield block
        block = stream.read(BLOCK_BYTES)
