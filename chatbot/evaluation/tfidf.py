"""TF-IDF: texts that share rare words are alike. The baseline that looks a reply up.

    w(t, d) = (1 + ln tf(t, d)) · ln(1 + N / df(t)),   sim(q, d) = w(q) · w(d) / (|w(q)| |w(d)|)

Source: Salton and Buckley 1988 ("ltc" weights); Lowe et al. 2015, section 4.1 (as a baseline of dialogue).
A word that no text holds has no weight. numpy only: an inverted index of all texts.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.words import words_of

_EDGES = re.compile(r"^\W+|\W+$")


class TfIdf:
    """Texts to compare others with.

    Args:
        texts: gone through once; at least one.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._terms: dict[str, int] = {}
        terms, counts, lengths = array("q"), array("q"), array("q")
        for text in texts:
            found = Counter(terms_of(text))
            terms.extend(self._terms.setdefault(term, len(self._terms)) for term in found)
            counts.extend(found.values())
            lengths.append(len(found))
        self.size = len(lengths)
        owners = np.repeat(np.arange(self.size), np.array(lengths))
        numbers = np.array(terms, dtype=np.int64)
        frequency = np.bincount(numbers, minlength=len(self._terms))
        self._idf = np.log1p(self.size / np.maximum(frequency, 1))
        weights = (1 + np.log(np.array(counts, dtype=np.int64))) * self._idf[numbers]
        norms = np.sqrt(np.bincount(owners, weights=weights**2, minlength=self.size))
        order = np.argsort(numbers, kind="stable")
        self._owners, self._weights = owners[order], (weights / norms[owners])[order]
        self._starts = np.concatenate([[0], np.cumsum(frequency)])

    def similarities(self, text: str) -> NDArray[np.float64]:
        """How alike a text and each of the texts are, 0 to 1.

        Shapes: [texts]
        """
        found = np.zeros(self.size)
        for number, weight in self._weighed(text).items():
            here = slice(self._starts[number], self._starts[number + 1])
            found[self._owners[here]] += weight * self._weights[here]  # a text holds a term once
        return found

    def nearest(self, text: str) -> int | None:
        """The text that is most like another one, the first of several; None where none shares a word."""
        found = self.similarities(text)
        best = int(found.argmax())
        return best if found[best] > 0 else None

    def between(self, first: str, second: str) -> float:
        """How alike two texts are that need not be among the texts."""
        ours, theirs = self._weighed(first), self._weighed(second)
        return float(sum(weight * theirs.get(number, 0.0) for number, weight in ours.items()))

    def _weighed(self, text: str) -> dict[int, float]:
        """The weight of each known term of a text, of length 1."""
        counts = Counter(terms_of(text))
        known = {self._terms[term]: count for term, count in counts.items() if term in self._terms}
        weights = {number: (1 + np.log(count)) * self._idf[number] for number, count in known.items()}
        norm = np.sqrt(sum(weight**2 for weight in weights.values()))
        return {number: float(weight / norm) for number, weight in weights.items()}


def terms_of(text: str) -> list[str]:
    """The words of a text that count: in lower case, without punctuation at their edges."""
    bare = (_EDGES.sub("", word) for word in words_of(text.casefold()))
    return [term for term in bare if term]
