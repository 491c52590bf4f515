"""Seen: which words a bot met in the questions it was trained on, and which replies it was given.

Nothing is kept but 32-bit hashes, so a word can be asked for and not be read off. Of a hundred thousand
words or replies, one in forty thousand others is taken for one of them.

A word is a run of characters between spaces and punctuation; in scripts written without spaces one
character; a symbol such as an emoji by itself; all numbers are one word. Punctuation is none: a question
that holds nothing else asks for nothing that could be unknown.
"""

from __future__ import annotations

import re
import string
import unicodedata
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.words import words_of
from chatbot.errors import CheckpointError
from chatbot.text.normalizer import encodable, invisible_removed

OFTEN = 5
"""Times a word must have been met for a misspelling to be taken for it."""

SHORTEST, LONGEST = 4, 20
"""Letters a word must have to be taken for a misspelling of another."""

LETTERS = 64
"""Letters tried in the place of a wrong one, the commonest of the training questions."""

DRAWN = 6
"""Most letters of a word that may be drawn out."""

SPELT = 20_000
"""Pairs whose questions' letters are counted: the commonest are known by then."""

TOGETHER = 1 << 20
"""Hashes that are sorted at once."""

MOST_WORDS = 1_000_000
"""Different words; a corpus with more has numbers, links and misspellings that nobody types a second time."""

MOST_REPLIES = 2_000_000
"""Different replies whose hashes are kept (8 MB); of more none is, and whether one was met is not known."""

Hashes = NDArray[np.uint32]

_PUNCTUATION = re.escape(string.punctuation.replace("'", "").replace("-", ""))
_SPLIT = re.compile(
    f"[{_PUNCTUATION}\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u2010-\u2027\u2030-\u205e\u3000-\u3020\u30fb"
    "\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)
_ASCII_WORDS = re.compile("[a-z0-9'-]+")
_SYMBOL = re.compile("([\u2190-\u2bff\U0001f000-\U0001faff])")
_UNSEEN = re.compile("[\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")  # joiners, variants, skin tones
_QUOTES = str.maketrans("\u2018\u2019\u201b\u02bc\u201c\u201d\u201f", "''''\"\"\"")
_RUN = re.compile(r"(.)\1{2,}")
NUMBER = "0"


def plain(text: str) -> str:
    """A text as it is compared: composed, lower case, plain quotation marks, single spaces."""
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().split())
    composed = unicodedata.normalize("NFC", invisible_removed(encodable(text))).translate(_QUOTES)
    return " ".join(composed.casefold().split())


def countable_words(text: str) -> list[str]:
    """The words of a text as this module counts them."""
    if text.isascii():
        words: Iterable[str] = _ASCII_WORDS.findall(plain(text))
    else:
        apart = _SYMBOL.sub(r" \1 ", _SPLIT.sub(" ", _UNSEEN.sub("", plain(text))))
        words = words_of(apart)
    words = [word.strip("'-") for word in words]
    return [NUMBER if word.isdecimal() else word for word in words if word]


