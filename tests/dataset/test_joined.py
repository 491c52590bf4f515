"""Several sets of pairs as one are what they are one after the other in memory."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import JoinedPairs, Pairs, chunks, concatenate, joined, pieces, release, take

MakePairs = Callable[..., EncodedPairs]


def rows_of(pairs: Pairs) -> list[tuple[list[int], list[int]]]:
    return [(src.tolist(), tgt.tolist()) for src, tgt in map(pairs.pair, range(len(pairs)))]


@pytest.fixture
def parts(make_pairs: MakePairs, tmp_path: Path) -> list[EncodedPairs]:
    """Three sets, one empty, one memory-mapped."""
    make_pairs(13, seed=2).save(tmp_path, "train-0")
    return [make_pairs(7, seed=1), make_pairs(0), EncodedPairs.load(tmp_path, "train-0")]


def test_joined_pairs_are_those_of_a_copy(parts: list[EncodedPairs]) -> None:
    view, copy = JoinedPairs(parts), concatenate(parts)
    rows = np.array([19, 0, 6, 7, 7, 12])
    assert rows_of(view) == rows_of(copy)
    assert view.tokens == copy.tokens == int(copy.src_lengths.sum() + copy.tgt_lengths.sum())
    for found, wanted in zip(view.lengths_at(rows), copy.lengths_at(rows), strict=True):
        assert found.tolist() == wanted.tolist()
    assert copy.lengths_at(rows)[0].tolist() == copy.src_lengths[rows].tolist()
    assert copy.lengths_at(rows)[1].tolist() == copy.tgt_lengths[rows].tolist()
    assert view.words_at(rows).tolist() == copy.words[rows].tolist()


@pytest.mark.parametrize(("start", "stop"), [(0, 20), (0, 7), (3, 9), (7, 8), (11, 20), (5, 5)])
def test_views_are_neighbouring_rows(parts: list[EncodedPairs], start: int, stop: int) -> None:
    view = JoinedPairs(parts)
    found = [row for part in view.views(start, stop) for row in rows_of(part)]
    assert found == rows_of(view)[start:stop]


def test_selected_rows_are_in_memory_in_their_order(make_pairs: MakePairs) -> None:
    pairs = make_pairs(9)
    chosen = pairs.select(np.array([8, 2, 2]))
    assert rows_of(chosen) == [rows_of(pairs)[row] for row in (8, 2, 2)]
    assert chosen.words.tolist() == pairs.words[[8, 2, 2]].tolist()
    assert chosen.src.dtype == pairs.src.dtype


def test_one_set_is_itself(make_pairs: MakePairs) -> None:
    pairs = make_pairs(3)
    assert joined([pairs]) is pairs
    assert concatenate([pairs]) is pairs
    assert take(pairs, 3) is pairs


@pytest.mark.parametrize("most", [1, 4, 19, 20, 21])
def test_taking_from_a_view_is_taking_from_a_copy(parts: list[EncodedPairs], most: int) -> None:
    assert rows_of(take(JoinedPairs(parts), most)) == rows_of(take(concatenate(parts), most))


def test_taking_from_nothing_is_nothing() -> None:
    assert len(take(JoinedPairs([]), 5)) == 0


@pytest.mark.parametrize("most", [1, 6, 20, 50])
def test_pieces_and_chunks_are_all_in_order(parts: list[EncodedPairs], most: int) -> None:
    view = JoinedPairs(parts)
    found = list(pieces(view, most))
    assert [row for piece in found for row in rows_of(piece)] == rows_of(view)
    assert all(len(piece) <= most for piece in found)
    ids = parts[2].src
    assert np.concatenate(list(chunks(ids, most))).tolist() == ids.tolist()


def test_released_pages_are_read_again(make_pairs: MakePairs, parts: list[EncodedPairs]) -> None:
    view = JoinedPairs(parts)
    before = rows_of(view)
    release(view)
    assert rows_of(view) == before


def resident() -> int:
    """Bytes of memory this process has, mapped pages among them."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_release_gives_memory_back(tmp_path: Path) -> None:
    count = 1 << 21
    ones, starts = np.ones(count * 8, dtype=np.uint16), np.arange(0, count * 8 + 1, 8)
    EncodedPairs(ones, starts, ones, starts, np.ones(count, dtype=np.int32)).save(tmp_path, "train-0")
    del ones, starts
    pairs = EncodedPairs.load(tmp_path, "train-0")
    assert int(pairs.src.sum() + pairs.tgt.sum()) == 2 * 8 * count
    full = resident()
    release(pairs)
    assert full - resident() > 0.8 * (pairs.src.nbytes + pairs.tgt.nbytes)
