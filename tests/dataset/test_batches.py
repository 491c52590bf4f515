"""Batches hold every pair as often as asked for, lengths alike, in an order the seed alone decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chatbot.dataset.batches import (
    Batch,
    TrainingBatches,
    bucket,
    collate,
    evaluation_batches,
)
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.windows import epoch_rows
from chatbot.errors import OptionError

MakePairs = Callable[..., EncodedPairs]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_decoder_is_fed_the_reply_behind_bos_and_learns_it_before_eos() -> None:
    """D39: inputs BOS a b c, targets a b c EOS."""
    a, b, c = 10, 11, 12
    batch = collate(EncodedPairs.from_lists([[7, 8], [9]], [[a, b, c], [a]], [2, 1], 20), [0, 1])
    assert batch.src.tolist() == [[7, 8, 0, 0], [9, 0, 0, 0]]
    assert batch.tgt_in.tolist() == [[2, a, b, c], [2, a, 0, 0]]
    assert batch.tgt_out.tolist() == [[a, b, c, 3], [a, 3, 0, 0]]
    assert batch.words == 2 + 1 + 1 + 1
    assert batch.src.dtype == batch.tgt_in.dtype == torch.int64


def test_batch_on_its_own_device_is_itself() -> None:
    batch = collate(EncodedPairs.from_lists([[7]], [[8]], [1], 20), [0])
    assert batch.to(torch.device("cpu")) is batch


@given(st.integers(0, 60), st.integers(1, 100), st.integers(0, 9))
def test_bucket_holds_each_row_once_and_keeps_to_its_size(
    make_pairs: MakePairs, count: int, size: int, seed: int
) -> None:
    pairs = make_pairs(60)
    rows = rng(seed).choice(60, count, replace=False)
    batches = bucket(pairs, rows, size, rng(seed))
    assert sorted(np.concatenate([*batches, rows[:0]]).tolist()) == sorted(rows.tolist())
    for batch in batches:
        longest = int(pairs.src_lengths[batch].max() + pairs.tgt_lengths[batch].max())
        assert len(batch) * longest <= size or len(batch) == 1


def padding_share(batches: list[Batch]) -> float:
    """Share of padding among the target positions, which cost most."""
    return sum(int((b.tgt_out == 0).sum()) for b in batches) / sum(b.tgt_out.numel() for b in batches)


def test_padding_is_rare(make_pairs: MakePairs) -> None:
    pairs = make_pairs(2000)
    bucketed = [collate(pairs, rows) for rows in bucket(pairs, np.arange(2000), 480, rng())]
    mixed = [collate(pairs, range(start, start + 32)) for start in range(0, 1984, 32)]
    assert padding_share(mixed) > 0.5
    assert padding_share(bucketed) < 0.02


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 2.5])), max_size=4))
def test_epoch_shows_each_pair_as_often_as_asked_for(corpora: list[tuple[int, float]]) -> None:
    sizes, times = [size for size, _ in corpora], [count for _, count in corpora]
    counts = Counter(epoch_rows(sizes, times, rng()).tolist())
    start = 0
    for size, wanted in corpora:
        shown = [counts.pop(row, 0) for row in range(start, start + size)]
        assert sum(shown) == round((wanted - int(wanted)) * size) + int(wanted) * size
        assert all(int(wanted) <= count <= int(wanted) + 1 for count in shown)
        start += size
    assert not counts


def test_epochs_differ_in_order_and_in_what_is_shown_once_more(make_pairs: MakePairs) -> None:
    batches = TrainingBatches(make_pairs(30), (10, 20), (2.5, 1.0), 60, seed=4)
    first, second = (Counter(np.concatenate(batches.epoch(number)).tolist()) for number in (0, 1))
    assert first.total() == second.total() == 45
    assert first != second
    assert all(first[row] == second[row] == 1 for row in range(10, 30))
    assert [rows.tolist() for rows in batches.epoch(0)] != [rows.tolist() for rows in batches.epoch(1)]


@pytest.mark.parametrize(("epoch", "index"), [(0, 0), (0, 3), (1, 2), (2, 0)])
def test_stream_goes_on_from_any_place(make_pairs: MakePairs, epoch: int, index: int) -> None:
    """What a resumed run sees is what an uninterrupted one sees, through two objects of one seed."""
    one, other = (TrainingBatches(make_pairs(40), (40,), (1.5,), 90, seed=7) for _ in range(2))
    whole = {(e, i): (count, batch) for e, i, count, batch in islice(one.stream(), 60)}
    resumed = list(islice(other.stream(epoch, index), 8))
    assert resumed[0][:2] == (epoch, index)
    for e, i, count, batch in resumed:
        expected = whole[e, i]
        assert count == expected[0]
        assert torch.equal(batch.src, expected[1].src)
        assert torch.equal(batch.tgt_out, expected[1].tgt_out)


@pytest.mark.parametrize("times", [(0.0, 0.0), (0.01, 0.0)])
def test_a_mix_without_a_pair_is_refused(make_pairs: MakePairs, times: tuple[float, float]) -> None:
    """A stream without batches would look for one for ever."""
    with pytest.raises(OptionError, match="--mix"):
        TrainingBatches(make_pairs(30), (10, 20), times, 90, seed=0)


def test_another_seed_is_another_order(make_pairs: MakePairs) -> None:
    orders = [
        [rows.tolist() for rows in TrainingBatches(make_pairs(40), (40,), (1.0,), 90, seed=seed).epoch(0)]
        for seed in (1, 2)
    ]
    assert orders[0] != orders[1]


def test_evaluation_sees_each_pair_once_always_in_the_same_batches(make_pairs: MakePairs) -> None:
    pairs = make_pairs(50)
    once, again = (
        [(rows.tolist(), batch.words) for rows, batch in evaluation_batches(pairs, 100)] for _ in range(2)
    )
    assert once == again
    assert sorted(row for rows, _ in once for row in rows) == list(range(50))
    assert sum(words for _, words in once) == int(pairs.words.sum()) + 50
