"""Words of a text as a reader sees them, and pieces of words put together into words.

A word is a run of letters, marks and digits, with apostrophes, hyphens, points and what nobody sees
inside it; one character in scripts that are written without spaces; any other character (punctuation,
an emoji with all its parts) is a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}_]"
_LETTERS = rf"{_LETTER}(?:{_LETTER}|[\u200c\u200d])*"
_UNSEEN = r"(?:\p{Cf}|(?!\s)\p{Cc})+"
_WORD = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|{_LETTERS}(?:(?:['\u2019.\-]|{_UNSEEN}){_LETTERS})*|(?!\s)\X")

_BEGINS = regex.compile(_LETTER)
_BEGINS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_ENDS = regex.compile(rf"(?:{_LETTER}|[,.;:!?\p{{Pe}}\p{{Pf}}])$")
_ENDS_UNSPACED = regex.compile(rf"[{_UNSPACED}]\p{{M}}*$")
_ENDS_OPEN = regex.compile(r"(?:[\p{Ps}\p{Pi}¿¡]|(?:^|\s)[\"'])$")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character ranges of the words of a text, in order."""
    return [match.span() for match in _WORD.finditer(text)]


def goes_on(piece: str) -> bool:
    """Whether a piece of text, with no space in front, goes on with a word that stands before it."""
    return _BEGINS.match(piece) is not None


def read_words(pieces: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The words that pieces touch; those that one piece runs across are put together.

    Args:
        pieces: in order; an empty one (a byte that completes no character) touches what it stands before.
        words: in order and apart, as from ``word_spans``.
    """
    found: list[tuple[int, int]] = []
    for touched in _touched(pieces, words):
        if touched:
            left, right = words[touched[0]][0], words[touched[-1]][1]
            if found and found[-1][1] > left:
                left = found.pop()[0]
            found.append((left, right))
    return found


def assign(pieces: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> list[int]:
    """For each piece the place of the last word it touches, or -1 where it touches none (white space)."""
    return [touched[-1] if touched else -1 for touched in _touched(pieces, words)]


def _touched(pieces: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> Iterator[range]:
    """For each piece the words that share a character with it."""
    first = 0
    for start, end in pieces:
        while first < len(words) and words[first][1] <= start:
            first += 1
        stop = first
        while stop < len(words) and words[stop][0] < max(end, start + 1):
            stop += 1
        yield range(first, stop)


@lru_cache(maxsize=4096)
def is_letter(character: str) -> bool:
    """Whether a character belongs to a word together with a letter beside it: letters, marks and digits of
    scripts that are written with spaces.
    """
    return _BEGINS.match(character) is not None


def set_off(before: str, word: str) -> str:
    """A word taken from elsewhere, with a space in front where it needs one behind other text.

    Opening brackets and quotation marks hold on to it, letters and punctuation push it away, scripts written
    without spaces stay so; else it keeps what it had.
    """
    bare, tail = word.removeprefix(" "), before[-2:]
    if _ENDS_OPEN.search(tail) or (_ENDS_UNSPACED.search(tail) and _BEGINS_UNSPACED.match(bare)):
        return bare
    return f" {bare}" if _ENDS.search(tail) and _BEGINS.match(bare) else word


def merge_weights(
    weights: NDArray[np.float32],
    reply_owners: Sequence[int],
    source_owners: Sequence[int],
    reply_words: int,
    source_words: int,
) -> NDArray[np.float64]:
    """Weights between words from those between pieces: summed over source, averaged over reply pieces.

    Weight on a source piece that lies in no word (white space alone) goes to the word before it.

    Shapes: weights [reply pieces, source pieces] -> [reply_words, source_words]
    """
    columns = np.zeros((weights.shape[0], source_words))
    previous = 0
    for piece, owner in enumerate(source_owners):
        previous = owner if owner >= 0 else previous
        if source_words:
            columns[:, previous] += weights[:, piece]
    merged = np.zeros((reply_words, source_words))
    counts = np.zeros(reply_words)
    for piece, owner in enumerate(reply_owners):
        if owner >= 0:
            merged[owner] += columns[piece]
            counts[owner] += 1
    return merged / np.maximum(counts, 1)[:, None]
