"""Which pairs are worth learning from; everything left out is counted with its reason.

What can be said of a pair by itself (its length, script and language, whether it is an echo) is said by
``Judge``, which may run anywhere; what hangs on earlier pairs (duplicates, how often a reply occurred) is
said by ``Cleaner``, in the order of the files.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple

from chatbot.corpus.conversation import Conversation, Pair
from chatbot.corpus.languages import is_written_in, language_of, parse_languages, parse_scripts
from chatbot.corpus.near import Sketches, canonical, sketch
from chatbot.corpus.options import DataOptions
from chatbot.corpus.pairs import is_blank, pairs_of
from chatbot.corpus.tally import Tally, fingerprint, joined
from chatbot.corpus.words import words_of

KEPT = "kept"

ECHO_WORDS = 3
"""A reply of so many words may repeat the question, as greetings do."""


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What was seen and what was left out.

    Args:
        conversations, turns: as they came.
        one_turn: conversations in which nobody answered; they give no pair.
        blank: turns without anything to see, left out.
        short, long: pairs left out since a side has too few or too many words.
        script, language: pairs left out since a side is in another script or language than asked for.
        echoed: pairs left out since the reply only repeats the question.
        duplicates: pairs left out since an earlier one differs at most in case and white space.
        near_duplicates: pairs left out since an earlier one is nearly the same.
        capped: pairs left out since their reply had occurred often enough.
        echo: pairs kept although the reply repeats what was said, as greetings do.
        kept: pairs that remain.
    """

    conversations: int = 0
    turns: int = 0
    one_turn: int = 0
    blank: int = 0
    short: int = 0
    long: int = 0
    script: int = 0
    language: int = 0
    echoed: int = 0
    duplicates: int = 0
    near_duplicates: int = 0
    capped: int = 0
    echo: int = 0
    kept: int = 0

    @property
    def pairs(self) -> int:
        """All pairs, before any was left out."""
        return int(self.kept + sum(getattr(self, reason) for reason in REASONS))

    def left_out(self) -> dict[str, int]:
        """How many pairs were left out for each reason that occurred, in words for people."""
        return {words: count for name, words in REASONS.items() if (count := getattr(self, name))}


REASONS = {
    "short": "too short",
    "long": "too long",
    "script": "in another script",
    "language": "in another language",
    "echoed": "replies that repeat the question",
    "duplicates": "duplicates",
    "near_duplicates": "near duplicates",
    "capped": "over the reply cap",
}
"""Why a pair is left out: the field of Cleaning, and words for people."""


class Judged(NamedTuple):
    """A pair as seen by itself.

    Args:
        reason: why it is left out, among REASONS, or KEPT.
        exact, near, reply: fingerprints of the plain texts, of their canonical forms, and of the reply.
        sketch: of a longer pair; None of others.
        echo: whether the reply repeats the question.
    """

    reason: str
    exact: int = 0
    near: int = 0
    reply: int = 0
    sketch: bytes | None = None
    echo: bool = False


class Judge:
    """Judges pairs one by one. It can be sent to another process.

    Args:
        options: which pairs are wanted.

    Raises:
        OptionError: the options name a script or language that there is not.
    """

    def __init__(self, options: DataOptions) -> None:
        self._options = options
        self._scripts = parse_scripts(options.scripts) if options.scripts else frozenset()
        self._languages = parse_languages(options.languages) if options.languages else frozenset()
        self._measured = options.min_words > 1 or options.max_words > 0

    def pairs(self, conversation: Conversation) -> list[Pair]:
        """The pairs of a conversation, none left out."""
        return list(pairs_of(conversation, self._options.context, self._options.me))

    def judge(self, pair: Pair) -> Judged:
        """What can be said of a pair by itself."""
        question, reply = _seen(pair.src[-1]), _seen(pair.tgt)
        echo = question.plain == reply.plain
        reason = self._reason(pair, reply.plain, echo)
        if reason != KEPT:
            return Judged(reason)
        sides = [*map(_seen, pair.src), reply] if len(pair.src) > 1 else [question, reply]
        exact = joined([side.exact for side in sides])
        if self._options.near_duplicates:
            return Judged(KEPT, exact, 0, reply.exact, None, echo)
        near = joined([side.near for side in sides])
        before = question.form if len(sides) == 2 else " ".join(side.form for side in sides[:-1])
        return Judged(KEPT, exact, near, reply.exact, sketch(before, reply.form), echo)

    def _reason(self, pair: Pair, tgt: str, echo: bool) -> str:
        if self._measured and (reason := self._length(pair)):
            return reason
        sides = (pair.src[-1], pair.tgt)
        if self._scripts and not all(is_written_in(side, self._scripts) for side in sides):
            return "script"
        if self._languages and not all(self._is_spoken(side) for side in sides):
            return "language"
        if echo and not self._options.echoes and len(words_of(tgt)) > ECHO_WORDS:
            return "echoed"
        return KEPT

    def _length(self, pair: Pair) -> str:
        low, high = self._options.min_words, self._options.max_words
        for side in (pair.src[-1], pair.tgt):
            if (
                high and len(side) > high and len(words_of(side)) > high
            ):  # as many words as characters at most
                return "long"
            if low > 1 and len(words_of(side)) < low:
                return "short"
        return ""

    def _is_spoken(self, text: str) -> bool:
        """Whether a text is in a wanted language, or too short to tell."""
        language = language_of(text)
        return not language or language in self._languages


