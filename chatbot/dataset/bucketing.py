"""Bucketing: which pairs go together into a batch, so that little of it is padding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chatbot.dataset.joined import Pairs

SRC_STEP = 4
"""Questions are padded to a multiple of this, so that fewer shapes occur."""

ROWS_STEP = 8
"""Batches have a multiple of this many pairs, where they hold so many."""


def round_up(number: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-number // step) * step


def bucket(
    pairs: Pairs, rows: NDArray[np.int64], batch_tokens: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Group rows of like lengths.

    Rows are put in random order, then sorted by reply length and roughly by question length; a batch
    takes rows while its pairs times its longest question and reply together stay within
    ``batch_tokens``. Batches come back in random order, each row in exactly one.

    Sizes are rounded (ROWS_STEP, SRC_STEP): the processor's kernels are built and kept for each shape
    that occurs, and a thousand shapes cost two gigabytes and a fifth of the speed.
    """
    rows = rng.permutation(rows)
    src, tgt = pairs.lengths_at(rows)
    order = np.lexsort((src, tgt))
    rows, src, tgt = rows[order], -(-src[order] // SRC_STEP) * SRC_STEP, tgt[order]
    batches, start = [], 0
    while start < len(rows):
        end = start + _fitting(src[start:], tgt[start:], batch_tokens)
        batches.append(rows[start:end])
        start = end
    return [batches[i] for i in rng.permutation(len(batches))]


def _fitting(src: NDArray[np.int64], tgt: NDArray[np.int64], batch_tokens: int) -> int:
    """How many of the first rows make a batch: at least one."""
    most = max(1, batch_tokens // int(tgt[0] + 1))
    widest = np.maximum.accumulate(src[:most]) + np.maximum.accumulate(tgt[:most])
    fitting = int((widest * np.arange(1, len(widest) + 1) <= batch_tokens).sum())
    return max(1, fitting - fitting % ROWS_STEP if fitting >= ROWS_STEP else fitting)
