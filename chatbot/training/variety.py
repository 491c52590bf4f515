"""How varied the replies of very many pairs are, in little memory.

The figures of ``chatbot.corpus.statistics.reply_statistics``, for replies that can be gone through twice.
Words are told apart by 32 bits and replies by 64, so of a million different words about a hundred are
taken for another: far less than the digits that are shown.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.statistics import COMMONEST, ReplyStatistics, Share
from chatbot.corpus.tally import Tally, fingerprint
from chatbot.corpus.words import words_of

_TOGETHER = 1 << 20
"""Words that are sorted at once."""

_BITS = 32

_PARTS = 16
"""Runs are kept in so many parts, since sorting takes several times the memory of what is sorted."""


def reply_variety(replies: Iterable[str]) -> ReplyStatistics:
    """How varied these replies are; upper and lower case are not told apart.

    Args:
        replies: must give the same ones each time they are gone through.
    """
    assert not isinstance(replies, Iterator), "replies that can be gone through only once"
    runs, texts, count = _Runs(), Tally(), 0
    for reply in replies:
        lower = reply.lower()
        runs.add(words_of(lower))
        texts.add(_fingerprint(lower))
        count += 1
    distinct1, distinct2 = runs.distinct()
    return ReplyStatistics(count, distinct1, distinct2, _commonest(replies, texts, count))


def _fingerprint(lower: str) -> int:
    return fingerprint(" ".join(lower.split()))


def _commonest(replies: Iterable[str], texts: Tally, total: int) -> tuple[Share, ...]:
    """The most frequent first; of equally frequent ones the one that came first."""
    found: list[tuple[str, int]] = []
    for reply in replies:
        lower = reply.lower()
        count = texts.count(_fingerprint(lower))
        if len(found) == COMMONEST and count <= found[-1][1]:
            continue
        text = " ".join(lower.split())
        if (text, count) not in found:
            found = sorted([*found, (text, count)], key=lambda each: -each[1])[:COMMONEST]
    return tuple(Share(text, count, count / total) for text, count in found)


class _Runs:
    """Counts words and runs of two words, and how many different ones there are."""

    def __init__(self) -> None:
        self._waiting = array("I")
        self._lengths = array("I")
        self._words = np.empty(0, dtype=np.uint32)
        self._runs = [np.empty(0, dtype=np.uint64)] * _PARTS
        self._all = [0, 0]

    def add(self, words: list[str]) -> None:
        """Count the words of a reply."""
        self._waiting.extend([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words])
        self._lengths.append(len(words))
        if len(self._waiting) > _TOGETHER:
            self._sort()

    def distinct(self) -> tuple[float, float]:
        """Different words of all, and different runs of all; 0 where there are none."""
        self._sort()
        one, two = (max(count, 1) for count in self._all)
        return len(self._words) / one, sum(map(len, self._runs)) / two

    def _sort(self) -> None:
        """Put what is waiting to the different ones."""
        words = np.array(self._waiting, dtype=np.uint32)
        begins = np.zeros(len(words) + 1, dtype=bool)
        begins[np.cumsum(np.array(self._lengths, dtype=np.int64))] = True
        runs = _runs_of(words)[~begins[1:-1]] if len(words) else np.empty(0, dtype=np.uint64)
        self._words = _different(self._words, words)
        parts = runs % np.uint64(_PARTS)
        self._runs = [_different(known, runs[parts == part]) for part, known in enumerate(self._runs)]
        self._all = [self._all[0] + len(words), self._all[1] + len(runs)]
        del self._waiting[:], self._lengths[:]


def _runs_of(words: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Each word and the next one as one number."""
    return (words[:-1].astype(np.uint64) << np.uint64(_BITS)) | words[1:]


def _different(known: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    """The different numbers of both, in order."""
    together = np.concatenate([known, more])
    together.sort()
    first = np.ones(len(together), dtype=bool)
    first[1:] = together[1:] != together[:-1]
    return together[first]