class Cleaner:
    """Turns conversations into clean pairs, keeping only fingerprints of what has gone by.

    Of equal pairs the first in file order is kept, and so are the first ``reply_cap`` of a reply, so the
    outcome hangs on the files alone. Several corpora may be sent through one after the other: a pair of
    an earlier one is a duplicate in a later one, while replies are counted for each corpus anew.
    """

    def __init__(self) -> None:
        self._exact, self._near, self._sketches = Tally(), Tally(), Sketches()
        self._replies = Tally()
        self._counts: Counter[str] = Counter()

    @property
    def cleaning(self) -> Cleaning:
        """The counts so far, of all corpora."""
        return Cleaning(**{field.name: self._counts[field.name] for field in fields(Cleaning)})

    def pairs(
        self,
        conversations: Iterable[Conversation],
        options: DataOptions | None = None,
        rejected: Callable[[Pair, str], None] = lambda pair, reason: None,
    ) -> Iterator[Pair]:
        """Yield the clean pairs of one corpus in the order of its conversations.

        Args:
            rejected: is called with each pair that is left out and the reason, among REASONS.
        """
        options = options or DataOptions()
        judge = Judge(options)
        self.begin()
        for conversation in conversations:
            found = judge.pairs(conversation)
            self.count(len(conversation.turns), blanks(conversation), bool(found))
            for pair in found:
                reason = self.admit(judge.judge(pair), options.reply_cap)
                if reason == KEPT:
                    yield pair
                else:
                    rejected(pair, reason)

    def begin(self) -> None:
        """The next corpus: replies are counted anew."""
        self._replies = Tally()

    def count(self, turns: int, blank: int, answered: bool) -> None:
        """Count a conversation."""
        self._counts["conversations"] += 1
        self._counts["turns"] += turns
        self._counts["blank"] += blank
        self._counts["one_turn"] += not answered

    def admit(self, judged: Judged, reply_cap: int) -> str:
        """Why a pair is left out, or KEPT; what is kept is remembered."""
        reason = self._reason(judged, reply_cap)
        self._counts[reason] += 1
        if reason == KEPT:
            self._counts["echo"] += judged.echo
        return reason

    def _reason(self, judged: Judged, reply_cap: int) -> str:
        if judged.reason != KEPT:
            return judged.reason
        if self._exact.add(judged.exact) > 1:
            return "duplicates"
        if judged.near and self._near.add(judged.near) > 1:
            return "near_duplicates"
        if judged.sketch is not None and self._sketches.near(judged.sketch):
            return "near_duplicates"
        return "capped" if 0 < reply_cap < self._replies.add(judged.reply) else KEPT


def blanks(conversation: Conversation) -> int:
    """How many turns have nothing to see."""
    return sum(is_blank(turn.text) for turn in conversation.turns)


def clean(
    conversations: Iterable[Conversation], options: DataOptions | None = None
) -> tuple[list[Pair], Cleaning]:
    """The clean pairs of one corpus, and the counts."""
    cleaner = Cleaner()
    pairs = list(cleaner.pairs(conversations, options))
    return pairs, cleaner.cleaning


class _Seen(NamedTuple):
    """A turn as duplicates are told by: its plain form and its canonical one, and their fingerprints."""

    plain: str
    exact: int
    form: str
    near: int


@functools.lru_cache(maxsize=1024)  # a turn is a reply first, and then the question of the next pair
def _seen(text: str) -> _Seen:
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    plain = " ".join(composed.casefold().split())
    form = canonical(plain)
    exact = fingerprint(plain)
    return _Seen(plain, exact, form, exact if form == plain else fingerprint(form))
