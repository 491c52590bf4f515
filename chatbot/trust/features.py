"""Features: numbers of one answer that tell something of how good it is, taken from what the search found.

    log_prob    log P(Y|X) / |Y|, nats a token: how likely the network holds the reply
    length      ln |Y|, so that long replies can be judged by their own measure
    mass        Σᵢ P(Yᵢ|X) over the n best: how much of all that could be said they are
    entropy     -Σᵢ pᵢ ln pᵢ / ln n with pᵢ ∝ P(Yᵢ|X) over the n best: 0 where one stands out, 1 for equals
    agreement   mean share of letter trigrams (Dice 1945) that the reply has in common with each other one
    known       share of the question's words that training questions held

The entropy is that of whole replies, approximated from the n best (Malinin and Gales 2021, section 3, take
samples); that of single steps would need the network a second time and told no more where it was tried.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from chatbot.decoding.hypothesis import Hypothesis

FEW = 4
"""Of more hypotheses the best so many count, so that asking for more candidates changes nothing."""

ALONE = ("log_prob", "length", "known")
"""Features of a reply that was found alone, as by greedy search."""

SEVERAL = ("log_prob", "length", "mass", "entropy", "agreement", "known")
"""Features of the best of several replies."""

GRAM = 3


def features(found: Sequence[tuple[str, Hypothesis]], known: float) -> Mapping[str, float]:
    """The features by name; those of SEVERAL where more than one reply was found, else those of ALONE.

    Args:
        found: the replies to a question, the chosen one first.
        known: share of the question's words that were met in training.
    """
    text, best = found[0]
    length = max(len(best.tokens), 1)
    alone = {"log_prob": best.log_prob / length, "length": math.log(length), "known": known}
    if len(found) < 2:
        return alone
    few = found[:FEW]
    log_probs = np.array([hypothesis.log_prob for _, hypothesis in few])
    mass = float(np.logaddexp.reduce(log_probs))
    shares = np.exp(log_probs - mass)
    entropy = -float(shares @ (log_probs - mass)) / math.log(len(few))
    grams = _grams(text)
    agreement = sum(_dice(grams, _grams(other)) for other, _ in few[1:]) / (len(few) - 1)
    return {**alone, "mass": math.exp(mass), "entropy": entropy, "agreement": agreement}


def _grams(text: str) -> set[str]:
    padded = f" {text.lower()} "
    return {padded[start : start + GRAM] for start in range(len(padded) - GRAM + 1)}


def _dice(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0
