"""Answering: text questions through an engine to ranked replies, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.config import Config, DecodingOptions
from chatbot.decoding.engine import Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.search import search
from chatbot.text.tokenizer import Encoded, Tokenizer

BATCH = 64
"""Questions searched for together."""

SPARE = 4
"""Further hypotheses asked for, since two may read alike."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question.

    Args:
        offsets: character ranges of the question's tokens that were read.
        truncated: the question has more tokens; only its last ones were read.
        ranked: different texts, best first, each with its hypothesis; () where nothing was asked.
    """

    offsets: tuple[tuple[int, int], ...] = ()
    truncated: bool = False
    ranked: tuple[tuple[str, Hypothesis], ...] = ()

    @property
    def text(self) -> str:
        """The best reply."""
        return self.ranked[0][0] if self.ranked else ""


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers text.

    Args:
        tokenizer, engine: of the same checkpoint.
        max_src: of a longer question the last so many tokens are read.
        max_tgt: longest reply in tokens, unless the options say otherwise.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int
    max_tgt: int

    @classmethod
    def of(cls, config: Config, tokenizer: Tokenizer, engine: Engine) -> Answering:
        """With the lengths of a configuration."""
        return cls(tokenizer, engine, config.text.max_src, config.text.max_tgt)

    def answers(self, texts: Sequence[str], options: DecodingOptions, n_best: int = 1) -> list[Answer]:
        """An answer to each text, whatever it is batched with.

        Args:
            n_best: how many different replies to look for, at most the beam.
        """
        found: list[Answer] = []
        for start in range(0, len(texts), BATCH):
            encoded = [self.tokenizer.encode(text, src=True) for text in texts[start : start + BATCH]]
            found += self._batch(encoded, options, n_best)
        return found

    def _batch(self, encoded: Sequence[Encoded], options: DecodingOptions, n_best: int) -> list[Answer]:
        asked = [row for row, question in enumerate(encoded) if question.ids]
        answers = [Answer()] * len(encoded)
        if not asked:
            return answers
        longest = options.max_tokens or self.max_tgt
        found = search(
            self.engine,
            [encoded[row].ids[-self.max_src :] for row in asked],
            beam=options.beam,
            n_best=max(n_best, min(options.beam, n_best + SPARE)),
            max_length=longest + 1,  # EOS counts there, and not here
            length_penalty=options.length_penalty,
            block_ngram=options.block_ngram,
        )
        for row, hypotheses in zip(asked, found, strict=True):
            ranked = self._ranked([hypothesis.within(longest) for hypothesis in hypotheses])
            cut = len(encoded[row].ids) > self.max_src
            answers[row] = Answer(encoded[row].offsets[-self.max_src :], cut, ranked[:n_best])
        return answers

    def _ranked(self, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[str, Hypothesis], ...]:
        """Hypotheses that read alike count once, the best one; silent ones come last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            texts.setdefault(self.tokenizer.decode(hypothesis.tokens).strip(), hypothesis)
        return tuple(sorted(texts.items(), key=lambda item: not item[0]))
