"""Focus: words of a question that the attention is drawn to, whatever engine answers.

    α'_j = w α_j / Σ,  for the tokens j of the words that are wanted;  α'_j = α_j / Σ for the others

Σ makes the weights sum to 1 again: with a weight w the score of a token is raised by ln w before positions
compete. Where an alignment lets only a part of the source compete (local, NTM) the rest stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import Bias, Candidates, Engine, State
from chatbot.engines.reading import Source


@runtime_checkable
class Focusing(Engine, Protocol):
    """An engine that may be told where to look more."""

    focuses: bool
    """Whether this one can be."""

    def focus(self, state: State, focus: NDArray[np.float32]) -> State:
        """The state of ``start`` with the scores of source tokens raised by so many nats.

        Shapes: focus [sources, src_len]
        """
        ...


def can_focus(engine: Engine) -> bool:
    """Whether an engine may be told where to look more."""
    return isinstance(engine, Focusing) and engine.focuses


@dataclass(slots=True)
class Focused:
    """An engine that looks more at some tokens of the sources it is started with.

    Args:
        wanted: for each source the nats by which the score of each of its tokens is raised.
    """

    engine: Focusing
    wanted: Sequence[Sequence[float]]
    vocab: int

    @classmethod
    def on(cls, engine: Engine, sources: Sequence[Source], words: Sequence[str], weight: float) -> Engine:
        """An engine that looks ``weight`` times as much at these words, where a source has them."""
        if not words:
            return engine
        assert isinstance(engine, Focusing)
        return cls(engine, [raised(source, words, weight) for source in sources], engine.vocab)

    def start(self, sources: Sequence[Sequence[int]]) -> State:
        """Read the sources, and look where it is wanted."""
        focus = np.zeros((len(sources), max(map(len, sources))), np.float32)
        for row, each in enumerate(self.wanted):
            focus[row, : len(each)] = each
        return self.engine.focus(self.engine.start(sources), focus)

    def step(self, tokens: NDArray[np.int64], state: State, k: int, bias: Bias | None = None) -> Candidates:
        """As the engine does."""
        return self.engine.step(tokens, state, k, bias)

    def vectors(self, sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """As the engine does."""
        return self.engine.vectors(sources)


def raised(source: Source, words: Sequence[str], weight: float) -> list[float]:
    """ln ``weight`` for each token of a source that belongs to one of the words, 0 for the others."""
    turns = (*source.history, source.question)
    found = [spans_of(text, words) for text in turns]
    latest = len(turns) - 1
    return [
        math.log(weight)
        if any(place.start < end and start < place.end for start, end in found[latest + place.turn])
        else 0.0
        for place in source.places
    ]


def spans_of(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where words and phrases stand in a text: as whole words, whatever their case."""
    from chatbot.text.words import word_spans

    spans = word_spans(text)
    said = [text[start:end].casefold() for start, end in spans]
    found = []
    for phrase in words:
        wanted = [phrase[start:end].casefold() for start, end in word_spans(phrase)]
        for first in range(len(said) - len(wanted) + 1):
            if wanted and said[first : first + len(wanted)] == wanted:
                found.append((spans[first][0], spans[first + len(wanted) - 1][1]))
    return found
