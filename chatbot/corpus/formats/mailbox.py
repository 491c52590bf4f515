"""Mailbox: the mails of an mbox file, or the one mail that a file is, as bytes while they are read.

A mail begins at a line ``From ann@x.org Fri Mar  1 10:00:00 2024`` that is the first or follows a blank one;
such a line has a time and a year, so that "From now on ..." in a text begins none. Lines of a text that are
written ``>From`` get their first sign off again.

Source: RFC 4155; the forms mboxo and mboxrd.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import BinaryIO, NamedTuple

from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.errors import CorpusError

BLOCK_BYTES = 1 << 20
LINE_BYTES = 16 << 20
"""The longest line; a mail's are of 998 characters at most."""
MAIL_BYTES = 16 << 20
"""So much of a mail is held. What is said stands before the attachments that fill the rest."""

_MARK = b"\xef\xbb\xbf"
_HOUR, _YEAR = rb"\b\d{1,2}:\d\d\b", rb"\b(?:19|20)\d\d\b"
_FROM = re.compile(
    rb"From .{0,500}?(?:" + _HOUR + rb".{0,80}?" + _YEAR + rb"|" + _YEAR + rb".{0,80}?" + _HOUR + rb")"
)
_QUOTED = re.compile(rb">+From ")


class RawMail(NamedTuple):
    """A mail as it is stored.

    Args:
        envelope: the line before it, b"" where it has none.
        data: its header and text.
    """

    envelope: bytes
    data: bytes


def raw_mails(part: Part, reading: Reading) -> Iterator[RawMail]:
    """The mails of a part.

    Raises:
        CorpusError: it cannot be read, or a line is endless.
    """
    with reading.bytes_of(part) as stream, closing(_lines(stream, part)) as lines:
        first = next((line for line in lines if line.strip()), b"").removeprefix(_MARK)
        if first.startswith(b"From "):
            yield from _of_mbox(first, lines)
        elif first:
            yield RawMail(b"", _held(first, lines))


def _of_mbox(envelope: bytes, lines: Iterator[bytes]) -> Iterator[RawMail]:
    held: list[bytes] = []
    size = 0
    blank = False
    for line in lines:
        if blank and line.startswith(b"From ") and _FROM.match(line):
            yield RawMail(envelope, b"".join(held))
            envelope, held, size = line, [], 0
            blank = False
            continue
        blank = not line.strip(b"\r\n")
        size += len(line)
        if size <= MAIL_BYTES:
            held.append(line[1:] if line.startswith(b">") and _QUOTED.match(line) else line)
    yield RawMail(envelope, b"".join(held))


def _held(first: bytes, lines: Iterator[bytes]) -> bytes:
    """The first lines of a mail, as many as are held."""
    held = [first]
    size = len(first)
    for line in lines:
        size += len(line)
        if size > MAIL_BYTES:
            break
        held.append(line)
    return b"".join(held)


def _lines(stream: BinaryIO, part: Part) -> Generator[bytes, None, None]:
    """Lines with their ends."""
    rest = b""
    while block := stream.read(BLOCK_BYTES):
        lines = (rest + block).splitlines(keepends=True)  # of bytes: at \n, \r\n and \r alone
        # What has no end yet, or one that may be half of \r\n, waits for the next block.
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        yield from lines
        if len(rest) > LINE_BYTES:
            what = f"a line is longer than {LINE_BYTES >> 20} MB"
            raise CorpusError(part.name, what, "give a mailbox, or mails as they were sent")
    if rest:
        yield rest
