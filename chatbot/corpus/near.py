"""Pairs that are nearly the same as an earlier one.

Short texts are near where their ``canonical`` forms are equal. Longer pairs are near where on both sides the
sets of their words and runs of two words have an estimated Jaccard similarity of at least ``LIKENESS``:

    J(A, B) = |A and B| / |A or B|

A side is sketched by one-permutation hashing: each word or run is hashed once, the highest bits of the hash
choose one of ``SLOTS`` slots, and a slot keeps one of 15 digits of its smallest hash. Of two sketches,

    J = (m - c) / (1 - c),    m = slots that agree / slots not empty in both,    c = 1/15, agreeing by chance

Empty slots stay empty: the short sets of a chat leave most slots to a single element, so m is nearly exact.
Candidates share a band, which is a hash of a few smallest hashes of both sides; there a part without any
borrows from the next that has one.

Source: Li, Owen and Zhang 2012, "One Permutation Hashing", section 3, for the estimate with empty slots; Li
and König 2010, "b-Bit Minwise Hashing", for the digits; Shrivastava and Li 2014, "Densifying One Permutation
Hashing via Rotation for Fast Near Neighbor Search", for borrowing and bands.
"""

from __future__ import annotations

import functools
import re
import struct
import unicodedata
from array import array
from bisect import bisect_left
from hashlib import blake2b
from zlib import crc32

import regex

from chatbot.corpus.words import words_of

PAIR_WORDS = 12
"""Pairs of fewer words have no sketch: in them one word more or less may change everything that is said."""

SIDE_WORDS = 6
"""A side of fewer words must be canonically equal: it is too short for one word to be a detail."""

LIKENESS = 0.8

SLOTS = 64
BANDS = 4
"""Two pairs of J = 0.9 on both sides share a band with a chance of 1 - (1 - 0.9^6)^4 = 0.95."""

_BAND_HASHES = 3
"""Of each side, in a band."""

TRIES = 64
"""At most so many earlier pairs of a band are compared, latest first: one form letter may be in millions."""

