"""What the facts of a corpus mean: a diagnosis looks at one of them and gives a finding.

A threshold is red where nobody was seen to get a useful bot from such a corpus, and yellow where a person who
knows the corpus should decide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from chatbot.corpus.clean import REASONS
from chatbot.corpus.doctor.diagnosis_of_texts import DIAGNOSES_OF_TEXTS
from chatbot.corpus.doctor.facts import TOKENS_A_WORD, Facts
from chatbot.corpus.doctor.findings import (
    GREEN,
    RED,
    SIZE,
    YELLOW,
    Diagnosis,
    Finding,
    Level,
    finding,
    level_of,
    percent,
    several,
)
from chatbot.corpus.doctor.symptoms import POINTERS


class Band(NamedTuple):
    """What fewer than so many pairs are enough for."""

    below: float
    level: Level
    enough: str
    remedy: str


BANDS = (
    Band(20, YELLOW, "too few to learn anything but by heart", "add more pairs; --preset tiny learns these"),
    Band(2_000, GREEN, "enough for a FAQ, not for small talk", "train with --preset tiny"),
    Band(50_000, GREEN, "enough for small talk on a few subjects", "train with --preset small"),
    Band(math.inf, GREEN, "enough for small talk", "train with --preset small or base"),
)
"""Of 20 pairs each word occurs about once, so nothing but whole replies can be learned; with fewer than some
thousand pairs most words occur too seldom to be used anew; the corpora of small talk have some 100,000."""

FEW_PAIRS = 50
"""Of fewer pairs a share says little: one reply that occurs three times is 6 % of them."""

SEVERAL = 3
"""A reply that occurs less often is not repeated, whatever its share."""

REPLY_YELLOW, REPLY_RED = 0.05, 0.3
"""Share of the commonest reply: a bot says it far more often than it was said, since it is never quite wrong.
In human small talk it is below 1 %."""

VARIETY_YELLOW = 0.05
"""distinct-2 of a sample: below this the replies are a few sentences with one word changed."""

TOO_LONG_YELLOW = 0.25
"""Share of the replies that training leaves out for their length."""

MOST_TGT = 512
"""The most tokens that --max-tgt allows."""

TINY_VOCABULARY = 5
"""Different words: the shortest talk and the smallest toy task have more, a path that is repeated has not."""

A_FEW = 5
"""So many pairs may well have fewer words than that."""

FEW_WORDS = 50
"""Different words of the replies: menus, not sentences."""

COVERED_YELLOW = 0.7
"""Share of the words said that the commonest words have; human small talk has 0.9."""

LEAK_YELLOW = 0.2
"""Share of held-out pairs whose question was trained on: above it validation measures memory. In human small
talk greetings alone make some 8 %."""

LEAK_PAIRS = 20
"""Of fewer pairs no share is told."""

UNANSWERED_YELLOW = 0.5
"""Share of conversations in which nobody answers."""

ADD_OTHERS = "look into the files: this is not the corpus that was meant"

_QUOTED = 40
"""Characters of a reply that a finding quotes."""


class Rate(NamedTuple):
    """A share of the pairs that cleaning counted.

    Args:
        counts: fields of Cleaning.
        yellow: share above which a person should look.
    """

    name: str
    counts: tuple[str, ...]
    what: str
    yellow: float
    remedy: str


RATES = (
    Rate(
        "duplicates",
        ("duplicates",),
        "occurred before",
        0.5,  # logs that were joined, or the same file twice
        "look whether the same files went in twice; each pair is learned once in any case",
    ),
    Rate(
        "near duplicates",
        ("near_duplicates",),
        "are nearly the same as an earlier one",
        0.3,  # more than people repeat themselves: templates
        "keep them with --near-duplicates if the variants are meant",
    ),
    Rate(
        "echoes",
        ("echoed", "echo"),
        "have a reply that repeats the question",
        0.1,  # greetings are far fewer
        "look whether the columns are the right ones, see --columns",
    ),
    Rate(
        "reply cap",
        ("capped",),
        "have a reply that occurs more often than --reply-cap lets it",
        0.3,  # so much of a log is forms, not talk
        "look at the commonest replies; a larger --reply-cap keeps more of them",
    ),
    Rate(
        "other filters",
        ("short", "long", "script", "language"),
        "are too short, too long, or in another script or language",
        0.5,  # most of the corpus is not used
        "look at --min-words, --max-words, --scripts and --languages",
    ),
)


def _size(facts: Facts) -> Finding:
    if facts.pairs == 0:
        return _nothing(facts)
    band = next(band for band in BANDS if facts.pairs < band.below)
    return Finding(band.level, SIZE, f"{several(facts.pairs, 'pair')}, {band.enough}", band.remedy)


def _nothing(facts: Facts) -> Finding:
    """The finding on a corpus without pairs, as far as can be told why it has none."""
    left_out = ", ".join(
        f"{getattr(facts.cleaning, name):,} {words}"
        for name, words in REASONS.items()
        if getattr(facts.cleaning, name)
    )
    if facts.hint:
        what = f"0 pairs, and what is there looks like {facts.hint}, not like talk"
        fetch = facts.hint == POINTERS
        return Finding(RED, SIZE, what, "fetch the files themselves: git lfs pull" if fetch else ADD_OTHERS)
    if left_out:
        return Finding(RED, SIZE, f"0 pairs, all were left out: {left_out}", "ask for less strict options")
    remedy = "look at --format and --columns; at least two must talk"
    return Finding(RED, SIZE, "0 pairs, nobody answers anybody", remedy)


def _replies(facts: Facts) -> Finding | None:
    if not facts.commonest:
        return None
    reply = facts.commonest[0]
    quoted = reply.name if len(reply.name) <= _QUOTED else reply.name[:_QUOTED] + "…"
    what = f'the commonest reply, "{quoted}", is {percent(reply.share)} of them'
    level = level_of(reply.share, REPLY_YELLOW, REPLY_RED) if reply.count >= SEVERAL else GREEN
    if level == RED and facts.pairs < FEW_PAIRS:
        level = YELLOW
    cap = max(1, min(reply.count - 1, int(REPLY_YELLOW * facts.pairs)))
    return finding(level, "replies", what, f"a bot would say little else: --reply-cap {cap}")


def _variety(facts: Facts) -> Finding:
    low = facts.sample.distinct2 < VARIETY_YELLOW and facts.pairs >= FEW_PAIRS
    what = f"distinct-1 {facts.sample.distinct1:.3f}, distinct-2 {facts.sample.distinct2:.3f} of the replies"
    remedy = "the replies are much alike: look at them with chatbot corpus show, or set a lower --reply-cap"
    return finding(YELLOW if low else GREEN, "variety", what, remedy)


def _lengths(facts: Facts) -> Finding:
    share = facts.too_long / facts.pairs
    wanted = min(MOST_TGT, math.ceil(facts.replies.most * TOKENS_A_WORD))
    what = f"an estimated {percent(share)} of the replies exceed {facts.max_tgt} tokens and are not learned"
    remedy = f"--max-tgt {wanted} holds most of them; training takes longer then"
    return finding(level_of(share, TOO_LONG_YELLOW), "length", what, remedy)


def _vocabulary(facts: Facts) -> Finding:
    found = facts.vocabulary
    if found.few < TINY_VOCABULARY and facts.pairs > A_FEW:
        what = f"{found.few} different words in all: looks like a placeholder, not like talk"
        return Finding(RED, "vocabulary", what, ADD_OTHERS)
    more = "more than " if found.forgotten else ""
    what = f"{more}{found.words:,} different words in the replies, {percent(found.once)} of them once only"
    if found.words < FEW_WORDS and facts.pairs >= FEW_PAIRS:
        return Finding(YELLOW, "vocabulary", what, "the replies are a menu: fine if that is what is wanted")
    what += f"; the 4,096 commonest make {percent(found.covered)} of what is said"
    level = YELLOW if found.covered < COVERED_YELLOW else GREEN
    return finding(level, "vocabulary", what, "a larger --vocabulary, or more pairs")


def _leakage(facts: Facts) -> Finding | None:
    if facts.leakage.pairs:
        what = f"{facts.leakage.pairs:,} of {facts.held_out:,} held-out pairs are also trained on"
        return Finding(RED, "leakage", what, "this is a fault of the program: please report it")
    if facts.held_out < LEAK_PAIRS:
        return None
    share = facts.leakage.questions / facts.held_out
    what = f"{percent(share)} of {facts.held_out:,} held-out pairs have a question that is trained on"
    remedy = "their perplexity looks better than it is: judge by talking to the bot"
    return finding(level_of(share, LEAK_YELLOW), "leakage", what, remedy)


def _unanswered(facts: Facts) -> Finding:
    count, total = facts.cleaning.one_turn, facts.cleaning.conversations
    share = count / max(total, 1)
    what = f"{percent(share)} of {several(total, 'conversation')} got no reply"
    remedy = "look at --gap-hours, and whether one speaker's messages are missing"
    return finding(level_of(share, UNANSWERED_YELLOW), "unanswered", what, remedy)


def _rate(rate: Rate) -> Diagnosis:
    """The diagnosis of one share of cleaning."""

    def told(facts: Facts) -> Finding | None:
        count = sum(getattr(facts.cleaning, name) for name in rate.counts)
        if not count:
            return None
        share = count / facts.cleaning.pairs
        what = f"{percent(share)} of {several(facts.cleaning.pairs, 'pair')} {rate.what}"
        level = level_of(share, rate.yellow) if facts.cleaning.pairs >= LEAK_PAIRS else GREEN
        return finding(level, rate.name, what, rate.remedy)

    return told


def _with_pairs(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis, which says nothing of a corpus without pairs."""
    return lambda facts: diagnosis(facts) if facts.pairs else None


DIAGNOSES: tuple[Diagnosis, ...] = (
    _size,
    *map(
        _with_pairs,
        (
            _replies,
            _variety,
            *map(_rate, RATES),
            _lengths,
            _vocabulary,
            *DIAGNOSES_OF_TEXTS,
            _leakage,
            _unanswered,
        ),
    ),
)
"""All, in the order of their findings."""
