"""Ranking: is the true reply found among others? Hits@k of 20, as retrieval models are judged.

Source: Lowe et al. 2015, section 4.3 (recall@k); Zhang et al. 2018 ("Personalizing Dialogue Agents",
section 5: hits@1 of 20).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

CANDIDATES = 20
"""The true reply and 19 others."""


def drawn(replies: Sequence[str], seed: int, candidates: int = CANDIDATES) -> NDArray[np.int64] | None:
    """For each question the places of its candidates: its own reply first, then others that read otherwise.

    Every question's draw is uniform over the replies that differ from its own in more than case and
    white space, without one text twice.

    Returns:
        None where there are fewer than ``candidates`` different replies.

    Shapes: [replies, candidates]
    """
    _, first, texts = np.unique(
        [" ".join(reply.casefold().split()) for reply in replies], return_index=True, return_inverse=True
    )
    if len(first) < candidates:
        return None
    random = np.random.default_rng(seed)
    found = np.empty((len(replies), candidates), dtype=np.int64)
    for row, own in enumerate(texts):
        others = random.choice(len(first) - 1, candidates - 1, replace=False)
        found[row] = [row, *first[others + (others >= own)]]
    return found


def hits(scores: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Whether the first candidate of each row is among the k best; a tie is decided by lot, on average.

    Where g others are better and e are equally good it is min(1, max(0, k - g) / (e + 1)).

    Shapes: scores [questions, candidates] -> [questions]
    """
    better = (scores[:, 1:] > scores[:, :1]).sum(1)
    equal = (scores[:, 1:] == scores[:, :1]).sum(1)
    return np.asarray(np.clip((k - better) / (equal + 1), 0.0, 1.0))
