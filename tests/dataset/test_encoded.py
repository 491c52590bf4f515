"""Ids in flat arrays: what goes in comes out, from memory and from disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.dataset.encoded import EncodedPairs, EncodedWriter

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
    assert isinstance(again.src.base, np.memmap)
    for name in ("src", "src_starts", "tgt", "tgt_starts", "words"):
        stored, kept = getattr(again, name), getattr(pairs, name)
        assert stored.dtype == kept.dtype
        assert stored.tolist() == kept.tolist()


def test_no_pairs_can_be_stored(tmp_path: Path) -> None:
    EncodedPairs.from_lists([], [], [], 10).save(tmp_path, "none")
    assert len(EncodedPairs.load(tmp_path, "none")) == 0


@pytest.mark.parametrize("vocab", [100, 70_000])
@pytest.mark.parametrize("at_once", [1, 7, 50])
def test_pairs_written_some_at_a_time_are_those_saved_whole(
    make_pairs: Callable[..., EncodedPairs], tmp_path: Path, vocab: int, at_once: int
) -> None:
    pairs = make_pairs(50, vocab=vocab)
    rows = [[side.tolist() for side in pairs.pair(row)] for row in range(50)]
    with EncodedWriter(tmp_path, "written", vocab) as writer:
        for start in range(0, 50, at_once):
            some = slice(start, start + at_once)
            sources, replies = zip(*rows[some], strict=True)
            writer.append(sources, replies, pairs.words[some].tolist())
    pairs.save(tmp_path, "saved")
    for path in tmp_path.glob("written.*"):
        assert path.stat().st_mode & 0o077 == 0
        saved = np.load(path.with_name(path.name.replace("written", "saved")))
        written = np.load(path)
        assert written.dtype == saved.dtype
        assert written.tolist() == saved.tolist()


def test_nothing_written_is_no_pairs(tmp_path: Path) -> None:
    with EncodedWriter(tmp_path, "none", 10):
        pass
    assert len(EncodedPairs.load(tmp_path, "none")) == 0


def test_pairs_that_were_not_written_to_their_end_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), EncodedWriter(tmp_path, "torn", 10) as writer:  # noqa: PT012
        writer.append([[4]], [[5]], [1])
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match=r"magic|pickle"):
        EncodedPairs.load(tmp_path, "torn")


def test_stored_arrays_are_no_pickles(tmp_path: Path) -> None:
    """D33."""
    EncodedPairs.from_lists([[4]], [[5]], [1], 10).save(tmp_path, "x")
    np.save(tmp_path / "x.src.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"pickle|Python objects"):
        EncodedPairs.load(tmp_path, "x")
