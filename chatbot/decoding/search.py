"""One way in to every search."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.decoding.beam import beam_search
from chatbot.decoding.engine import BOS, PAD, UNK, Engine
from chatbot.decoding.greedy import greedy
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits, check_widths


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
) -> list[list[Hypothesis]]:
    """Find replies to each source: at least one, at most ``n_best``, best first, no two alike.

    Ended ones come before those cut at ``max_length``. A source's replies do not depend on what else
    is in the batch, as far as the engine's numbers do not.

    Args:
        beam: hypotheses kept side by side; 1 is greedy search.
        max_length, length_penalty, block_ngram, never: see ``Limits``.

    Raises:
        OptionError: a number out of its range, or n_best more than beam.
    """
    check_widths(beam, n_best)
    limits = Limits(max_length, length_penalty, block_ngram, tuple(never))
    if beam == 1:
        return [[hypothesis] for hypothesis in greedy(engine, sources, limits)]
    return beam_search(engine, sources, beam, n_best, limits)