_SIDE_BYTES = SLOTS // 2
_KEY_BYTES = 4
_KEYS = struct.Struct(f"<{BANDS}I")
_PARTS = struct.Struct(f"<{BANDS * _BAND_HASHES}I")
_STARTS = [(part << 32) // (BANDS * _BAND_HASHES) for part in range(BANDS * _BAND_HASHES)]
_SLOT = bytes(byte * SLOTS // 256 for byte in range(256))  # from the highest byte of a hash
_DIGIT = bytes(b"123456789abcdef"[byte % 15] for byte in range(256))  # from its lowest
_ONES = int("1" * SLOTS, 16)
_UNLIKE = (1 - LIKENESS) * (1 - 1 / 15)
"""The largest share of slots that differ, from the formula above."""

_ASCII_WORD = re.compile(r"[a-z0-9$][a-z0-9$%+#]*")
_WORD = regex.compile(r"[\p{L}\p{N}\p{Sc}][\p{L}\p{M}\p{N}\p{Sc}%+#]*")
_MAYBE_RUN = re.compile(r"([a-z])\1\1")  # a quick look, as long runs are rare
_LONG_RUN = re.compile(r"([^\W\d_i])\1\1+|i{4,}|(?<=[^\W\d_vxi])iii")
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Variation_Selector}'`´‘’ʼ]")
"""Dropped from within words: apostrophes, and what nobody sees."""


def canonical(text: str) -> str:
    """What nearly equal short texts share.

    Case, width (full, half), punctuation, emoji and runs of white space do not count, nor how often a letter
    is repeated from three times on: "Heyyyy!!" is "hey". Accents and digits count, and so do %, + and # after
    a word (C++, 5%), signs of currencies, and the numeral iii. A text without any word keeps itself.
    """
    if not text.isascii():
        return _canonical(text)
    folded = text.lower()
    bare = folded.replace("'", "").replace("`", "")
    if _MAYBE_RUN.search(bare):
        bare = _LONG_RUN.sub(_once, bare)
    return " ".join(_ASCII_WORD.findall(bare)) or " ".join(folded.split())


def _canonical(text: str) -> str:
    """``canonical`` of texts that are not ASCII."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)))
    if not visible:
        return " ".join(text.split())
    folded = unicodedata.normalize("NFKC", visible.casefold())
    words: list[str] = _WORD.findall(_LONG_RUN.sub(_once, folded))
    return " ".join(words) or " ".join(folded.split())


def _once(run: re.Match[str]) -> str:
    return run[0][0]


def sketch(src: str, tgt: str) -> bytes | None:
    """What a longer pair is compared by, 80 bytes; None for a pair of fewer than PAIR_WORDS words.

    Args:
        src, tgt: canonical forms. Those of the last pairs are remembered: a turn is a reply first, and then
            the question of the next pair.
    """
    if _count(src) + _count(tgt) < PAIR_WORDS:
        return None
    src_slots, src_parts = _side(src)
    tgt_slots, tgt_parts = _side(tgt)
    size = _KEY_BYTES * _BAND_HASHES
    bands = range(0, size * BANDS, size)
    keys = [crc32(tgt_parts[at : at + size], crc32(src_parts[at : at + size], at)) for at in bands]
    return src_slots + tgt_slots + _KEYS.pack(*keys)


def _count(form: str) -> int:
    return form.count(" ") + 1 if form.isascii() and form else len(words_of(form))


def _words(form: str) -> list[bytes]:
    if form.isascii():
        return form.encode().split()
    return [word.encode("utf-8", "surrogatepass") for word in words_of(form)]


@functools.lru_cache(maxsize=64)
def _side(form: str) -> tuple[bytes, bytes]:
    """The slots of one side, and of each part of the hashes' range the smallest hash in it.

    Those of a short side hang on the whole side, so that either all agree or, by chance, a few.
    """
    words = _words(form)
    if len(words) < SIDE_WORDS:
        whole = blake2b(b" ".join(words), digest_size=_SIDE_BYTES).digest()
        return whole, whole[: _KEY_BYTES * _BAND_HASHES] * BANDS
    hashes = list(map(crc32, words))
    hashes += map(crc32, words[1:], hashes)  # of runs of two: the checksum of the first word goes on
    hashes.sort(reverse=True)  # so that the smallest is written last
    packed = struct.pack(f"<{len(hashes)}I", *hashes)
    slots = bytearray(b"0" * SLOTS)
    for slot, digit in zip(packed[3::4].translate(_SLOT), packed[::4].translate(_DIGIT), strict=True):
        slots[slot] = digit
    hashes.reverse()
    hashes.append(hashes[0])
    last = len(hashes) - 1
    parts = [hashes[bisect_left(hashes, start, 0, last)] for start in _STARTS]
    return bytes.fromhex(slots.decode()), _PARTS.pack(*parts)


class Sketches:
    """The sketches of pairs that were kept: about 130 bytes each.

    Each sketch is a link of BANDS chains, one for each band; a chain holds those whose band has the same
    lowest bits.
    """

    def __init__(self) -> None:
        self._slots = bytearray()
        self._keys = array("I")
        self._next = array("I")  # of each link, the number of the one before it in its chain; 0: none
        self._first = array("I", bytes(4 * 1024))  # of each chain

    def __len__(self) -> int:
        """How many there are."""
        return len(self._keys) // BANDS

    def near(self, sketch: bytes) -> bool:
        """Whether an earlier sketch is near this one; if none is, this is remembered."""
        src = int.from_bytes(sketch[:_SIDE_BYTES], "big")
        tgt = int.from_bytes(sketch[_SIDE_BYTES : 2 * _SIDE_BYTES], "big")
        keys = _KEYS.unpack_from(sketch, 2 * _SIDE_BYTES)
        first, chains = self._first, len(self._first) - 1
        for key in keys:
            if first[key & chains] and self._holds(key, src, tgt):
                return True
        self._slots += sketch[: 2 * _SIDE_BYTES]
        self._keys.extend(keys)
        for link, key in enumerate(keys, start=len(self._next) + 1):
            self._next.append(first[key & chains])
            first[key & chains] = link
        if len(self._keys) > len(first):
            self._grow()
        return False

    def _holds(self, key: int, src: int, tgt: int) -> bool:
        """Whether the latest of those that share a band have one near."""
        link = self._first[key & (len(self._first) - 1)]
        tries = TRIES
        while link and tries:
            if self._keys[link - 1] == key:
                at = (link - 1) // BANDS * 2 * _SIDE_BYTES
                middle = at + _SIDE_BYTES
                if _near(src, self._slots[at:middle]) and _near(
                    tgt, self._slots[middle : middle + _SIDE_BYTES]
                ):
                    return True
                tries -= 1
            link = self._next[link - 1]
        return False

    def _grow(self) -> None:
        """Four times as many chains."""
        first = self._first = array("I", bytes(4)) * (4 * len(self._first))
        following, chains = self._next, len(first) - 1
        for link, key in enumerate(self._keys, start=1):
            following[link - 1] = first[key & chains]
            first[key & chains] = link


def _near(one: int, slots: bytes | bytearray) -> bool:
    """Whether the estimate for two sides reaches LIKENESS."""
    other = int.from_bytes(slots, "big")
    return _filled(one ^ other) <= _UNLIKE * _filled(one | other)


def _filled(slots: int) -> int:
    """How many slots are not 0, each being four bits."""
    slots |= slots >> 2
    return ((slots | slots >> 1) & _ONES).bit_count()
