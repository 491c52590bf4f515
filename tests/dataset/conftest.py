"""Pairs of random ids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from chatbot.dataset.encoded import EncodedPairs

MakePairs = Callable[..., EncodedPairs]


@pytest.fixture(scope="session")
def make_pairs() -> MakePairs:
    """make_pairs(100, seed=0, longest=20): lengths as in chat, short ones most often."""

    def make(count: int, seed: int = 0, longest: int = 20, vocab: int = 100) -> EncodedPairs:
        random = np.random.default_rng(seed)

        def side() -> list[list[int]]:
            lengths = np.minimum(random.geometric(0.15, count), longest)
            return [random.integers(4, vocab, length).tolist() for length in lengths]

        return EncodedPairs.from_lists(side(), side(), random.integers(1, 9, count).tolist(), vocab)

    return make
