"""Words of a text as a reader sees them, and pieces of words put together into words.

A word is a run of letters, marks and digits, with apostrophes, hyphens and points inside it; one
character in scripts that are written without spaces; any other visible character (punctuation, an
emoji with all its parts) is a word of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"[{_UNSPACED}]\p{{M}}*"
    rf"|(?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}_])+(?:['\u2019.\-](?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}])+)*"
    r"|(?!\s)\X"
)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character ranges of the words of a text, in order."""
    return [match.span() for match in _WORD.finditer(text)]


def assign(pieces: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> list[int]:
    """For each piece the word it lies in, or -1 where it lies in none.

    A piece lies in the word that holds its last character; the space in front of a piece is no part
    of a word. An empty piece (a byte that completes no character) lies in the word at that position.
    """
    owners = []
    word = 0
    for start, end in pieces:
        last = max(start, end - 1)
        while word < len(words) and words[word][1] <= last:
            word += 1
        inside = word < len(words) and (words[word][0] <= last or start == end)
        owners.append(word if inside else -1)
    return owners


def merge_weights(
    weights: NDArray[np.float32],
    reply_owners: Sequence[int],
    source_owners: Sequence[int],
    reply_words: int,
    source_words: int,
) -> NDArray[np.float64]:
    """Weights between words from weights between pieces: summed over source pieces, averaged over reply pieces.

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
