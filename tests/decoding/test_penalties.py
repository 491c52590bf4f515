"""All that ranks replies, against exhaustive search and against a beam that never stops early."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import EOS
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import NoQuoting, Terms

SOURCE = [0, 5, 6]
FULL = 3**3 * 4
PENALTIES = {
    "wu": {"length_penalty": 0.6},
    "average": {"normalize": "average"},
    "coverage": {"coverage_penalty": 0.4},
    "coverage, average": {"coverage_penalty": 2.0, "normalize": "average"},
    "repetition": {"repetition_penalty": 1.7},
    "minimum": {"min_length": 2},
    "all": {
        "coverage_penalty": 0.3,
        "repetition_penalty": 1.3,
        "min_length": 1,
        "block_ngram": 2,
        "length_penalty": 2.0,
    },
}
OPTIONS = st.sampled_from(list(PENALTIES.values()))
PRIORS = st.sampled_from([None, False, True])


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


@pytest.mark.parametrize("options", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("bounded", [None, False, True], ids=["", "prior", "bounded-prior"])
@pytest.mark.parametrize("n_best", [1, FULL])
def test_full_width_beam_equals_exhaustive_search(make_engine, make_prior, twins, options, bounded, n_best):
    limits = Limits(4, **options)
    for seed in range(5):
        engine = make_engine(seed, holes=0.2)
        prior = None if bounded is None else make_prior(seed, bounded=bounded)
        every = list(twins.everything(engine, SOURCE, limits))
        [found] = Beam(FULL).find(engine, [SOURCE], Terms(limits, prior=prior), n_best)
        assert tokens_of(found) == twins.ranked(engine, SOURCE, every, limits, prior)[:n_best]
        for hypothesis in found:
            assert hypothesis.log_prob == pytest.approx(twins.log_prob(engine, SOURCE, hypothesis.tokens))
            score = twins.score(engine, SOURCE, hypothesis.tokens, limits, prior)
            assert hypothesis.score == pytest.approx(score)


@pytest.mark.parametrize("options", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("bounded", [None, True], ids=["", "bounded-prior"])
@pytest.mark.parametrize("beam", [2, 5])
def test_narrow_beam_equals_twin_that_never_stops_early(
    make_engine, make_prior, twins, options, bounded, beam
):
    limits = Limits(9, **options)
    stopped = 0
    for seed in range(8):
        engine = make_engine(seed, holes=0.2)
        prior = make_prior(seed, bounded=True) if bounded else None
        [found] = Beam(beam).find(engine, [SOURCE], Terms(limits, prior=prior), 2)
        assert tokens_of(found) == twins.beam(engine, SOURCE, beam, limits, prior)[:2]
        stopped += len(engine.calls) < limits.max_length
    assert stopped, "no search stopped early, so nothing was compared"


def test_prior_that_names_no_ceiling_is_never_stopped_early(make_engine, make_prior):
    engine = make_engine(0)
    Beam(3).find(engine, [SOURCE], Terms(Limits(9), prior=make_prior(0)))
    assert len(engine.calls) == 9


@given(st.integers(0, 10**6), OPTIONS, PRIORS, st.integers(0, 3), st.sampled_from([(), (4,), (5, 4)]))
def test_beam_of_one_is_greedy_whatever_the_options(
    make_engine, make_prior, seed, options, bounded, quote, begin
):
    engine = make_engine(seed, vocab=9, sources=4, spread=2.0)
    sources = [[0], [1, 4], [2, 5, 6], [3]]
    prior = None if bounded is None else make_prior(seed, vocab=9, sources=4, bounded=bounded)
    rules = (NoQuoting([[source] for source in sources], quote),) if quote else ()
    terms = Terms(Limits(10, **options), begin, rules, prior)
    for [narrow], [only] in zip(
        Beam(1).find(engine, sources, terms), Greedy().find(engine, sources, terms), strict=True
    ):
        assert narrow.tokens == only.tokens
        assert (narrow.log_prob, narrow.score) == (only.log_prob, only.score)
        np.testing.assert_array_equal(narrow.weights, only.weights)


@given(
    st.integers(0, 10**6),
    OPTIONS,
    PRIORS,
    st.sampled_from([(2, 1), (4, 1), (4, 2), (6, 3)]),
    st.sampled_from([0.0, 1.0, 3.0]),
)
def test_asking_for_more_never_changes_the_best(
    make_engine, make_prior, seed, options, bounded, widths, prune
):
    beam, groups = widths
    engine = make_engine(seed, vocab=8)
    prior = None if bounded is None else make_prior(seed, vocab=8, bounded=bounded)
    terms = Terms(Limits(8, **options), prior=prior)
    way = Beam(beam, groups, 0.7, prune)
    replies = [tokens_of(way.find(engine, [SOURCE], terms, n_best)[0]) for n_best in range(1, beam + 1)]
    for fewer, more in pairwise(replies):
        assert more[: len(fewer)] == fewer


@pytest.mark.parametrize("options", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("way", [Greedy(), Beam(4), Beam(6, 3, 0.5), Beam(4, prune=1.0)])
def test_batch_of_one_equals_batch_of_many(make_engine, make_prior, options, way):
    engine = make_engine(7, vocab=9, sources=12, holes=0.2, spread=2.0)
    sources = [[i] + [4] * (i % 5) for i in range(12)]
    prior = make_prior(3, vocab=9, sources=12)
    many = way.find(engine, sources, Terms(Limits(8, **options), prior=prior))
    for source, [found] in zip(sources, many, strict=True):
        alone = make_prior(3, vocab=9, sources=12)
        alone.table = alone.table[source[0] :]
        [[other]] = way.find(engine, [source], Terms(Limits(8, **options), prior=alone))
        assert (found.tokens, found.log_prob) == (other.tokens, other.log_prob)
        assert found.score == pytest.approx(other.score)


def test_minimum_length_counts_tokens_before_the_end(engine_of):
    engine = engine_of({(0, 2): {EOS: 0.9, 4: 0.1}, (1, 4): {EOS: 0.9, 4: 0.1}})
    for way in (Greedy(), Beam(3)):
        [[found]] = way.find(engine, [SOURCE], Terms(Limits(9, min_length=2)))
        assert found.tokens == (4, 4, EOS)


def test_coverage_prefers_the_reply_that_looked_everywhere(make_engine):
    # Wu et al. 2016, equation 14: log min(0.5 + 0.25, 1) + log min(0.5 + 0.75, 1) = log 0.75
    covered = np.array([0.75, 1.25])
    assert Limits(9, 0.0, coverage_penalty=2.0).score(-1.0, 2, covered) == pytest.approx(
        -1 + 2 * np.log(0.75)
    )
    assert np.isfinite(Limits(9, coverage_penalty=1.0).score(-1.0, 2, np.zeros(3)))
