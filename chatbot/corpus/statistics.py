"""A corpus in numbers: how much there is, in which languages, and how varied its replies are.

    distinct-n = different runs of n words in all replies / all runs of n words in them

Source: Li et al. 2016, "A Diversity-Promoting Objective Function for Neural Conversation Models",
section 5.1.
"""

from __future__ import annotations

import dataclasses
import functools
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chatbot.corpus.clean import Cleaner, Cleaning
from chatbot.corpus.conversation import Conversation, Pair
from chatbot.corpus.options import DataOptions
from chatbot.corpus.words import words_of

COMMONEST = 10
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Share:
    """How often something occurs, and what share of all that is (0 to 1)."""

    name: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class ReplyStatistics:
    """How varied replies are.

    Args:
        count: replies.
        distinct1, distinct2: see the module; 0 where there is nothing to count.
        commonest: most frequent first; of equally frequent ones the one that came first.
    """

    count: int
    distinct1: float
    distinct2: float
    commonest: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What ``chatbot corpus show`` prints.

    Args:
        cleaning: conversations, turns and pairs, and what is left out of the pairs.
        languages: of the conversations, by tag; by script where they have none; commonest first.
        words_per_turn: mean; a character of a script without spaces counts as a word.
        replies: of the pairs kept.
        examples: pairs kept, chosen by a hash, so from all over the corpus and always the same.
    """

    cleaning: Cleaning
    languages: tuple[Share, ...]
    words_per_turn: float
    replies: ReplyStatistics
    examples: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain objects, numbers and texts."""
        record = dataclasses.asdict(self)
        record["cleaning"]["pairs"] = self.cleaning.pairs
        return record


def statistics_of(conversations: Iterable[Conversation], options: DataOptions | None = None) -> Statistics:
    """The statistics of a corpus, in one pass.

    Args:
        options: which pairs are wanted.
    """
    cleaner = Cleaner()
    tally = _ConversationTally()
    examples = _Examples(EXAMPLES)
    pairs = examples.watch(cleaner.pairs(tally.watch(conversations), options))
    replies = reply_statistics(pair.tgt for pair in pairs)
    return Statistics(
        cleaner.cleaning,
        shares(tally.languages, sum(tally.languages.values())),
        tally.words / max(tally.turns, 1),
        replies,
        examples.chosen(),
    )


def reply_statistics(replies: Iterable[str]) -> ReplyStatistics:
    """How varied these replies are; upper and lower case are not told apart."""
    count = total1 = total2 = 0
    words: set[str] = set()
    runs: set[tuple[str, str]] = set()
    texts: Counter[str] = Counter()
    for reply in replies:
        said = words_of(reply.lower())
        count += 1
        total1 += len(said)
        total2 += max(len(said) - 1, 0)
        words.update(said)
        runs.update(pairwise(said))
        texts[" ".join(reply.lower().split())] += 1
    commonest = shares(texts, count, COMMONEST)
    return ReplyStatistics(count, len(words) / max(total1, 1), len(runs) / max(total2, 1), commonest)


def shares(counts: Counter[str], total: int, most: int | None = None) -> tuple[Share, ...]:
    """The commonest names with their shares of the total."""
    return tuple(Share(name, count, count / total) for name, count in counts.most_common(most))


def script_of(text: str) -> str:
    """The script most letters of a text are of, as "Latin script"; "no letters" where there are none."""
    scripts = Counter(_script(char) for char in text if char.isalpha())
    return f"{scripts.most_common(1)[0][0]} script" if scripts else "no letters"


@functools.lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """The first word of a letter's Unicode name, which for letters is their script."""
    word = unicodedata.name(char, "unknown").split()[0]
    return "Han" if word == "CJK" else word.capitalize()


class _ConversationTally:
    """Counts conversations while they pass by."""

    def __init__(self) -> None:
        self.languages: Counter[str] = Counter()
        self.turns = 0
        self.words = 0

    def watch(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            texts = [turn.text for turn in conversation.turns]
            self.languages[conversation.language or script_of(" ".join(texts))] += 1
            self.turns += len(texts)
            self.words += sum(len(words_of(text)) for text in texts)
            yield conversation


class _Examples:
    """Keeps the few pairs of the lowest hash while all pass by."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lowest: list[tuple[int, int, Pair]] = []
        self._passed = 0

    def watch(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            rank = zlib.crc32("\n".join((*pair.src, pair.tgt)).encode("utf-8", "replace"))
            self._passed += 1
            if len(self._lowest) < self._most or rank < self._lowest[-1][0]:
                self._lowest = sorted([*self._lowest, (rank, self._passed, pair)])[: self._most]
            yield pair

    def chosen(self) -> tuple[Pair, ...]:
        return tuple(pair for _, _, pair in self._lowest)
