"""A large corpus is shuffled by windows: every pair as often as asked for, any place found at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.dataset import windows as module
from chatbot.dataset.batches import TrainingBatches
from chatbot.dataset.bucketing import bucket
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import JoinedPairs, Pairs
from chatbot.dataset.windows import Placed, WholeEpoch, WindowedEpoch, epoch_rows, order_of

MakePairs = Callable[..., EncodedPairs]


def numbered(count: int, first: int = 0) -> EncodedPairs:
    """Pairs whose question is their number, of some lengths."""
    rows = [[n] * (1 + n % 5) for n in range(first, first + count)]
    return EncodedPairs.from_lists(rows, rows, [1] * count, 1 << 16)


def small(*sizes: int, times: Any = None, seed: int = 4, pairs: Pairs | None = None) -> WindowedEpoch:
    """Windows of 40 rows and blocks of 8 over corpora of these sizes."""
    chosen = pairs or numbered(sum(sizes))
    return WindowedEpoch(chosen, sizes, times or [1.0] * len(sizes), 60, seed, window=40, block=8)


def shown(batches: list[Placed]) -> list[list[int]]:
    """The numbers of the pairs of each batch."""
    return [[int(each.pairs.pair(int(row))[0][0]) for row in each.rows] for each in batches]


@given(st.lists(st.tuples(st.integers(1, 90), st.sampled_from([0.0, 0.3, 1.0, 2.5])), min_size=1, max_size=3))
def test_epoch_shows_each_pair_as_often_as_asked_for(corpora: list[tuple[int, float]]) -> None:
    sizes, times = [size for size, _ in corpora], [count for _, count in corpora]
    wanted = [round((count - int(count)) * size) + int(count) * size for size, count in corpora]
    if not sum(wanted):
        return
    counts = Counter(n for batch in shown(list(small(*sizes, times=times).batches(3, 0))) for n in batch)
    start = 0
    for (size, count), total in zip(corpora, wanted, strict=True):
        found = [counts.pop(row, 0) for row in range(start, start + size)]
        assert sum(found) == total
        assert all(int(count) <= each <= int(count) + 1 for each in found)
        start += size
    assert not counts


def test_no_window_is_larger_than_asked_for_and_neighbours_part() -> None:
    order = small(200)
    assert order.windows == 5
    batches = list(order.batches(0, 0))
    of_window = Counter(each.place // module.PLACES for each in batches for _ in each.rows)
    assert of_window == dict.fromkeys(range(5), 40)
    numbers = [n for batch in shown(batches) for n in batch]
    assert sum(abs(a - b) == 1 for a, b in pairwise(numbers)) < 20


def test_places_rise_within_an_epoch_and_stand_for_the_share_that_is_over() -> None:
    batches = list(small(200).batches(1, 0))
    places = [each.place for each in batches]
    assert places == sorted(set(places))
    assert places[0] == 0
    over = [each.place / each.places for each in batches]
    rows = np.cumsum([0, *(len(each.rows) for each in batches)][:-1]) / 200
    assert np.abs(np.array(over) - rows).max() < 0.05


@pytest.mark.parametrize("number", [0, 1, 5, 11, 24, -1])
def test_stream_goes_on_behind_any_batch(number: int) -> None:
    wanted = list(small(200).batches(2, 0))
    place = wanted[number].place
    after = wanted[len(wanted) + number :] if number < 0 else wanted[number:]
    assert shown(list(small(200).batches(2, place))) == shown(after)
    assert shown(list(small(200).batches(2, place + 1))) == shown(after[1:])


@given(st.integers(1, 3000), st.data())
def test_place_of_each_batch_is_found_again(count: int, data: st.DataObject) -> None:
    """The arithmetic alone, for any number of batches in a window."""
    number, places = data.draw(st.integers(0, count - 1)), module.PLACES
    place = number * places // count
    assert -(-place * count // places) == number
    assert -(-(place + 1) * count // places) == number + 1


def test_seed_and_epoch_alone_decide_the_order() -> None:
    first = shown(list(small(100).batches(0, 0)))
    assert first == shown(list(small(100).batches(0, 0)))
    assert first != shown(list(small(100).batches(1, 0)))
    assert first != shown(list(small(100, seed=5).batches(0, 0)))


def test_view_over_files_gives_the_order_of_a_copy(tmp_path: Path) -> None:
    parts = [numbered(70), numbered(50, first=70)]
    for number, part in enumerate(parts):
        part.save(tmp_path, f"train-{number}")
    view = JoinedPairs([EncodedPairs.load(tmp_path, f"train-{number}") for number in range(2)])
    assert shown(list(small(70, 50, pairs=view).batches(0, 0))) == shown(list(small(70, 50).batches(0, 0)))


def test_long_pairs_make_smaller_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert small(200).windows == 5
    monkeypatch.setattr(module, "WINDOW_TOKENS", 8 * 7 * 2)  # two blocks of 8 pairs of 7 tokens
    assert small(200).windows == 13


def test_epoch_that_fits_one_window_is_shuffled_as_it_ever_was(
    make_pairs: MakePairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = make_pairs(40)
    rng = np.random.default_rng([7, 2])
    wanted = bucket(pairs, epoch_rows((40,), (1.5,), rng), 90, rng)
    monkeypatch.setattr(module, "WINDOW", 60)
    order = order_of(pairs, (40,), (1.5,), 90, 7)
    assert isinstance(order, WholeEpoch)
    assert [each.rows.tolist() for each in order.batches(2, 0)] == [rows.tolist() for rows in wanted]
    monkeypatch.setattr(module, "WINDOW", 59)
    assert isinstance(order_of(pairs, (40,), (1.5,), 90, 7), WindowedEpoch)


@pytest.mark.parametrize("taken", [1, 17, 60])
def test_training_stream_over_windows_is_resumed_over_epochs(
    monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    monkeypatch.setattr(module, "WINDOW", 100)
    monkeypatch.setattr(module, "BLOCK", 8)
    monkeypatch.setattr(module.WindowedEpoch.__init__, "__defaults__", (40, 8))
    one, other = (TrainingBatches(numbered(150), (150,), (1.0,), 60, seed=7) for _ in range(2))
    whole = list(islice(one.stream(), 90))
    epoch, place, *_ = whole[taken - 1]
    resumed = list(islice(other.stream(epoch, place + 1), 90 - taken))
    assert [each[:3] for each in resumed] == [each[:3] for each in whole[taken:]]
    assert all(a[3].src.equal(b[3].src) for a, b in zip(resumed, whole[taken:], strict=True))
    assert whole[-1][0] >= 1
