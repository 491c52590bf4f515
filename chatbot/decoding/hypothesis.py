"""Hypothesis: one reply a search found, and the score it is ranked by."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import EOS


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished reply as ids.

    Args:
        tokens: without BOS; the last one is EOS unless the reply was cut at the maximum length.
        log_prob: sum of the model's log-probabilities of ``tokens``, in nats.
        score: what hypotheses are ranked by; ``Limits.score`` says how it is made. It differs from
            log_prob by more than the length where a prior or a repetition penalty had its say.
        weights: [len(tokens), src_len]; row i is what token i looked at.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    weights: NDArray[np.float32]

    def within(self, longest: int) -> Hypothesis:
        """The same reply of at most ``longest`` tokens before its EOS.

        A search for such replies has one step more, for EOS; what a cut reply said there is left out.
        """
        if len(self.tokens) <= longest or self.tokens[-1] == EOS:
            return self
        return replace(self, tokens=self.tokens[:longest], weights=self.weights[:longest])


def length_penalty(length: int, alpha: float) -> float:
    """lp(Y) = (5 + |Y|)^α / (5 + 1)^α, by which log P(Y|X) is divided; |Y| counts EOS.

    Source: Wu et al. 2016, "Google's Neural Machine Translation System", section 7, equation 14.
    α = 0 ranks by log-probability alone.
    """
    penalty: float = ((5.0 + length) / 6.0) ** alpha
    return penalty


def average(length: int, alpha: float) -> float:
    """|Y|, by which log P(Y|X) is divided, so that a reply's score is its mean per token; α is not used.

    Source: Graves 2012, "Sequence transduction with recurrent neural networks", algorithm 1.
    """
    return float(max(length, 1))


COVERED = 1e-4
"""Attention that counts as some: what nothing looked at would make a logarithm infinite."""


def coverage(covered: NDArray[np.floating]) -> float:
    """cp(X; Y) = sum over source tokens i of log(min(sum over reply tokens j of weight[j, i], 1)).

    At most 0, and 0 where every source token was looked at as much as one reply token can.

    Source: Wu et al. 2016, section 7, equation 14. Sums below ``COVERED`` count as that.

    Shapes: covered [src_len], the weights summed over a reply's tokens, EOS included.
    """
    return float(np.log(np.clip(covered, COVERED, 1.0, dtype=np.float64)).sum())