def hash_of(text: str) -> int:
    """32 bits that stand for a text: its CRC."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Seen:
    """What a bot has met.

    Args:
        words: of its training questions, sorted.
        often: those among them that were met ``OFTEN`` times, sorted.
        replies: its training replies, sorted; None where there were too many.
        letters: the commonest letters of the questions.
    """

    words: Hashes
    often: Hashes
    replies: Hashes | None
    letters: str = ""

    def known(self, text: str) -> float:
        """The share of a text's words that were met; 1 where it has none."""
        words = countable_words(text)
        return float(_among(map(hash_of, words), self.words).mean()) if words else 1.0

    def is_strange(self, text: str) -> bool:
        """Whether a text has words, and none was met, nor is a misspelling of one that was met often."""
        words = countable_words(text)
        if not words or _among(map(hash_of, words), self.words).any():
            return False
        return not any(self._is_misspelling(word) for word in words)

    def is_reply(self, text: str) -> bool | None:
        """Whether a text is a training reply but for case and spaces; None where that is not known."""
        if self.replies is None:
            return None
        return bool(_among([hash_of(plain(text))], self.replies)[0])

    def __or__(self, other: Seen) -> Seen:
        """What either has met."""
        both = self.replies is not None and other.replies is not None
        replies = np.union1d(self.replies, other.replies) if both else None  # type: ignore[arg-type]
        return Seen(
            np.union1d(self.words, other.words),
            np.union1d(self.often, other.often),
            replies if replies is None or len(replies) <= MOST_REPLIES else None,
            "".join(dict.fromkeys(self.letters + other.letters)),
        )

    def to_bytes(self) -> bytes:
        """As a safetensors file; what was met often comes first among the words."""
        from safetensors.numpy import save

        tensors = {"often": self.often, "words": np.setdiff1d(self.words, self.often)}
        if self.replies is not None:
            tensors["replies"] = self.replies
        return save({name: array.astype(np.uint32) for name, array in tensors.items()} | self._spelt)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Seen:
        """Read such a file.

        Raises:
            CheckpointError: it is none.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            tensors = load(data)
            often, rare = (_hashes(tensors[name]) for name in ("often", "words"))
            letters = "".join(map(chr, tensors["letters"].tolist()))
            replies = _hashes(tensors["replies"]) if "replies" in tensors else None
        except (SafetensorError, ValueError, LookupError, TypeError, OverflowError) as error:
            raise CheckpointError(where, f"cannot be read ({error})", "restore it, or train again") from None
        words = np.sort(np.concatenate([often, rare]), kind="stable")  # two sorted runs: merged in no time
        return cls(words, often, replies, letters)

    @property
    def _spelt(self) -> dict[str, NDArray[np.uint32]]:
        return {"letters": np.array([ord(letter) for letter in self.letters], dtype=np.uint32)}

    @cached_property
    def _alphabet(self) -> list[str]:
        return sorted(self.letters)

    def _is_misspelling(self, word: str) -> bool:
        """Whether one letter more, less, another or two exchanged make it a word that was met often.

        Source: Damerau 1964: four in five misspellings are one such change away. A letter drawn out
        ("hellooo") counts as said once or twice.
        """
        drawn = undrawn(word)
        if drawn and _among(map(hash_of, drawn), self.words).any():
            return True
        if not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
            return False
        return bool(_among(map(hash_of, one_edit(word, self._alphabet)), self.often).any())


def undrawn(word: str) -> set[str]:
    """What a word with letters drawn out ("helllooo") may stand for: each of them once or twice."""
    parts = _RUN.split(word)  # text between runs and the letters of runs in turn
    if not 1 < len(parts) <= 2 * DRAWN + 1:
        return set()
    choices = [(part, part * 2) if place % 2 else (part,) for place, part in enumerate(parts)]
    return set(map("".join, product(*choices)))


def one_edit(word: str, letters: Iterable[str]) -> set[str]:
    """Every text one letter deleted, inserted, replaced, or two neighbours exchanged, away from a word."""
    halves = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    deleted = {left + right[1:] for left, right in halves if right}
    exchanged = {left + right[1] + right[0] + right[2:] for left, right in halves if len(right) > 1}
    inserted = {left + letter + right for left, right in halves for letter in letters}
    replaced = {left + letter + right[1:] for left, right in halves if right for letter in letters}
    return (deleted | exchanged | inserted | replaced) - {word}


class Sightings:
    """Gathers what is met, pair by pair, in memory that grows with what is different alone, and no further
    than to ``MOST_WORDS`` words."""

    def __init__(self) -> None:
        self._words, self._replies = _Hashing(MOST_WORDS), _Hashing()
        self._letters: Counter[str] = Counter()
        self._pairs = 0

    def add(self, questions: Iterable[str], reply: str) -> None:
        """Meet the turns of a question and its reply."""
        for question in questions:
            words = countable_words(question)
            self._words.add([hash_of(word) for word in words])
            if self._pairs < SPELT:
                self._letters.update("".join(word for word in words if word.isalpha()))
        if self._replies.different <= MOST_REPLIES:
            self._replies.add([hash_of(plain(reply))])
        self._pairs += 1

    def seen(self) -> Seen:
        """What was met."""
        words, times = self._words.counted()
        replies, _ = self._replies.counted()
        letters = "".join(letter for letter, _ in self._letters.most_common(LETTERS))
        return Seen(words, words[times >= OFTEN], replies if len(replies) <= MOST_REPLIES else None, letters)


class _Hashing:
    """Counts hashes: twelve bytes for each different one, and some more while they come.

    Args:
        most: with more different ones, those that came once so far are forgotten; 0: none ever is.
    """

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._waiting = array("I")
        self._hashes: Hashes = np.empty(0, dtype=np.uint32)
        self._times = np.empty(0, dtype=np.int64)

    @property
    def different(self) -> int:
        """How many different ones there are at least."""
        return len(self._hashes)

    def add(self, hashes: list[int]) -> None:
        """Count some hashes."""
        self._waiting.extend(hashes)
        if len(self._waiting) > TOGETHER:
            self._settle()

    def counted(self) -> tuple[Hashes, NDArray[np.int64]]:
        """The different hashes, sorted, and how often each came."""
        self._settle()
        return self._hashes, self._times

    def _settle(self) -> None:
        came = np.concatenate([self._hashes, np.array(self._waiting, dtype=np.uint32)])
        times = np.concatenate([self._times, np.ones(len(self._waiting), dtype=np.int64)])
        self._hashes, places = np.unique(came, return_inverse=True)
        self._times = np.bincount(places, weights=times, minlength=len(self._hashes)).astype(np.int64)
        del self._waiting[:]
        if self._most and len(self._hashes) > self._most:
            kept = self._times > 1
            self._hashes, self._times = self._hashes[kept], self._times[kept]


def _hashes(array: NDArray[np.uint32]) -> Hashes:
    if array.ndim != 1 or array.dtype != np.uint32:
        raise ValueError("hashes are no row of 32-bit numbers")
    return array if (array[1:] > array[:-1]).all() else np.unique(array)


def _among(hashes: Iterable[int], known: Hashes) -> NDArray[np.bool_]:
    """Which hashes are among some sorted ones."""
    wanted = np.fromiter(hashes, dtype=np.uint32)
    if not len(known):
        return np.zeros(len(wanted), dtype=bool)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.asarray(known[places] == wanted)
