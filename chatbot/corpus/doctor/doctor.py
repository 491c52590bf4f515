"""Doctor: watches a corpus go by and says whether it is worth an hour of training.

What hangs on all of a corpus is counted as it streams: lengths, words, fingerprints of questions, replies and
pairs. What a share of the pairs tells as well is looked at in a sample once all is there, and what costs much
(languages, personal data) in a smaller one. Samples are chosen by a hash of the pairs, so the order of the
files changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from chatbot.corpus.clean import Cleaner, Cleaning
from chatbot.corpus.conversation import Conversation, Pair
from chatbot.corpus.doctor.diagnosis import DIAGNOSES
from chatbot.corpus.doctor.facts import BUCKETS, TOKENS_A_WORD, Facts, Leakage, Lengths
from chatbot.corpus.doctor.findings import RED, Finding, Verdict, worst_first
from chatbot.corpus.doctor.inspection import hint_of, inspect, inspect_closely, without_personal
from chatbot.corpus.doctor.sampling import Sample
from chatbot.corpus.doctor.vocabulary import Words
from chatbot.corpus.options import DataOptions
from chatbot.corpus.split import is_held_out
from chatbot.corpus.statistics import COMMONEST, Share
from chatbot.corpus.words import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOOKED_AT = 10_000
"""Pairs of the sample: a share of 1 % is known to 0.2 % then, and looking takes about a second."""

CLOSELY = 2_000
"""Pairs looked at closely: a share of 10 % is known to 1.5 %, at a few hundred microseconds a pair."""

MAX_TGT = 24
"""Longest reply that training keeps unless told otherwise, in tokens: the default of --max-tgt."""

LONGEST = 512
"""Words of a text that are told apart in counting lengths: the most that --max-tgt allows."""

SPEAKERS = 100_000
"""Names that are remembered."""

FIRST_TURNS = 20
"""Turns that are remembered until a pair comes, to say what it is that gives none."""

_UNSPACED = re.compile("[\u0e00-\U0010ffff]")
"""No script that is written without spaces comes before these."""

_ODD = 0x9E3779B97F4A7C15
_PRIME = 2**61 - 1
"""What the rank of a pair is smaller than."""


def examine(
    conversations: Iterable[Conversation], options: DataOptions | None = None, max_tgt: int = MAX_TGT
) -> Verdict:
    """The verdict on a corpus, in one pass.

    Args:
        options: which pairs are wanted, and which share of the conversations is held out.
        max_tgt: longest reply that training will keep, in tokens.
    """
    options = options or DataOptions()
    doctor, cleaner = Doctor(max_tgt), Cleaner()
    last, held_out = "", False
    for pair in cleaner.pairs(doctor.watch(conversations), options):
        if pair.conversation != last:
            last, held_out = pair.conversation, is_held_out(pair.conversation, options.validation)
        doctor.pair(pair, held_out)
    return doctor.verdict(cleaner.cleaning)


@dataclass(slots=True)
class _Part:
    """Digests of the pairs of one part, 8 bytes each, in their order.

    Args:
        srcs: of all turns of src, where they are several; else those of the questions.
    """

    srcs: bytearray = field(default_factory=bytearray)
    questions: bytearray = field(default_factory=bytearray)
    replies: bytearray = field(default_factory=bytearray)


class Doctor:
    """Observes conversations and clean pairs, and gives a verdict.

    It keeps 24 bytes a pair and some tens of megabytes whatever comes by.

    Args:
        max_tgt: longest reply that training will keep, in tokens.
    """

    def __init__(self, max_tgt: int = MAX_TGT) -> None:
        self._max_tgt = max_tgt
        self._speakers: set[str] = set()
        self._first: list[str] = []
        self._parts = (_Part(), _Part())  # trained on, held out
        self._question_lengths = [0] * (LONGEST + 1)
        self._reply_lengths = [0] * (LONGEST + 1)
        self._words = Words()
        self._sample = Sample(LOOKED_AT)

    def watch(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        """Observe conversations while they pass by."""
        for conversation in conversations:
            self.conversation(conversation)
            yield conversation

    def conversation(self, conversation: Conversation) -> None:
        """Observe a conversation as it came."""
        if len(self._speakers) < SPEAKERS:
            self._speakers.update([turn.speaker for turn in conversation.turns])
        if len(self._first) < FIRST_TURNS:
            self._first += [turn.text for turn in conversation.turns[: FIRST_TURNS - len(self._first)]]

    def pair(self, pair: Pair, held_out: bool) -> None:
        """Observe a clean pair; it is held out from training, or not."""
        plain, asked = _plain(pair.src[-1])
        src = question = _digest(plain)
        if len(pair.src) > 1:
            src = _digest("".join([_digest(_plain(text)[0]).hex() for text in pair.src]))
        plain, said = _plain(pair.tgt)
        reply = _digest(plain)
        part = self._parts[held_out]
        part.srcs += src
        part.questions += question
        part.replies += reply
        words = len(asked)
        self._question_lengths[words if words < LONGEST else LONGEST] += 1
        words = len(said)
        self._reply_lengths[words if words < LONGEST else LONGEST] += 1
        self._words.add(asked, said)
        rank = int.from_bytes(src + reply, "little") % _PRIME
        if rank < self._sample.below:
            self._sample.add(rank, pair.src[-1], pair.tgt)

    def verdict(self, cleaning: Cleaning) -> Verdict:
        """What there is to say.

        Args:
            cleaning: what was left out before.
        """
        facts = self._facts(cleaning, CLOSELY)
        found = [finding for each in DIAGNOSES if (finding := each(facts)) is not None]
        return Verdict(worst_first(found), facts)

    def stops(self, cleaning: Cleaning) -> tuple[Finding, ...]:
        """The reasons to stop alone, which need no close look; none where no pair came by."""
        facts = self._facts(cleaning, closely=0)
        found = [each(facts) for each in DIAGNOSES] if facts.pairs else []
        return tuple(finding for finding in found if finding is not None and finding.level == RED)

    def _facts(self, cleaning: Cleaning, closely: int) -> Facts:
        trained, held_out = self._parts
        pairs = (len(trained.replies) + len(held_out.replies)) // 8
        sample = self._sample.lowest(LOOKED_AT)
        longest = int(self._max_tgt / TOKENS_A_WORD)
        return Facts(
            cleaning=cleaning,
            pairs=pairs,
            held_out=len(held_out.replies) // 8,
            speakers=len(self._speakers),
            questions=_lengths(self._question_lengths),
            replies=_lengths(self._reply_lengths),
            max_tgt=self._max_tgt,
            too_long=sum(self._reply_lengths[min(longest, LONGEST) + 1 :]),
            commonest=_commonest(trained.replies + held_out.replies, [each.reply for each in sample]),
            vocabulary=self._words.vocabulary(),
            leakage=_leakage(trained, held_out),
            sample=inspect(sample),
            close=inspect_closely(sample[:closely]),
            hint="" if pairs else hint_of(self._first),
        )


def _plain(text: str) -> tuple[str, list[str]]:
    """The text without what duplicates may differ in, as cleaning has it, and its words."""
    if text.isascii():
        words = text.casefold().split()
        return " ".join(words), words
    plain = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return plain, words_of(plain) if _UNSPACED.search(plain) else plain.split()


def _digest(text: str) -> bytes:
    """8 bytes that stand for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _lengths(counts: list[int]) -> Lengths:
    ends = (*BUCKETS[1:], len(counts))
    buckets = [sum(counts[start:end]) for start, end in zip(BUCKETS, ends, strict=True)]
    buckets[0] += counts[0]
    total, most, seen = sum(counts), 0, counts[0]
    while seen < 0.95 * total:
        most += 1
        seen += counts[most]
    return Lengths(tuple(buckets), sum(at * count for at, count in enumerate(counts)) / max(total, 1), most)


