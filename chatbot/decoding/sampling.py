"""Sampling: every token is drawn from the model's distribution, made sharper and cut short first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.course import Course, Look
from chatbot.decoding.engine import Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.terms import Terms
from chatbot.decoding.truncation import SHARES, most_likely, sharpened
from chatbot.decoding.walk import Walk, walked
from chatbot.errors import OptionError

ROUNDS = 4
"""How often further samples are drawn for a source that has fewer different ones than asked for."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The way of chance: independent samples, the same ones for the same seed and source.

    What is not drawn from is taken away in this order, each step seeing the distribution that the one
    before left, made to sum to 1 again: temperature, top-k, top-p, min-p, typical.

    A sample's chances hang on the seed, the source and its own number alone: not on what else is in the
    batch, what was asked before, or how many samples are asked for.

    Args:
        temperature: log-probabilities are divided by it; 0: always the likeliest token.
        top_k: only the k likeliest tokens; 0: all.
        top_p, min_p, typical: see ``SHARES``; 1, 0 and 1 keep all.
        seed: any number from 0.

    Raises:
        OptionError: a number out of its range.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise OptionError("temperature", f"is {self.temperature}", "it must be 0 or more")
        for name, low in (("top_k", 0), ("seed", 0)):
            if getattr(self, name) < low:
                raise OptionError(name, f"is {getattr(self, name)}", f"it must be at least {low}")
        for name in SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(name, f"is {getattr(self, name)}", "it must be from 0 to 1")

    def find(
        self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms, n_best: int = 1
    ) -> list[list[Hypothesis]]:
        """At most ``n_best`` different samples for each source, in the order they were drawn.

        They are not ranked, so that asking for more changes nothing about the first.

        Raises:
            OptionError: n_best is below 1.
        """
        if n_best < 1:
            raise OptionError("n_best", f"is {n_best}", "it must be at least 1")
        found: list[dict[tuple[int, ...], Hypothesis]] = [{} for _ in sources]
        for drawn in range(ROUNDS if self.temperature else 1):
            lacking = [place for place, some in enumerate(found) if len(some) < n_best]
            if not lacking:
                break
            numbers = range(drawn * n_best, (drawn + 1) * n_best)
            samples = walked(self.walk(engine, [sources[place] for place in lacking], terms, numbers))
            for i, sample in enumerate(samples):
                found[lacking[i // n_best]].setdefault(sample.tokens, sample)
        return [list(some.values())[:n_best] for some in found]

    def walk(
        self,
        engine: Engine,
        sources: Sequence[Sequence[int]],
        terms: Terms,
        numbers: Sequence[int] = (0,),
    ) -> Walk:
        """Samples of each source, of the numbers given, step by step."""
        longest = terms.limits.max_length
        chances = np.array([self.chances(s, number, longest) for s in sources for number in numbers])
        return Walk(Course(engine, sources, terms, len(numbers)), terms.limits, _Draw(self, chances))

    def chances(self, source: Sequence[int], number: int, length: int) -> NDArray[np.float64]:
        """The numbers from 0 to 1 that decide a sample, one a token; more of them begin with the same."""
        return np.random.default_rng([self.seed, number, *source]).random(length)

    def distribution(self, gains: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is drawn from, as probabilities.

        Shapes: gains [rows, k], unsorted, -inf where a token cannot be said -> [rows, k]
        """
        probs = sharpened(gains, self.temperature)
        if 0 < self.top_k < probs.shape[1]:
            probs = most_likely(probs, self.top_k)
        for name, (everything, cut) in SHARES.items():
            share = getattr(self, name)
            if share != everything:
                probs = cut(probs, share)
        return probs


@dataclass(frozen=True, slots=True)
class _Draw:
    """Chooses by chance.

    Shapes: chances [owners, max_length]
    """

    way: Sampling
    chances: NDArray[np.float64]

    def width(self, vocab: int) -> int:
        # The k likeliest are enough to draw from when no others are; all else needs every probability.
        return 1 if self.way.temperature == 0 else self.way.top_k or vocab

    def choose(self, look: Look, owners: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        gains = look.gains.astype(np.float64)
        if self.way.temperature == 0:
            return np.asarray(gains.argmax(axis=1))
        probs = self.way.distribution(gains)
        return drawn(probs, look.tokens, self.chances[owners, length])


def drawn(
    probs: NDArray[np.float64], tokens: NDArray[np.int64], chances: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The column of each row that its chance falls on, where columns lie side by side in order of token.

    By token and not by probability: two tokens nearly as likely change their order for the last bit of a
    number, and with it the sample.

    Shapes: probs, tokens [rows, k], chances [rows] -> [rows]
    """
    used = np.flatnonzero((probs > 0).any(0))
    if not len(used):
        return np.zeros(len(probs), np.int64)
    order = used[np.argsort(tokens[:, used], axis=1)]  # [rows, used]
    sums = np.cumsum(np.take_along_axis(probs, order, axis=1), axis=1)
    # A chance of nearly 1 must not fall behind the last token that is possible.
    places = np.minimum((sums <= (chances * sums[:, -1])[:, None]).sum(1), (sums < sums[:, -1:]).sum(1))
    return np.asarray(order[np.arange(len(order)), places])
