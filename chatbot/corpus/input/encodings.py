"""Which encoding bytes are in: wide ones by their marks, older ones by how usual the text would be.

The guess is the encoding in which the text is shortest to write down, in bits: a usual letter of a language
costs little, a rare one more, one in the wrong place (a capital after a small letter, a Cyrillic letter
within a Latin word) much, and what no text holds most of all. The idea is Shannon's: what a model of a
language finds likely, it can write briefly. ``benchmarks/encodings.py`` holds it against charset-normalizer,
which is wrong far more often on single lines.
"""

from __future__ import annotations

import codecs
import functools
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.corpus.input import letters
from chatbot.errors import OptionError

UNDECODABLE = "\udcff"
"""Stands for bytes that are no character of an encoding; no decoder gives it for anything else."""

MARKING = "chatbot.mark"
"""Name of the error handler of ``codecs`` that puts UNDECODABLE in their place."""

FALLBACK = "cp1252"
SAMPLE_BYTES = 8192
"""How many bytes of lines that are no UTF-8 the guess is made from."""

Cost = Callable[[str, str], float]
"""Bits that a character takes after another."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_FILES = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7", "mbcs", "oem"}
"""No encodings of files, or ones whose decoders give halves of surrogate pairs."""
_SHOWN = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "iso8859_2": "ISO 8859-2",
    "cp1254": "Windows-1254",
    "cp1257": "Windows-1257",
    "cp1251": "Windows-1251",
    "koi8_u": "KOI8",
    "cp866": "DOS 866",
    "iso8859_5": "ISO 8859-5",
    "cp1253": "Windows-1253",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp874": "Windows-874",
    "gb18030": "GB 18030",
    "big5hkscs": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
}

_WRONG = 22.0
"""Bits of what no text holds: control codes, bytes that are no character."""
_ASCII = 4.0
_STRAY = 14.0
"""Bits of a letter that the language does not write."""
_SYMBOL = 13.0
_USUAL_SYMBOL = 7.0
_MISPLACED = 7.0
_SWITCH = 5.5
"""Bits of beginning a word that is not written in Latin letters: one letter alone is no such word."""
_USUAL_SYMBOLS = frozenset("‘’“”„–—…«»°§€£©®·¡¿ºª•\xa0\xad")
_IN_WORDS = frozenset("’·\xad")
_WIDE_SIGNS = frozenset("、。，！？：；（）「」『』《》“”‘’…—～ー・【】\u3000")


def shown_encoding(encoding: str) -> str:
    """The name of an encoding, for people."""
    return _SHOWN.get(encoding, encoding)


def checked_encoding(name: str) -> str:
    """The name of an encoding that was asked for, as Python calls it.

    Raises:
        OptionError: there is none of that name that text files are in.
    """
    try:
        found = codecs.lookup(name)
        plain = found.name.replace("-", "_")
        if found._is_text_encoding and plain not in _NO_FILES:
            return found.name
    except (LookupError, ValueError):
        pass
    raise OptionError(
        "--encoding", f"no encoding {name!r}", "give one such as utf-8, cp1252, gb18030 or shift_jis"
    )


def settled_encoding(asked: str, head: bytes) -> str:
    """The encoding of a part that begins with some bytes; "" for UTF-8 or one a line must tell.

    Args:
        asked: as ``checked_encoding`` gives it; "" where nobody asked for one.
    """
    found = wide_encoding(head) if asked in ("", "utf-16", "utf-32") else asked
    return found if found.startswith(asked) else f"{asked}-le"


def wide_encoding(head: bytes) -> str:
    """UTF-16 or UTF-32 by the mark before the text, UTF-16 also by its zero bytes; "" for all else."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    head = head[: len(head) // 2 * 2]
    if b"\0" not in head or not _zeros_of_utf16(head):
        return ""
    fits = [(_ascii_of(head, name), name) for name in ("utf-16-le", "utf-16-be")]
    share, name = max(fits)
    return name if share > 0 else ""


def _zeros_of_utf16(head: bytes) -> bool:
    """Whether zero bytes are more than one that strayed into other text."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError:
        return True
    ends = head.count(b"\n")
    paired = max(head[::2].count(b"\n"), head[1::2].count(b"\n"))
    zeros = max(head[::2].count(b"\0"), head[1::2].count(b"\0"))
    aligned = head.count(b"\n\0") if head[::2].count(b"\n") == ends else head.count(b"\0\n")
    return zeros * 4 >= len(head) // 2 or (ends > 0 and paired == aligned == ends)


def _ascii_of(head: bytes, encoding: str) -> int:
    """How many characters are ASCII; -1 where the bytes are no text in that encoding."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    if "\0" in text:
        return -1
    counts = Counter(text)
    odd = sum(count for char, count in counts.items() if not _is_text(char))
    if odd * 50 > len(text):
        return -1
    return sum(count for char, count in counts.items() if char < "\x80")


def _is_text(char: str) -> bool:
    return char in "\t\n\v\f\r\x85" or (
        char != "\ufffd" and unicodedata.category(char) not in ("Cc", "Cn", "Co", "Cs")
    )


@functools.lru_cache(maxsize=8)
def guessed_encoding(sample: bytes) -> str:
    """The encoding that lines which are no UTF-8 are most likely in."""
    best, least = FALLBACK, math.inf
    for encoding, prior, costs in _candidates():
        text = sample.decode(encoding, MARKING)
        pairs = Counter(zip(" " + text, text, strict=False))
        plain = sum(count for (before, char), count in pairs.items() if before < "\x80" > char)
        special = [(pair, count) for pair, count in pairs.items() if max(pair) >= "\x80"]
        for cost in costs:
            bits = prior + _ASCII * plain + sum(cost(*pair) * count for pair, count in special)
            if bits < least:
                best, least = encoding, bits
    return best


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return UNDECODABLE, error.end