def _commonest(replies: bytes | bytearray, texts: Iterable[str]) -> tuple[Share, ...]:
    """The commonest replies with their exact counts, among those that the sample holds.

    A reply that has a thousandth of a large corpus is in the sample but for a chance of e^-10.

    Args:
        replies: digests of all.
        texts: replies of the sample.
    """
    import numpy as np

    names: dict[int, str] = {}
    for text in texts:
        plain = _plain(text)[0]
        names.setdefault(int.from_bytes(_digest(plain), "little"), " ".join(text.split()))
    digests, counts = np.unique(_numbers(replies), return_counts=True)
    wanted = np.array(sorted(names), dtype=np.uint64)
    known, at, _ = np.intersect1d(digests, wanted, assume_unique=True, return_indices=True)
    found = zip(counts[at].tolist(), (names[number] for number in known.tolist()), strict=True)
    ranked = sorted(found, key=lambda each: (-each[0], each[1]))[:COMMONEST]
    total = max(len(replies) // 8, 1)
    return tuple(Share(without_personal(text), count, count / total) for count, text in ranked)


def _leakage(trained: _Part, held_out: _Part) -> Leakage:
    import numpy as np

    pairs = np.isin(_pairs(held_out), _pairs(trained))
    questions = np.isin(_numbers(held_out.questions), _numbers(trained.questions))
    return Leakage(int(pairs.sum()), int(questions.sum()))


def _pairs(part: _Part) -> NDArray[np.uint64]:
    """A number that stands for each pair."""
    import numpy as np

    return _numbers(part.srcs) * np.uint64(_ODD) + _numbers(part.replies)


def _numbers(digests: bytes | bytearray) -> NDArray[np.uint64]:
    import numpy as np

    return np.frombuffer(digests, dtype="<u8").astype(np.uint64, copy=False)
