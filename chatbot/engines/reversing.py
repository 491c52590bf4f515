"""Reversed: a model of questions, which ranks replies by how well the question can be guessed from them.

    score(T) = (1 - λ) · score of the search + λ · log P(S | T) / lp(S)

Source: Li et al. 2016, "A diversity-promoting objective function for neural conversation models", section
4.2 (MMI-bidi): of the n best replies T to a question S the one with the highest (1 - λ) log P(T | S) +
λ log P(S | T). Both are divided by their length penalties here, so that λ means the same for short and long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.decoding.engine import EOS, UNK, Engine
from chatbot.decoding.forced import log_probs
from chatbot.decoding.hypothesis import Hypothesis, length_penalty
from chatbot.text.tokenizer import Tokenizer

Ranked = Sequence[tuple[str, Hypothesis]]


@dataclass(frozen=True, slots=True)
class Reversed:
    """A model that was trained to guess a question from its reply.

    Args:
        tokenizer, engine: of its checkpoint.
        max_src: of a longer reply the last so many tokens are read.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int

    def rerank(
        self, questions: Sequence[str], ranked: Sequence[Ranked], weight: float, alpha: float
    ) -> list[tuple[tuple[str, Hypothesis], ...]]:
        """The replies to each question in their new order, with their new scores.

        Whole replies stay before those that were cut, and silent ones last.

        Args:
            ranked: for each question its replies.
            weight: λ.
            alpha: of the length penalty of the questions.
        """
        asked = [row for row, replies in enumerate(ranked) for text, _ in replies if text]
        said = [text for replies in ranked for text, _ in replies if text]
        sources = [self._read(text) for text in said]
        targets = [(*self.tokenizer.encode(questions[row]).ids, EOS) for row in asked]
        found = log_probs(self.engine, sources, targets).tolist()
        back = iter([log / length_penalty(len(t), alpha) for log, t in zip(found, targets, strict=True)])
        return [
            _ordered([(text, _mixed(h, next(back), weight) if text else h) for text, h in replies])
            for replies in ranked
        ]

    def _read(self, text: str) -> tuple[int, ...]:
        """What is read of a reply; never nothing, even of one that has nothing to read."""
        return self.tokenizer.encode(text, src=True).last(self.max_src).ids or (UNK,)


def _mixed(hypothesis: Hypothesis, back: float, weight: float) -> Hypothesis:
    return replace(hypothesis, score=(1 - weight) * hypothesis.score + weight * back)


def _ordered(replies: Ranked) -> tuple[tuple[str, Hypothesis], ...]:
    return tuple(
        sorted(replies, key=lambda reply: (not reply[0], reply[1].tokens[-1:] != (EOS,), -reply[1].score))
    )