codecs.register_error(MARKING, _mark)


@dataclass(frozen=True, slots=True)
class _Alphabet:
    """What the characters of a language with an alphabet cost.

    Args:
        ranks: bits of each small letter that is not ASCII.
        latin: whether ASCII letters are part of its words.
    """

    ranks: Mapping[str, float]
    latin: bool

    def __call__(self, before: str, char: str) -> float:
        if char < "\x80":
            torn = not self.latin and char.isalpha() and before.isalpha()
            return _ASCII + (_MISPLACED if torn else 0)
        small = char.lower()
        if small in self.ranks:
            return self.ranks[small] + self._place(before, char, char != small)
        return _symbol(before, char)

    def _place(self, before: str, char: str, capital: bool) -> float:
        """Bits more for a letter that stands where such a letter seldom stands."""
        bits = 0.0
        if capital:
            bits += _MISPLACED if before.islower() else 0.0 if before.isalpha() else 1.0
        if not before.isalpha():
            return bits + (1.0 if self.latin else _SWITCH)
        if self.latin:
            return bits + (3.0 if before >= "\x80" else 0.0)
        return bits + (_MISPLACED if before < "\x80" else 0.0)


def _symbol(before: str, char: str) -> float:
    if char in _USUAL_SYMBOLS:
        return _USUAL_SYMBOL + (3.0 if before.isalpha() and char not in _IN_WORDS else 0.0)
    if char.isalpha() or unicodedata.category(char) == "Mn":
        return _STRAY + (_MISPLACED if char != char.lower() and before.islower() else 0.0)
    return _SYMBOL if _is_text(char) else _WRONG


@dataclass(frozen=True, slots=True)
class _Characters:
    """What the characters of a language of thousands of them cost.

    Args:
        common: bits of the most usual characters.
        rows: encoding and first bytes of the standard's level of usual characters, and their bits.
        syllables: bits of letters that are no Han characters, by the first and last of their blocks.
    """

    common: Mapping[str, float]
    rows: tuple[str, int, int, float]
    syllables: tuple[tuple[str, str, float], ...] = ()

    def __call__(self, before: str, char: str) -> float:
        if char < "\x80":
            return _ASCII
        if char in self.common:
            return self.common[char]
        for first, last, bits in self.syllables:
            if first <= char <= last:
                return bits
        if char in _WIDE_SIGNS:
            return _USUAL_SYMBOL
        if not char.isalpha() or char < "\u0250":
            return _SYMBOL + 2 if _is_text(char) else _WRONG
        encoding, low, high, bits = self.rows
        raw = char.encode(encoding, "replace")
        return bits if len(raw) == 2 and low <= raw[0] <= high and raw[1] >= 0x40 else 19.0


def _alphabets(languages: Sequence[str], latin: bool = True) -> tuple[Cost, ...]:
    return tuple(_Alphabet(_ranked(language, 5.0 if latin else 0.5), latin) for language in languages)


def _ranked(usual: str, bits: float) -> dict[str, float]:
    """Bits of letters that are the less usual the later they come, after Zipf."""
    total = sum(1 / (rank + 2) for rank in range(len(usual)))
    return {letter: bits + math.log2((rank + 2) * total) for rank, letter in enumerate(usual)}


@functools.cache
def _candidates() -> tuple[tuple[str, float, tuple[Cost, ...]], ...]:
    """Encodings that are tried, the bits that speak against each beforehand, and its languages."""
    central, cyrillic = _alphabets(letters.CENTRAL), _alphabets(letters.CYRILLIC, False)
    simplified = _Characters(dict.fromkeys(letters.SIMPLIFIED, 8.5), ("gb2312", 0xB0, 0xD7, 14.0))
    traditional = _Characters(dict.fromkeys(letters.TRADITIONAL, 8.5), ("big5", 0xA4, 0xC6, 14.0))
    kana = (("\u3041", "\u3093", 6.5), ("\u30a1", "\u30f6", 8.0), ("\uff61", "\uff9f", 12.0))
    japanese = _Characters(dict.fromkeys(letters.KANJI, 10.0), ("euc_jp", 0xB0, 0xCF, 14.0), kana)
    jamo = (("\u3131", "\u3163", 9.0),)
    korean = _Characters(
        {**dict.fromkeys(letters.HANGUL, 8.0), **dict.fromkeys("ㅋㅎㅠㅜ", 6.0)},
        ("euc_kr", 0xB0, 0xC8, 13.0),
        jamo,
    )
    return (
        (FALLBACK, 0.0, _alphabets(letters.WESTERN)),
        ("cp1251", 2.0, cyrillic),
        ("gb18030", 2.0, (simplified, traditional)),
        ("cp932", 2.0, (japanese,)),
        ("cp949", 2.0, (korean,)),
        ("big5hkscs", 3.0, (traditional,)),
        ("euc_jp", 3.0, (japanese,)),
        ("koi8_u", 3.0, cyrillic[:2]),
        ("cp1250", 2.0, central),
        ("cp1254", 2.0, _alphabets(letters.TURKISH)),
        ("cp1253", 4.0, _alphabets(letters.GREEK, False)),
        ("cp1255", 4.0, _alphabets(letters.HEBREW, False)),
        ("cp1256", 4.0, _alphabets(letters.ARABIC, False)),
        ("cp874", 4.0, _alphabets(letters.THAI, False)),
        ("iso8859_2", 3.0, central),
        (FALLBACK, 4.0, _alphabets(letters.ICELANDIC)),
        ("cp1257", 4.0, _alphabets(letters.BALTIC)),
        ("cp866", 5.0, cyrillic[:1]),
        ("iso8859_5", 6.0, cyrillic[:1]),
    )
