"""The ways in to every search: all replies at once, or one as it is being said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import BOS, PAD, UNK, Engine
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits, check_widths
from chatbot.decoding.sampling import Sampling
from chatbot.decoding.terms import Prior, Terms


class Way(Protocol):
    """How replies are searched for: ``Greedy``, ``Beam`` or ``Sampling``."""

    def find(
        self, engine: Engine, sources: Sequence[Sequence[int]], terms: Terms, n_best: int = 1
    ) -> list[list[Hypothesis]]:
        """Replies to each source: at most ``n_best``, the best or first one first, no two alike.

        Ended ones come before those cut at the maximum length (but samples keep the order they are
        drawn in). At least one is found, unless there are demands that cannot be met. A source's
        replies do not depend on what else is in the batch, as far as the engine's numbers do not.
        """
        ...


@dataclass(frozen=True, slots=True)
class Said:
    """A token of a reply, at the moment it is chosen.

    Args:
        weights: [src_len], what it looked at.
        log_prob: of the reply up to it.
    """

    token: int
    weights: NDArray[np.float32]
    log_prob: float


def search(
    engine: Engine,
    sources: Sequence[Sequence[int]],
    *,
    beam: int,
    n_best: int = 1,
    max_length: int,
    length_penalty: float = 1.0,
    block_ngram: int = 0,
    never: Sequence[int] = (PAD, UNK, BOS),
    prior: Prior | None = None,
) -> list[list[Hypothesis]]:
    """Find replies by beam search, or by greedy search where the beam is 1, on the commonest terms.

    Whatever else there is to wish is said by a ``Way`` and ``Terms``.

    Args:
        beam: hypotheses kept side by side; 1 is greedy search.
        max_length, length_penalty, block_ngram, never: see ``Limits``.
        prior: see ``Terms``.

    Raises:
        OptionError: a number out of its range, or n_best more than beam.
    """
    check_widths(beam, n_best)
    terms = Terms(Limits(max_length, length_penalty, block_ngram, tuple(never)), prior=prior)
    way: Way = Greedy() if beam == 1 else Beam(beam)
    return way.find(engine, sources, terms, n_best)


def stream(
    engine: Engine, source: Sequence[int], terms: Terms, way: Greedy | Sampling
) -> Iterator[Said | Hypothesis]:
    """Say a reply token by token as it is chosen, and at last the whole: the first that ``find`` gives.

    The beginning that terms may ask for comes first, token by token as well.
    """
    walk = way.walk(engine, [source], terms)
    for front, weights in walk.steps():
        for row, token in enumerate(front.tokens.tolist()):
            yield Said(token, weights[row, : len(source)], float(front.log_probs[row]))
    [hypothesis] = walk.hypotheses()
    yield hypothesis
