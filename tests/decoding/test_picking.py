from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.limits import Limits
from chatbot.decoding.picking import best_of
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError

SOURCE = [0, 5, 6]
FULL = 3**3 * 4


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 9), st.data())
def test_best_of_takes_what_a_sort_of_each_owner_takes(sizes, k, most, data):
    owners = np.repeat(np.arange(len(sizes)) * 2, sizes)
    cell = st.sampled_from([-3.0, -2.0, -1.0, -np.inf])
    table = st.lists(st.lists(cell, min_size=k, max_size=k), min_size=sum(sizes), max_size=sum(sizes))
    totals = np.array(data.draw(table))
    expected = []
    for owner in np.unique(owners):
        cells = [(-totals[r, c], r, c) for r in np.flatnonzero(owners == owner) for c in range(k)]
        expected += [(r, c) for cost, r, c in sorted(cells)[:most] if cost < np.inf]
    rows, columns = best_of(owners, totals, most)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == expected


@pytest.mark.parametrize("groups", [2, 3])
def test_groups_as_wide_as_everything_find_everything(make_engine, twins, groups):
    limits = Limits(4, 0.6)
    for seed in range(4):
        engine = make_engine(seed)
        every = list(twins.everything(engine, SOURCE, limits))
        way = Beam(FULL * groups, groups, 0.8)
        [found] = way.find(engine, [SOURCE], Terms(limits), len(every))
        assert sorted(tokens_of(found)) == sorted(every)
        assert found[0].tokens == twins.ranked(engine, SOURCE, every, limits)[0]


def test_second_group_shuns_what_the_first_says(engine_of):
    # The likeliest is 4; 5 is 1 nat less likely, which a price of 1.1 on 4 is worth.
    engine = engine_of({(0, BOS): {4: 0.7, 5: 0.7 / np.e}, (1, 4): {EOS: 1.0}, (1, 5): {EOS: 1.0, 6: 0.0}})
    for diversity, second in ((1.1, [(5, EOS)]), (0.9, [])):
        [found] = Beam(2, 2, diversity).find(engine, [SOURCE], Terms(Limits(5)), 2)
        assert tokens_of(found) == [(4, EOS), *second]
    assert found[0].score == pytest.approx(np.log(0.7) / (7 / 6))  # no price in the score


def test_groups_differ_in_their_first_token(make_engine):
    engine = make_engine(4, vocab=12, sources=10, spread=2.0)
    found = Beam(3, 3, 50.0).find(engine, [[i] for i in range(10)], Terms(Limits(6)), 3)
    for replies in found:
        assert len({tokens[0] for tokens in tokens_of(replies)}) == 3


@given(st.integers(0, 10**6), st.sampled_from([(4, 2), (6, 3), (3, 3)]), st.floats(0, 2))
def test_groups_give_no_reply_twice(make_engine, twins, seed, widths, diversity):
    beam, groups = widths
    engine = make_engine(seed, vocab=8, sources=3, holes=0.2)
    limits = Limits(8)
    for source, found in zip(
        [[0], [1], [2]],
        Beam(beam, groups, diversity).find(engine, [[0], [1], [2]], Terms(limits), beam),
        strict=True,
    ):
        assert 1 <= len(found) == len(set(tokens_of(found))) <= beam
        best = max((h for h in found if EOS in h.tokens), key=lambda h: h.score, default=None)
        assert best is None or found[0].score == best.score
        for hypothesis in found:
            assert hypothesis.score == pytest.approx(twins.score(engine, source, hypothesis.tokens, limits))


def test_pruning_leaves_out_what_is_far_below_the_best(make_engine, twins):
    limits = Limits(7)
    lost = 0
    for seed in range(20):
        engine = make_engine(seed, vocab=9, spread=2.0)
        [everything] = Beam(6).find(engine, [SOURCE], Terms(limits), 6)
        [found] = Beam(6, prune=1.0).find(engine, [SOURCE], Terms(limits), 6)
        for tokens in tokens_of(found):
            for i, token in enumerate(tokens):
                row = engine.row(SOURCE, (BOS, *tokens[:i])).copy()
                row[:3] = -np.inf
                assert row[token] >= row.max() - 1.0
        ended = [h.score for h in found if EOS in h.tokens]
        assert not ended or min(ended) >= max(ended) - 1.0
        lost += len(everything) - len(found)
    assert lost > 0


@pytest.mark.parametrize("seed", range(5))
def test_pruning_that_reaches_nothing_changes_nothing(make_engine, seed):
    engine = make_engine(seed, vocab=9)
    plain, pruned = (Beam(5, prune=p).find(engine, [SOURCE], Terms(Limits(7)), 5) for p in (0, 1e6))
    assert tokens_of(plain[0]) == tokens_of(pruned[0])


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"groups": 3}, "beam_groups"),
        ({"groups": 0}, "beam_groups"),
        ({"diversity": -1.0}, "diversity"),
        ({"prune": float("nan")}, "prune"),
    ],
)
def test_beams_out_of_range_are_refused_by_name(options, name):
    with pytest.raises(OptionError, match=name):
        Beam(4, **options)
