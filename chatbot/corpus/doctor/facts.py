"""What is counted of a corpus before a verdict, in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

from chatbot.corpus.clean import Cleaning
from chatbot.corpus.statistics import Share

TOKENS_A_WORD = 1.3
"""An estimate: what sub-words of a small vocabulary make of a word of chat, signs included."""

BUCKETS = (1, 2, 4, 8, 16, 32)
"""Fewest words of a text in each bar of a histogram; twice as long a text is one bar further."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long the texts of one side are.

    Args:
        buckets: texts in each of BUCKETS.
        mean: words.
        most: words that 95 % of the texts do not exceed.
    """

    buckets: tuple[int, ...]
    mean: float
    most: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of the replies; upper and lower case are not told apart.

    Args:
        words: different ones; at least so many where ``forgotten`` is not 0.
        occurrences: of all of them.
        covered: share of the occurrences that the commonest words have (``doctor.vocabulary``).
        once: share of the different words that occur once.
        forgotten: rare words dropped to save memory.
        few: different words of questions and replies together, counted no further than a handful.
    """

    words: int
    occurrences: int
    covered: float
    once: float
    forgotten: int
    few: int


@dataclass(frozen=True, slots=True)
class Leakage:
    """What of the held-out part occurs in the part trained on; case and white space are not told apart.

    Args:
        pairs: held-out pairs that occur there.
        questions: held-out pairs whose question occurs there.
    """

    pairs: int
    questions: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What looking at pairs of a sample showed.

    Args:
        pairs: how many were looked at.
        characters: different ones.
        rare: of these, how many occur seldom.
        miscoded: pairs with signs of a wrong encoding.
        untalk: pairs with a side that is not talk.
        untalk_kinds: the same by kind; a pair of two kinds counts for both.
        distinct1, distinct2: of the replies, see ``chatbot.corpus.statistics``.
    """

    pairs: int
    characters: int
    rare: int
    miscoded: int
    untalk: int
    untalk_kinds: tuple[Share, ...]
    distinct1: float
    distinct2: float


@dataclass(frozen=True, slots=True)
class CloseInspection:
    """What looking closely at fewer pairs showed.

    Args:
        pairs: how many were looked at.
        languages: of the questions and replies of which it can be told, by name; commonest first.
        scripts: of those that have letters; commonest first.
        personal: suspected personal data by kind; the count is what was seen, the share is per pair.
    """

    pairs: int
    languages: tuple[Share, ...]
    scripts: tuple[Share, ...]
    personal: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a verdict hangs on.

    Args:
        cleaning: what was seen and what was left out.
        pairs: clean pairs that came by.
        held_out: of these, how many are for validation.
        speakers: different names.
        questions, replies: how long they are.
        max_tgt: longest reply that training keeps, in tokens.
        too_long: replies estimated to be longer.
        commonest: replies, commonest first; personal data in them is hidden.
        vocabulary: of the replies.
        leakage: from the held-out part to the other.
        sample: what a sample showed.
        close: what a closer look at a smaller sample showed.
        hint: what the first turns look like where there is no pair; "" where they look like talk.
    """

    cleaning: Cleaning
    pairs: int
    held_out: int
    speakers: int
    questions: Lengths
    replies: Lengths
    max_tgt: int
    too_long: int
    commonest: tuple[Share, ...]
    vocabulary: Vocabulary
    leakage: Leakage
    sample: Inspection
    close: CloseInspection
    hint: str = ""
