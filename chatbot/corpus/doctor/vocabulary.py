"""The words of very many replies, in bounded memory."""

from __future__ import annotations

from collections import Counter

from chatbot.corpus.doctor.diagnosis import TINY_VOCABULARY
from chatbot.corpus.doctor.facts import Vocabulary

COMMON_WORDS = 4096
"""As many as the default of --vocabulary holds tokens."""

DIFFERENT_WORDS = 200_000
"""Different words that are remembered, in about 25 MB; beyond, the rarest are forgotten."""

LONGEST_WORD = 50
"""Characters of a word that are remembered: longer ones are no words."""

AT_ONCE = 10_000
"""Words that are counted together, which is faster than a reply at a time."""


class Words:
    """Counts words of the replies in bounded memory.

    Source: Manku and Motwani 2002, "Approximate Frequency Counts over Data Streams", section 4.2, for
    forgetting what is rare so far.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._latest: list[str] = []
        self._few: set[str] = set()
        self._forgotten = 0
        self._occurrences = 0

    def add(self, asked: list[str], said: list[str]) -> None:
        """Count the words of a reply; those of its question only until there are a few."""
        self._latest += said
        if len(self._few) < TINY_VOCABULARY:
            self._few.update([word[:LONGEST_WORD] for word in (*asked, *said)])
        if len(self._latest) > AT_ONCE:
            self._count()

    def vocabulary(self) -> Vocabulary:
        """What was counted."""
        self._count()
        counts = sorted(self._counts.values(), reverse=True)
        return Vocabulary(
            words=len(counts),
            occurrences=self._occurrences,
            covered=sum(counts[:COMMON_WORDS]) / max(self._occurrences, 1),
            once=(counts.count(1) + self._forgotten) / max(len(counts) + self._forgotten, 1),
            forgotten=self._forgotten,
            few=min(len(self._few), TINY_VOCABULARY),
        )

    def _count(self) -> None:
        """Count the latest words."""
        self._occurrences += len(self._latest)
        if max(map(len, self._latest), default=0) > LONGEST_WORD:
            self._latest = [word[:LONGEST_WORD] for word in self._latest]
        self._counts.update(self._latest)
        self._latest = []
        if len(self._counts) > DIFFERENT_WORDS:
            self._forget()

    def _forget(self) -> None:
        """Forget the rarest words, half of all at least."""
        before, rarest = len(self._counts), 1
        while len(self._counts) > DIFFERENT_WORDS // 2:
            self._counts = Counter({word: count for word, count in self._counts.items() if count > rarest})
            rarest *= 2
        self._forgotten += before - len(self._counts)
