"""How often each of very many texts came by, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b

_SMALLEST = 1024
_LOAD = 0.6
"""Share of slots in use at which a table grows: fuller ones are slow to search (Knuth, TAOCP 3, 6.4)."""

_ODD = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4)
_BITS = 2**64 - 1

_MANY = 255
"""Counts from here on do not fit a byte and are kept apart; few texts are so common."""


def fingerprint(*texts: str) -> int:
    """64 bits that stand for texts, in their order; ("a", "b") and ("ab",) differ.

    Among a million different inputs, two share their fingerprint with a chance of about 3 in 10^8.
    """
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b"".join([b"%d:%b" % (len(part), part) for part in parts])  # where a text ends is told before it
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def joined(fingerprints: Iterable[int]) -> int:
    """64 bits that stand for a sequence of fingerprints: their polynomial at an odd number, modulo 2^64."""
    found = 0
    for each in fingerprints:
        found = (found * _ODD + each) & _BITS
    return found


class Tally:
    """Counts fingerprints: 15 to 30 bytes for each different one.

    A hash table with linear probing. A fingerprint's lowest bits say where it belongs, so fingerprints must
    be as good as random there, as those of ``fingerprint`` are; others are counted rightly but slowly.
    """

    def __init__(self) -> None:
        self._keys = array("Q", bytes(8 * _SMALLEST))
        self._counts = bytearray(_SMALLEST)  # 0: the slot is free, so any fingerprint may be a key
        self._many: dict[int, int] = {}
        self._length = 0
        self._limit = int(_SMALLEST * _LOAD)

    def __len__(self) -> int:
        """How many different fingerprints there are."""
        return self._length

    def add(self, fingerprint: int) -> int:
        """Count a fingerprint.

        Args:
            fingerprint: 0 to 2^64 - 1.

        Returns:
            How often it came by, this time included.
        """
        keys, counts = self._keys, self._counts
        at = (fingerprint & (len(counts) - 1)) - len(
            counts
        )  # negative, so that -1 + 1 is the first slot again
        while count := counts[at]:
            if keys[at] == fingerprint:
                if count < _MANY:
                    counts[at] = count = count + 1
                    return count
                self._many[fingerprint] = many = self._many.get(fingerprint, _MANY) + 1
                return many
            at += 1
        keys[at] = fingerprint
        counts[at] = 1
        self._length += 1
        if self._length > self._limit:
            self._grow()
        return 1

    def count(self, fingerprint: int) -> int:
        """How often a fingerprint came by; 0 where it never did."""
        keys, counts = self._keys, self._counts
        at = (fingerprint & (len(counts) - 1)) - len(counts)
        while count := counts[at]:
            if keys[at] == fingerprint:
                return count if count < _MANY else self._many.get(fingerprint, _MANY)
            at += 1
        return 0

    def _grow(self) -> None:
        """Twice as many slots."""
        size = 2 * len(self._counts)
        keys, counts = array("Q", bytes(8)) * size, bytearray(size)
        for key, count in zip(self._keys, self._counts, strict=True):
            if count:
                at = (key & (size - 1)) - size
                while counts[at]:
                    at += 1
                keys[at] = key
                counts[at] = count
        self._keys, self._counts = keys, counts
        self._limit = int(size * _LOAD)
