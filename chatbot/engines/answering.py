"""Answering: text questions through an engine to ranked replies, in batches or token by token."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.config import COPYING, Config, DecodingOptions
from chatbot.decoding.engine import Engine
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.search import search
from chatbot.decoding.stream import Said, stream
from chatbot.engines.reading import Reader, Source
from chatbot.text.tokenizer import Tokenizer

BATCH = 64
"""Questions searched for together."""

SPARE = 4
"""Further hypotheses asked for, since two may read alike."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for one question.

    Args:
        source: what was read; None where nothing was asked.
        ranked: different texts, best first, each with its hypothesis; () where nothing was asked.
    """

    source: Source | None = None
    ranked: tuple[tuple[str, Hypothesis], ...] = ()

    @property
    def text(self) -> str:
        """The best reply."""
        return self.ranked[0][0] if self.ranked else ""

    @property
    def words(self) -> tuple[str, ...]:
        """What the hypotheses' ids beyond the vocabulary spell."""
        return self.source.words if self.source else ()


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers text. Several threads may ask it at once.

    Args:
        tokenizer, engine: of the same checkpoint.
        max_src: of a longer question the last so many tokens are read.
        max_tgt: longest reply in tokens, unless the options say otherwise.
        extends: the engine can say words of a question that the vocabulary lacks.
        context: so many of the turns before a question are read.
    """

    tokenizer: Tokenizer
    engine: Engine
    max_src: int
    max_tgt: int
    extends: bool = False
    context: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Held while the engine computes: a batch of a search, or a step of a stream."""

    @classmethod
    def of(cls, config: Config, tokenizer: Tokenizer, engine: Engine, turns: int | None = None) -> Answering:
        """With the lengths and the output of a configuration.

        Args:
            turns: the context it was trained with; None: what the configuration says.
        """
        extends = config.model.output in COPYING
        context = config.data.context if turns is None else turns
        return cls(tokenizer, engine, config.text.max_src, config.text.max_tgt, extends, context)

    @property
    def reader(self) -> Reader:
        """What makes ids of questions."""
        return Reader(self.tokenizer, self.max_src, self.extends, self.context)

    def answers(
        self,
        texts: Sequence[str],
        options: DecodingOptions,
        n_best: int = 1,
        histories: Sequence[Sequence[str]] = (),
    ) -> list[Answer]:
        """An answer to each text, whatever it is batched with: those of like length are, as they pad least.

        Args:
            n_best: how many different replies to look for, at most the beam.
            histories: the turns before each text, oldest first; () where there are none.
        """
        reader = self.reader
        read = [reader.read(*asked) for asked in zip(texts, histories or [()] * len(texts), strict=True)]
        found = [Answer()] * len(read)
        asked = [(row, source) for row, source in enumerate(read) if source]
        asked.sort(key=lambda each: len(each[1].ids))
        for start in range(0, len(asked), BATCH):
            batch = asked[start : start + BATCH]
            answers = self._batch([source for _, source in batch], options, n_best)
            for (row, _), answer in zip(batch, answers, strict=True):
                found[row] = answer
        return found

    def stream(
        self, text: str, options: DecodingOptions, history: Sequence[str] = ()
    ) -> Iterator[str | Answer]:
        """The reply piece by piece while it is decoded, none of which is taken back; at last the answer.

        The pieces are whole characters, and joined they are the answer's text.
        """
        source = self.reader.read(text, history)
        if not source:
            yield Answer()
            return
        longest = options.max_tokens or self.max_tgt
        steps = stream(self.engine, source.ids, **self._limits(options))
        said: list[int] = []
        shown = ""
        while not isinstance(step := self._next(steps), Hypothesis):
            said.append(step.token)
            # White space at the end may be the reply's end, where it is left out.
            if len(said) <= longest and (so_far := self._text(said, source)) != shown:
                yield so_far[len(shown) :]
                shown = so_far
        hypothesis = step.within(longest)
        yield Answer(source, ((self._text(hypothesis.tokens, source), hypothesis),))

    def _next(self, steps: Iterator[Said | Hypothesis]) -> Said | Hypothesis:
        with self._lock:
            return next(steps)

    def _batch(self, sources: Sequence[Source], options: DecodingOptions, n_best: int) -> list[Answer]:
        longest = options.max_tokens or self.max_tgt
        with self._lock:
            found = search(
                self.engine,
                [source.ids for source in sources],
                beam=options.beam,
                n_best=max(n_best, min(options.beam, n_best + SPARE)),
                **self._limits(options),
            )
        answers = []
        for source, hypotheses in zip(sources, found, strict=True):
            ranked = self._ranked([hypothesis.within(longest) for hypothesis in hypotheses], source)
            answers.append(Answer(source, ranked[:n_best]))
        return answers

    def _limits(self, options: DecodingOptions) -> dict[str, Any]:
        """What holds for every reply of a search, by the names the searches give it."""
        return {
            "max_length": (options.max_tokens or self.max_tgt) + 1,  # EOS counts there, and not here
            "length_penalty": options.length_penalty,
            "block_ngram": options.block_ngram,
        }

    def _ranked(self, hypotheses: Sequence[Hypothesis], source: Source) -> tuple[tuple[str, Hypothesis], ...]:
        """Hypotheses that read alike count once, the best one; silent ones come last."""
        texts: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            texts.setdefault(self._text(hypothesis.tokens, source), hypothesis)
        return tuple(sorted(texts.items(), key=lambda item: not item[0]))

    def _text(self, tokens: Sequence[int], source: Source) -> str:
        return self.tokenizer.decode(tokens, source.words).strip()
