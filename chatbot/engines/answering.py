"""Answering: text questions through an engine to ranked replies, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.config import COPYING, Config, DecodingOptions
from chatbot.decoding.engine import Engine
from chatbot.decoding.forced import forced
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.search import search
from chatbot.text.extension import Extended, extend, extended_reply
from chatbot.text.tokenizer import EOS, Encoded, Tokenizer

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
        words: of the question, that the vocabulary lacks and the hypotheses may hold, see ``Extended``.
    """

    offsets: tuple[tuple[int, int], ...] = ()
    truncated: bool = False
    ranked: tuple[tuple[str, Hypothesis], ...] = ()
    words: tuple[str, ...] = ()

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
        extends: the engine can say words of a question that the vocabulary lacks.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int
    max_tgt: int
    extends: bool = False

    @classmethod
    def of(cls, config: Config, tokenizer: Tokenizer, engine: Engine) -> Answering:
        """With the lengths and the output of a configuration."""
        extends = config.model.output in COPYING
        return cls(tokenizer, engine, config.text.max_src, config.text.max_tgt, extends)

    def answers(self, texts: Sequence[str], options: DecodingOptions, n_best: int = 1) -> list[Answer]:
        """An answer to each text, whatever it is batched with.

        Args:
            n_best: how many different replies to look for, at most the beam.
        """
        found: list[Answer] = []
        for start in range(0, len(texts), BATCH):
            found += self._batch(texts[start : start + BATCH], options, n_best)
        return found

    def given(self, text: str, reply: str) -> Answer:
        """A given reply to a text, as if the model had said it; () where one of the two has no token."""
        encoded = self.tokenizer.encode(text, src=True)
        question = self._read(text, encoded)
        said = self._said(reply, question.words)
        if not (question.ids and said):
            return Answer()
        (hypothesis,) = forced(self.engine, [question.ids], [[*said, EOS]])
        cut = len(question.ids) < len(encoded.ids)
        return Answer(question.offsets, cut, ((reply, hypothesis),), question.words)

    def _said(self, reply: str, words: Sequence[str]) -> list[int]:
        if self.extends:
            return extended_reply(self.tokenizer, reply, words)
        return list(self.tokenizer.encode(reply).ids)

    def _batch(self, texts: Sequence[str], options: DecodingOptions, n_best: int) -> list[Answer]:
        encoded = [self.tokenizer.encode(text, src=True) for text in texts]
        asked = [row for row, question in enumerate(encoded) if question.ids]
        answers = [Answer()] * len(encoded)
        if not asked:
            return answers
        read = [self._read(texts[row], encoded[row]) for row in asked]
        longest = options.max_tokens or self.max_tgt
        found = search(
            self.engine,
            [question.ids for question in read],
            beam=options.beam,
            n_best=max(n_best, min(options.beam, n_best + SPARE)),
            max_length=longest + 1,  # EOS counts there, and not here
            length_penalty=options.length_penalty,
            block_ngram=options.block_ngram,
        )
        for row, question, hypotheses in zip(asked, read, found, strict=True):
            ranked = self._ranked([hypothesis.within(longest) for hypothesis in hypotheses], question.words)
            cut = len(question.ids) < len(encoded[row].ids)
            answers[row] = Answer(question.offsets, cut, ranked[:n_best], question.words)
        return answers

    def _read(self, text: str, encoded: Encoded) -> Extended:
        """What is read of a question."""
        read = encoded.last(self.max_src)
        return extend(self.tokenizer, text, read) if self.extends else Extended(read.ids, read.offsets)

    def _ranked(
        self, hypotheses: Sequence[Hypothesis], words: Sequence[str]
    ) -> tuple[tuple[str, Hypothesis], ...]:
        """Hypotheses that read alike count once, the best one; silent ones come last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            texts.setdefault(self.tokenizer.decode(hypothesis.tokens, words).strip(), hypothesis)
        return tuple(sorted(texts.items(), key=lambda item: not item[0]))
