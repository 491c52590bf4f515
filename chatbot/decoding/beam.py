"""Beam search: the best few unfinished replies of each source, extended side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.blocking import Blocker
from chatbot.decoding.engine import EOS, Candidates, Engine
from chatbot.decoding.front import Front
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.decoding.limits import Limits, check_widths
from chatbot.decoding.shortlist import Shortlists
from chatbot.decoding.trellis import Trellis


def beam_search(
    engine: Engine, sources: Sequence[Sequence[int]], beam: int, n_best: int, limits: Limits
) -> list[list[Hypothesis]]:
    """The n best hypotheses found for each source, best first, all sources side by side.

    1. Every row is asked for its ``beam`` best next tokens, in one step of the engine.
    2. A source takes the ``beam`` best continuations over all its rows, by log-probability: they are
       of one length, so nothing needs normalising.
    3. Those that end with EOS are put away with their final score; the others are the next rows. An
       ended one takes its place in this step only. So beam 1 is greedy search.
    4. A row that can no longer get among the n best leaves the batch (``Shortlists.hopeful``); a
       source is finished when its last row has. Rows that reach ``max_length`` are cut.

    Hypotheses differ by construction: a row's continuations do, and so does all that follows them.

    Raises:
        OptionError: n_best is more than beam, or one of them is below 1.
    """
    check_widths(beam, n_best)
    if not sources:
        return []
    trellis, blocker = Trellis(), Blocker(limits.never, limits.block_ngram, len(sources))
    shortlists = Shortlists(len(sources), n_best, limits)
    front, state = Front.first(len(sources)), engine.start(sources)
    for length in range(1, limits.max_length + 1):
        found = engine.step(front.tokens, state, min(beam, engine.vocab), blocker.bias())
        stuck = np.flatnonzero(~(found.log_probs[:, 0] > -np.inf))
        shortlists.add_cut(front, stuck, length - 1)
        rows, grown = _extend(front, found, beam)
        trellis.grow(front.nodes[rows], grown.tokens, found.weights[rows])
        is_end = grown.tokens == EOS
        shortlists.add_ended(grown, np.flatnonzero(is_end), length)
        stays = np.flatnonzero(~is_end)
        if length == limits.max_length:
            shortlists.add_cut(grown, stays, length)
            break
        stays = shortlists.hopeful(grown, stays)
        if not len(stays):
            break
        front, rows = grown.take(stays), rows[stays]
        state = found.state.select(rows)
        blocker.follow(rows, front.tokens)
    return shortlists.hypotheses(trellis, sources)


def _extend(front: Front, found: Candidates, beam: int) -> tuple[NDArray[np.int64], Front]:
    """Each source's ``beam`` best continuations of its rows, and the row that each continues.

    Equal ones keep the order of their rows and, within a row, the engine's.
    """
    k = found.log_probs.shape[1]
    totals = (front.log_probs[:, None] + found.log_probs).ravel()  # [rows * k]
    # The rows of a source stand together, so sorting by owner first keeps each source's block where
    # it was, and a place in its block is the rank within the source.
    order = np.lexsort((-totals, np.repeat(front.owners, k)))
    block_starts = np.searchsorted(front.owners, front.owners) * k  # [rows]
    ranks = np.arange(len(totals)) - np.repeat(block_starts, k)
    best = order[(ranks < beam) & (totals[order] > -np.inf)]
    rows, columns = np.divmod(best, k)
    grown = Front(front.owners[rows], np.arange(len(rows)), found.tokens[rows, columns], totals[best])
    return rows, grown
