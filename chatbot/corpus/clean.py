"""Which pairs are worth learning from: each once, and no reply too often; everything left out is counted."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chatbot.corpus.conversation import Conversation, Pair
from chatbot.corpus.pairs import is_blank, pairs_of


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What was seen and what was left out.

    Pairs: ``kept + duplicates + capped`` is all of them.

    Args:
        conversations, turns: as they came.
        one_turn: conversations in which nobody answered; they give no pair.
        blank: turns without anything to see, left out.
        duplicates: pairs left out since an earlier one differs at most in case and white space.
        capped: pairs left out since their reply had occurred often enough.
        echo: pairs kept although the reply repeats what was said, as greetings do.
        kept: pairs that remain.
    """

    conversations: int = 0
    turns: int = 0
    one_turn: int = 0
    blank: int = 0
    duplicates: int = 0
    capped: int = 0
    echo: int = 0
    kept: int = 0

    @property
    def pairs(self) -> int:
        """All pairs, before any was left out."""
        return self.kept + self.duplicates + self.capped


class Cleaner:
    """Turns conversations into clean pairs, keeping only hashes of what has gone by.

    Of equal pairs the first in file order is kept, and so are the first ``reply_cap`` of a reply, so the
    outcome hangs on the files alone. Several corpora may be sent through one after the other: a pair of
    an earlier one is a duplicate in a later one, while replies are counted for each corpus anew.

    Args:
        context: how many turns before the reply a pair's src holds.
        reply_cap: most pairs of one corpus with the same reply; 0: no limit.
    """

    def __init__(self, context: int = 1, reply_cap: int = 0) -> None:
        self._context = context
        self._reply_cap = reply_cap
        self._seen: set[int] = set()
        self._counts: Counter[str] = Counter()

    @property
    def cleaning(self) -> Cleaning:
        """The counts so far, of all corpora."""
        return Cleaning(**self._counts)

    def pairs(self, conversations: Iterable[Conversation]) -> Iterator[Pair]:
        """Yield the clean pairs of one corpus in the order of its conversations."""
        replies: Counter[int] = Counter()
        for conversation in conversations:
            found = list(pairs_of(conversation, self._context))
            self._count(conversation, found)
            for pair in found:
                src, tgt = [_plain(text) for text in pair.src], _plain(pair.tgt)
                reason = self._reason(src, tgt, replies)
                self._counts[reason] += 1
                if reason == "kept":
                    self._counts["echo"] += src[-1] == tgt
                    yield pair

    def _count(self, conversation: Conversation, found: list[Pair]) -> None:
        self._counts["conversations"] += 1
        self._counts["turns"] += len(conversation.turns)
        self._counts["one_turn"] += not found
        self._counts["blank"] += sum(is_blank(turn.text) for turn in conversation.turns)

    def _reason(self, src: list[str], tgt: str, replies: Counter[int]) -> str:
        """Why a pair of plain texts is left out, or "kept"; what is kept is remembered."""
        key = _fingerprint(*src, tgt)
        if key in self._seen:
            return "duplicates"
        self._seen.add(key)
        reply = _fingerprint(tgt)
        replies[reply] += 1
        return "capped" if 0 < self._reply_cap < replies[reply] else "kept"


def clean(
    conversations: Iterable[Conversation], context: int = 1, reply_cap: int = 0
) -> tuple[list[Pair], Cleaning]:
    """The clean pairs of one corpus, and the counts."""
    cleaner = Cleaner(context, reply_cap)
    pairs = list(cleaner.pairs(conversations))
    return pairs, cleaner.cleaning


def _plain(text: str) -> str:
    """The text without what duplicates may differ in: case, white space, the spelling of accents."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _fingerprint(*texts: str) -> int:
    """64 bits: two of a million different pairs share theirs once in 40 million corpora."""
    data = "\n".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
