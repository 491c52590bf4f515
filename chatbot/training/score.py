"""Score: what a validation found, and what the best weights are chosen by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.evaluation.perplexity import Fit, perplexity


@dataclass(frozen=True, slots=True)
class Score:
    """What a validation found, corpora weighted as in the mix.

    Args:
        loss: nats per token.
        perplexity: per word; in ``corpora`` of each corpus.
        accuracy: share of the tokens that are the likeliest ones after the gold ones before them.
    """

    loss: float
    perplexity: float
    accuracy: float
    corpora: Mapping[str, float]

    @classmethod
    def of(cls, fits: Sequence[tuple[str, Fit, float]]) -> Score:
        """The score of corpora, each with its name and weight."""
        nats = sum(weight * fit.nats for _, fit, weight in fits)
        tokens = sum(weight * fit.tokens for _, fit, weight in fits)
        words = sum(weight * fit.words for _, fit, weight in fits)
        correct = sum(weight * fit.correct for _, fit, weight in fits)
        corpora = {name: fit.perplexity for name, fit, _ in fits}
        return cls(nats / tokens, perplexity(nats / words), correct / tokens, corpora)


COSTS: dict[str, Callable[[Score], float]] = {
    "loss": lambda score: score.loss,
    "accuracy": lambda score: 1.0 - score.accuracy,
}
"""What the best weights are lowest in, and what must fall for a run not to stop early."""
