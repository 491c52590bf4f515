"""Limits: how long a reply may be, what it may not say, and how replies of different length compare."""

from __future__ import annotations

import math
from dataclasses import dataclass

from chatbot.decoding.engine import BOS, PAD, UNK
from chatbot.decoding.hypothesis import length_penalty
from chatbot.errors import OptionError


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds for every reply of a search.

    Args:
        max_length: most tokens of a reply, EOS counted.
        length_penalty: α of ``length_penalty``; the log-probability is divided by its value.
        block_ngram: no run of so many tokens occurs twice in a reply; 0: no such rule.
        never: tokens no reply holds.

    Raises:
        OptionError: a number is out of its range.
    """

    max_length: int
    length_penalty: float = 1.0
    block_ngram: int = 0
    never: tuple[int, ...] = (PAD, UNK, BOS)

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise OptionError("max_length", f"is {self.max_length}", "it must be at least 1")
        # A negative α would favour short replies and break the bound a beam search stops by.
        if not (math.isfinite(self.length_penalty) and self.length_penalty >= 0):
            raise OptionError("length_penalty", f"is {self.length_penalty}", "it must be 0 or more")
        if self.block_ngram < 0:
            raise OptionError("block_ngram", f"is {self.block_ngram}", "it must be at least 1, or 0 for off")

    def score(self, log_prob: float, length: int) -> float:
        """What a hypothesis of ``length`` tokens, EOS counted, is ranked by."""
        return log_prob / length_penalty(length, self.length_penalty)


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
