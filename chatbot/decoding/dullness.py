"""AntiLanguageModel: a prior against replies that fit every question, and for those that fit this one.

In each of the first γ steps a token w adds to its hypothesis, beside log p(w | ...),

    gain(w) = λ · (Σ_v p(v) log U(v) - log U(w))

U is a language model of replies, blind to the question. The sum goes over the tokens that are plausible in
this step, those with p(v) at least a tenth of the likeliest one's, p made to sum to 1 over them.

Source: Li et al. 2016, "A diversity-promoting objective function for neural conversation models", sections
4.2 and 4.5 (MMI-antiLM: log p(T | S) - λ log U(T), U being that of the first γ tokens alone). Two things are
ours. The expected gain is 0 (the sum is the same for all w of a step), so no hypothesis gains by being long
or by going where the model knows nothing, which a bare - λ log U rewards. And what is not plausible is never
raised, as in Li et al. 2023, "Contrastive decoding", section 3.2: rare and wrong is no way out of dull.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.language_model import BackOff

PLAUSIBLE = math.log(10)
"""A token is plausible that is at most so many nats behind the likeliest: a tenth as likely."""

LOOKED_AT = 32
"""At most so many tokens of a step are plausible: the likeliest, which every search with a prior sees."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class AntiLanguageModel:
    """The prior of a language model of replies.

    Args:
        model: U.
        weight: λ.
        tokens: γ.
        inside: tokens that go on with a word; those gain nothing, since how words are spelt is no matter of
            dullness. Higher ids begin one.

    Shapes: inside [vocab]
    """

    def __init__(self, model: BackOff, weight: float, tokens: int, inside: NDArray[np.bool_]) -> None:
        self._model = model
        self._weight = weight
        self._tokens = tokens
        self._inside = np.append(inside, False)

    def gains(self, prefixes: Ints, owners: Ints, tokens: Ints, log_probs: NDArray[np.float32]) -> Floats:
        """What each token adds, see ``chatbot.decoding.terms.Prior``."""
        if prefixes.shape[1] >= self._tokens:
            return np.zeros(tokens.shape)
        logs = self._model.log_probs(prefixes, tokens)
        shares = _plausible(log_probs)
        gains: Floats = self._weight * ((shares * logs).sum(1, keepdims=True) - logs)
        gains = np.where(shares > 0, gains, np.minimum(gains, 0.0))
        return np.where(self._inside[np.minimum(tokens, len(self._inside) - 1)], 0.0, gains)

    def ceiling(self, length: int) -> float:
        """The most that all tokens after the first ``length`` can add together."""
        return self._weight * self._model.span * max(self._tokens - length, 0)


def _plausible(log_probs: NDArray[np.float32]) -> Floats:
    """p of each token among the plausible ones of its row, 0 for the others.

    Shapes: [rows, k] -> [rows, k]
    """
    best = log_probs.max(1, keepdims=True).astype(np.float64)
    behind = log_probs - np.where(best > -np.inf, best, 0.0)
    shares = np.where(behind >= -PLAUSIBLE, np.exp(behind), 0.0)
    shares[:, LOOKED_AT:] = 0.0
    sums = shares.sum(1, keepdims=True)
    return shares / np.where(sums > 0, sums, 1.0)
