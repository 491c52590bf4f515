"""Choice: how the pieces of a text are read that are no UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from chatbot.corpus.input.encodings import FALLBACK, MARKING, SAMPLE_BYTES, UNDECODABLE, guessed_encoding

TORN_SHARE = 2
"""A piece of so many characters of UTF-8 for each byte that is none is UTF-8 that was cut or damaged."""

_MANY_BYTES = frozenset(("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"))
"""Encodings of two bytes a character: a pair of them can look like UTF-8."""
_LONG_SEQUENCE = re.compile(rb"[\xe0-\xff]")
_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_ASCII = bytes(range(128))
_PLAIN_RUN = re.compile(rb"[\x00-\x7f]{80,}")


@dataclass(frozen=True, slots=True)
class Choice:
    """How pieces that are no UTF-8 are read.

    Args:
        encoding: one of before UTF-8; "" as long as none is needed.
        throughout: whether all of a part is in it, also short pieces that could be UTF-8.
    """

    encoding: str = ""
    throughout: bool = False

    def decode(self, piece: bytes) -> tuple[str, str]:
        """A piece as text, and the encoding it was in."""
        if self.throughout and not piece.isascii() and not _LONG_SEQUENCE.search(piece):
            try:
                return piece.decode(self.encoding), self.encoding
            except UnicodeDecodeError:
                pass
        try:
            return piece.decode("utf-8"), ""
        except UnicodeDecodeError:
            text = _torn_utf8(piece)
        if text:
            return text, "utf-8"
        if self.encoding == FALLBACK:
            # Latin-1 has a character for the five bytes that Windows-1252 lacks.
            chars = zip(piece.decode(FALLBACK, MARKING), piece.decode("latin-1"), strict=True)
            return "".join(char if char != UNDECODABLE else same for char, same in chars), FALLBACK
        return piece.decode(self.encoding, MARKING), self.encoding


def choice_of(pieces: Iterable[bytes]) -> Choice:
    """The encoding of the pieces that are no UTF-8, from the first of them and how many others there are."""
    sample = bytearray()
    other = utf8 = 0
    for piece in pieces:
        if piece.isascii():
            continue
        if _is_utf8(piece):
            utf8 += 1
        elif not _torn_utf8(piece):
            other += 1
            sample += _PLAIN_RUN.sub(b" ", piece)[:SAMPLE_BYTES] + b"\n"
            if len(sample) >= SAMPLE_BYTES:
                break
    encoding = guessed_encoding(bytes(sample[:SAMPLE_BYTES]))
    return Choice(encoding, encoding in _MANY_BYTES and utf8 * 3 <= other)


def _torn_utf8(piece: bytes) -> str:
    """The text of a piece that is UTF-8 but for few bytes; "" for any other."""
    rest, right = _SEQUENCE.subn(b"", piece)
    if right < 3 or right < TORN_SHARE * len(rest.translate(None, _ASCII)):
        return ""
    return piece.decode("utf-8", MARKING)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
