"""Goodness: whether a reply is a good one, told without people by the reply that was really given.

A question of a conversation has no one right answer, so a reply that differs from the true one is not wrong
for that. Two meanings, and the corpus decides which fits:

    exact   the reply is the true one, but for case, spaces and the punctuation at its end. For corpora with a
            closed set of answers (a FAQ, a help desk): there a reply is right or wrong.
    hit     the reply is more like the true one (chrF) than like each of ``OTHERS`` others, taken from other
            held-out pairs: it fits its own question better than those. Chance is 1 in ``OTHERS`` + 1, and a
            reply that fits everything ("I don't know") gets no more than that. It is recall at 1 of 10 (Lowe
            et al. 2015, Zhang et al. 2018) with the bot's reply as the query.

``hit`` is a low bar for closed answers (a wrong one may still be the likest of ten) and a noisy one for chat:
a good reply that shares no word with the true one is taken for a bad one, so confidences are low there, and
say which of two replies is the better bet rather than how often people would be content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.trust.seen import Seen, plain

EXACT, HIT = "exact", "hit"

MEANINGS = {
    EXACT: "the reply is the true one, but for case, spaces and the punctuation at its end",
    HIT: "the reply is more like the true one than like each of nine others",
}
"""What a good reply is, by name."""

OTHERS = 9
"""Other replies that a true one must be told from."""

CLOSED = 0.8
"""Share of held-out replies that are training replies from which on the set of answers counts as closed."""

ORDER, BETA = 6, 2.0
"""Longest n-grams and weight of recall: those of chrF2."""

Grams = list[Counter[str]]


def meaning(truths: Sequence[str], seen: Seen) -> str:
    """Which meaning of good fits a corpus.

    Args:
        truths: replies that were held out.
        seen: what was met in training.
    """
    known = [bool(seen.is_reply(truth)) for truth in truths]
    return EXACT if known and sum(known) >= CLOSED * len(known) else HIT


def good_replies(
    replies: Sequence[str], truths: Sequence[str], meant: str, seed: int = 0
) -> NDArray[np.bool_]:
    """Which replies are good.

    Args:
        truths: the reply that was really given to each question.
        meant: a name among MEANINGS.
        seed: which others are taken hangs on it alone.

    Shapes: [replies]
    """
    if meant == EXACT:
        pairs = zip(replies, truths, strict=True)
        return np.array([_bare(reply) == _bare(truth) for reply, truth in pairs], dtype=bool)
    return _hits([plain(reply) for reply in replies], [plain(truth) for truth in truths], seed)


def character_f(one: Grams, other: Grams) -> float:
    """chrF2 of one text against another, from 0 to 1.

        F = (1 + β²) P R / (β² P + R)

    P and R are the shares of one's and of the other's n-grams found in the other, averaged over those orders
    that both have.

    Source: Popović 2015, 2016; as sacrebleu computes it for a sentence, in less than a tenth of the time.
    """
    precision = recall = orders = 0.0
    for these, those in zip(one, other, strict=False):
        common = sum(min(times, those[gram]) for gram, times in these.items() if gram in those)
        precision += common / these.total()
        recall += common / those.total()
        orders += 1
    if not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)


def grams_of(text: str) -> Grams:
    """The n-grams of a text without its spaces, for each order that it has."""
    bare = "".join(text.split())
    orders = range(1, min(ORDER, len(bare)) + 1)
    return [Counter(bare[start : start + n] for start in range(len(bare) - n + 1)) for n in orders]


def _hits(replies: Sequence[str], truths: Sequence[str], seed: int) -> NDArray[np.bool_]:
    random = np.random.default_rng(seed)
    grams = [grams_of(truth) for truth in truths]
    found = np.zeros(len(replies), dtype=bool)
    for row, reply in enumerate(replies):
        own = grams_of(reply)
        bound = character_f(own, grams[row])
        others = _others(truths, row, random)
        found[row] = bool(others) and all(character_f(own, grams[each]) < bound for each in others)
    return found


def _others(truths: Sequence[str], row: int, random: np.random.Generator) -> list[int]:
    """Rows of ``OTHERS`` replies, or as many as there are, that differ from a row's and from each other."""
    found: dict[str, int] = {}
    for place in random.integers(0, len(truths), 4 * OTHERS).tolist():
        if truths[place] != truths[row] and len(found) < OTHERS:
            found.setdefault(truths[place], place)
    if len(found) < OTHERS:
        for place in random.permutation(len(truths)).tolist():
            if truths[place] != truths[row] and len(found) < OTHERS:
                found.setdefault(truths[place], place)
    return list(found.values())


def _bare(text: str) -> str:
    """A text as it is compared, without the punctuation at its end."""
    return plain(text).rstrip(" .,!?…。！？，")
