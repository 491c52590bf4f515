"""Ids in flat arrays: what goes in comes out, from memory and from disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.dataset.encoded import EncodedPairs

IDS = st.lists(st.integers(0, 65_535), max_size=6)


@given(st.lists(st.tuples(IDS, IDS, st.integers(0, 9))))
def test_pairs_come_out_as_they_went_in(rows: list[tuple[list[int], list[int], int]]) -> None:
    sources, replies, words = ([row[side] for row in rows] for side in range(3))
    pairs = EncodedPairs.from_lists(sources, replies, words, 65_536)
    assert len(pairs) == len(rows)
    found = [pairs.pair(row) for row in range(len(rows))]
    assert [(src.tolist(), tgt.tolist()) for src, tgt in found] == [(src, tgt) for src, tgt, _ in rows]
    assert pairs.src_lengths.tolist() == [len(src) for src in sources]
    assert pairs.tgt_lengths.tolist() == [len(tgt) + 1 for tgt in replies]


@pytest.mark.parametrize(("vocab", "size"), [(65_536, 2), (65_537, 4)])
def test_ids_take_the_smallest_type_that_holds_them(vocab: int, size: int) -> None:
    pairs = EncodedPairs.from_lists([[vocab - 1]], [[4]], [1], vocab)
    assert pairs.src.itemsize == size
    assert pairs.pair(0)[0].tolist() == [vocab - 1]


def test_stored_pairs_are_mapped_not_read(make_pairs: Callable[..., EncodedPairs], tmp_path: Path) -> None:
    pairs = make_pairs(50)
    pairs.save(tmp_path, "train")
    again = EncodedPairs.load(tmp_path, "train")
    assert isinstance(again.src, np.memmap)
    for name in ("src", "src_starts", "tgt", "tgt_starts", "words"):
        stored, kept = getattr(again, name), getattr(pairs, name)
        assert stored.dtype == kept.dtype
        assert stored.tolist() == kept.tolist()


def test_no_pairs_can_be_stored(tmp_path: Path) -> None:
    EncodedPairs.from_lists([], [], [], 10).save(tmp_path, "none")
    assert len(EncodedPairs.load(tmp_path, "none")) == 0


def test_stored_arrays_are_no_pickles(tmp_path: Path) -> None:
    """D33."""
    EncodedPairs.from_lists([[4]], [[5]], [1], 10).save(tmp_path, "x")
    np.save(tmp_path / "x.src.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"pickle|Python objects"):
        EncodedPairs.load(tmp_path, "x")
