"""Limits: how long a reply may be, what it may not say, and how replies of different length compare."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, PAD, UNK
from chatbot.decoding.hypothesis import average, coverage, length_penalty
from chatbot.errors import OptionError

NORMS: dict[str, Callable[[int, float], float]] = {"wu": length_penalty, "average": average}
"""What a reply's log-probability is divided by, from its length and α. None of them falls with length."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds for every reply of a search.

    Args:
        max_length: most tokens of a reply, EOS counted.
        length_penalty: α of ``length_penalty``; the log-probability is divided by its value.
        block_ngram: no run of so many tokens occurs twice in a reply; 0: no such rule.
        never: tokens no reply holds.
        min_length: fewest tokens before EOS.
        normalize: which of ``NORMS`` divides the log-probability.
        coverage_penalty: β, by which ``coverage`` counts in the score; 0: not at all.
        repetition_penalty: θ; a token the reply already holds counts with θ times its log-probability.

    Raises:
        OptionError: a number is out of its range.
    """

    max_length: int
    length_penalty: float = 1.0
    block_ngram: int = 0
    never: tuple[int, ...] = (PAD, UNK, BOS)
    min_length: int = 0
    normalize: str = "wu"
    coverage_penalty: float = 0.0
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise OptionError("max_length", f"is {self.max_length}", "it must be at least 1")
        # A negative α would favour short replies and break the bound a beam search stops by; so would a
        # negative β or a θ below 1.
        for name, low in (("length_penalty", 0), ("coverage_penalty", 0), ("repetition_penalty", 1)):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= low):
                raise OptionError(name, f"is {value}", f"it must be {low} or more")
        if self.block_ngram < 0:
            raise OptionError("block_ngram", f"is {self.block_ngram}", "it must be at least 1, or 0 for off")
        if self.normalize not in NORMS:
            raise OptionError("normalize", f"no {self.normalize!r}", "choose one of " + ", ".join(NORMS))
        if not 0 <= self.min_length < self.max_length:
            what = f"{self.min_length} where a reply may have {self.max_length - 1}"
            raise OptionError("min_length", what, "ask for fewer, or let replies be longer")

    def norm(self, length: int) -> float:
        """What the log-probability of a reply of ``length`` tokens, EOS counted, is divided by."""
        return NORMS[self.normalize](length, self.length_penalty)

    def score(self, total: float, length: int, covered: NDArray[np.floating] | None = None) -> float:
        """What a hypothesis of ``length`` tokens, EOS counted, is ranked by: total / norm + β · coverage.

        Args:
            total: its log-probability, with what a prior and the repetition penalty add.
            covered: its weights summed over tokens [src_len]; needed where β is not 0.
        """
        score = total / self.norm(length)
        if self.coverage_penalty and covered is not None:
            score += self.coverage_penalty * coverage(covered)
        return score

    def bound(self, totals: NDArray[np.float64], length: int, ceiling: float) -> NDArray[np.float64]:
        """Scores that hypotheses of ``length`` tokens cannot exceed, however they go on.

        Log-probabilities only fall, and norms only rise with length; coverage is at most 0.

        Args:
            ceiling: the most that a prior can still add.
        """
        most = totals + ceiling
        return np.maximum(most / self.norm(length + 1), most / self.norm(self.max_length))


def check_widths(beam: int, n_best: int) -> None:
    """Refuse numbers of hypotheses that no search can give.

    Raises:
        OptionError: one is below 1, or more are asked for than the beam holds.
    """
    if beam < 1:
        raise OptionError("beam", f"is {beam}", "it must be at least 1")
    if n_best < 1:
        raise OptionError("n_best", f"is {n_best}", "it must be at least 1")
    if n_best > beam:
        what = f"{n_best} replies asked of a beam of {beam}"
        raise OptionError("n_best", what, f"widen the beam to {n_best} or ask for at most {beam}")
