from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.decoding.beam import Beam
from chatbot.decoding.demands import Demand, Demands
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError

SOURCE = [0, 5, 6]
FULL = 3**3 * 4
DEMANDS = [
    Demands((Demand(((4,),)),)),
    Demands((Demand(((4, 5),)),)),
    Demands((Demand(((4, 5),), frozenset({6})),)),
    Demands((Demand(((4, 5), (6,)), frozenset({4})),)),
    Demands((Demand(((5, 5),)), Demand(((6,),), frozenset({6})))),
]
OVERLAPPING = Demands((Demand(((4, 5), (6,)), frozenset({4})), Demand(((5,),))))


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


def holds(tokens, demand):
    """Whether a spelling stands somewhere, with nothing behind it that joins it."""
    return any(
        tokens[i : i + len(spelling)] == spelling
        and not demand.joins.intersection(tokens[i + len(spelling) :][:1])
        for spelling in demand.spellings
        for i in range(len(tokens))
    )


def meets(tokens, demands):
    return all(holds(tokens, demand) for demand in demands.words)


@pytest.mark.parametrize("demands", DEMANDS)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_full_width_beam_equals_exhaustive_search(make_engine, twins, demands, alpha):
    limits = Limits(4, alpha)
    for seed in range(3):
        engine = make_engine(seed)
        every = [
            tokens
            for tokens in twins.everything(engine, SOURCE, limits)
            if meets(tokens, demands) and meets(tokens[: limits.max_length - 1], demands)
        ]
        [found] = Beam(FULL, demands=demands).find(engine, [SOURCE], Terms(limits), 20)
        assert tokens_of(found) == twins.ranked(engine, SOURCE, every, limits)[:20]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.sampled_from([*DEMANDS, OVERLAPPING]),
    st.integers(5, 8),
    st.sampled_from([1, 3]),
)
def test_every_reply_holds_what_must_be_said(make_engine, seed, demands, beam, n_best):
    engine = make_engine(seed, vocab=9, sources=3, spread=3.0)
    sources = [[0], [1], [2]]
    way = Beam(beam, demands=demands)
    many = way.find(engine, sources, Terms(Limits(9)), n_best)
    for source, found in zip(sources, many, strict=True):
        assert found
        assert all(meets(tokens, demands) for tokens in tokens_of(found))
        assert len(set(tokens_of(found))) == len(found)
        [alone] = way.find(engine, [source], Terms(Limits(9)), n_best)
        assert tokens_of(alone) == tokens_of(found)
        [more] = way.find(engine, [source], Terms(Limits(9)), beam)
        assert tokens_of(more)[: len(found)] == tokens_of(found)


def test_what_is_unlikely_is_said_in_time(engine_of):
    engine = engine_of(
        {
            (0, BOS): {4: 1 - 1e-6, 5: 1e-6},
            (1, 4): {4: 1 - 1e-6, 5: 1e-6},
            (1, 5): {6: 1.0, EOS: 1e-6},
            (1, 6): {EOS: 1.0},
        }
    )
    [found] = Beam(3, demands=Demands((Demand(((5, 6),)),))).find(engine, [SOURCE], Terms(Limits(4)))
    assert found[0].tokens in {(5, 6, EOS), (4, 5, 6, EOS)}


def test_what_the_beginning_says_need_not_be_said_again(engine_of):
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {EOS: 1.0}})
    way = Beam(2, demands=Demands((Demand(((4,),)),)))
    assert way.find(engine, [SOURCE], Terms(Limits(4), begin=(4,)))[0][0].tokens == (4, EOS)


def test_demand_that_the_model_cannot_meet_leaves_nothing(engine_of):
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {EOS: 1.0}})
    assert Beam(2, demands=Demands((Demand(((5,),)),))).find(engine, [SOURCE], Terms(Limits(4))) == [[]]


@given(st.lists(st.integers(4, 6), max_size=7), st.sampled_from([*DEMANDS, OVERLAPPING]))
def test_progress_knows_what_a_naive_twin_finds(tokens, demands):
    progress = demands.start(tokens)
    assert {n for n in range(len(demands.words)) if not holds(tuple(tokens), demands.words[n])} == set(
        progress.open
    )
    assert (demands.missing(progress) == 0) == meets(tuple(tokens), demands)


@pytest.mark.parametrize(
    ("beam", "options", "told"),
    [
        (2, {}, "must: takes a beam of 3, and it has 2"),
        (4, {"groups": 2}, "must: contradicts beam_groups"),
        (4, {"prune": 1.0}, "must: contradicts prune"),
    ],
)
def test_beams_that_cannot_serve_demands_are_refused(beam, options, told):
    with pytest.raises(OptionError, match=told):
        Beam(beam, demands=DEMANDS[1], **options)


def test_price_of_a_demand_is_not_in_the_score(make_engine, twins):
    engine, limits = make_engine(1), Limits(6)
    [found] = Beam(4, demands=DEMANDS[1]).find(engine, [SOURCE], Terms(limits), 4)
    for hypothesis in found:
        assert hypothesis.score == pytest.approx(twins.score(engine, SOURCE, hypothesis.tokens, limits))
        assert hypothesis.weights.dtype == np.float32
