from __future__ import annotations

import numpy as np
import pytest

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError

ALPHAS = [0.0, 0.6, 1.0, 2.0]
FULL = 3**3 * 4  # every prefix of three words (4, 5, 6), and what may follow as fourth token
SOURCE = [4, 5, 6]


def beam_search(engine, sources, beam, n_best, limits):
    return Beam(beam).find(engine, sources, Terms(limits), n_best)


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_best", [1, 3, FULL])
@pytest.mark.parametrize("holes", [0.0, 0.4])
def test_full_width_beam_equals_exhaustive_search(make_engine, twins, alpha, n_best, holes):
    limits = Limits(4, alpha)
    for seed in range(10):
        engine = make_engine(seed, holes=holes)
        every = list(twins.everything(engine, SOURCE, limits))
        found = beam_search(engine, [SOURCE], FULL, n_best, limits)[0]
        assert tokens_of(found) == twins.ranked(engine, SOURCE, every, limits)[:n_best]


@pytest.mark.parametrize("ngram", [1, 2, 3])
def test_full_width_beam_equals_exhaustive_search_with_blocking(make_engine, twins, ngram):
    limits = Limits(5, 2.0, ngram)
    for seed in range(10):
        engine = make_engine(seed, spread=3.0)
        every = list(twins.everything(engine, SOURCE, limits))
        found = beam_search(engine, [SOURCE], 3**4 * 4, 8, limits)[0]
        assert tokens_of(found) == twins.ranked(engine, SOURCE, every, limits)[:8]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_best", [1, 2])
@pytest.mark.parametrize("beam", [2, 3, 5])
def test_narrow_beam_equals_twin_that_never_stops_early(make_engine, twins, alpha, n_best, beam):
    limits = Limits(9, alpha, 3)
    stopped = 0
    for seed in range(12):
        engine = make_engine(seed, holes=0.2)
        found = beam_search(engine, [SOURCE], beam, n_best, limits)[0]
        assert tokens_of(found) == twins.beam(engine, SOURCE, beam, limits)[:n_best]
        stopped += len(engine.calls) < limits.max_length
    assert stopped, "no search stopped early, so nothing was compared"


def test_beam_of_one_is_greedy(make_engine):
    engine = make_engine(0, vocab=12, sources=50, spread=3.0, holes=0.1)
    sources = [[i, 5] for i in range(50)]
    limits = Limits(15, 1.0, 2)
    wide = beam_search(engine, sources, 1, 1, limits)
    narrow = [found for [found] in Greedy().find(engine, sources, Terms(limits))]
    assert len({hypothesis.tokens for hypothesis in narrow}) > 25
    for [found], expected in zip(wide, narrow, strict=True):
        assert found.tokens == expected.tokens
        assert (found.log_prob, found.score) == (expected.log_prob, expected.score)
        np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize("spread", [0.1, 4.0], ids=["untrained", "trained"])
def test_n_best_differ_and_end_once(make_engine, twins, spread):
    engine = make_engine(1, vocab=9, sources=20, spread=spread)
    sources = [[i, 5] for i in range(20)]
    limits = Limits(20)
    ended = 0
    for source, found in zip(sources, beam_search(engine, sources, 5, 5, limits), strict=True):
        assert len({hypothesis.tokens for hypothesis in found}) == 5
        assert tokens_of(found) == twins.ranked(engine, source, tokens_of(found), limits)
        for hypothesis in found:
            ends = hypothesis.tokens.count(EOS)
            assert ends == (hypothesis.tokens[-1] == EOS)
            assert ends == 1 or len(hypothesis.tokens) == limits.max_length
            assert hypothesis.log_prob == twins.log_prob(engine, source, hypothesis.tokens)
            assert hypothesis.score == pytest.approx(twins.score(engine, source, hypothesis.tokens, limits))
            ended += ends
    assert ended > 50


def test_finished_score_is_the_same_however_long_the_search_goes_on(make_engine):
    engine = make_engine(3, spread=1.0)
    scores = [
        {h.tokens: h.score for h in beam_search(engine, [SOURCE], 6, 6, Limits(length))[0]}
        for length in (3, 6, 12)
    ]
    ended = [{tokens for tokens in found if EOS in tokens} for found in scores]
    assert ended[0] & ended[1]
    assert ended[1] & ended[2]
    for shorter, longer in ((0, 1), (1, 2)):
        assert all(scores[shorter][t] == scores[longer][t] for t in ended[shorter] & ended[longer])


def test_beam_stops_when_nothing_can_beat_the_kept(engine_of):
    engine = engine_of({(0, BOS): {EOS: 0.9, 4: 0.1}, (1, 4): {4: 0.5, EOS: 0.5}})
    [found] = beam_search(engine, [SOURCE], 2, 1, Limits(20, 1.0))
    assert found[0].tokens == (EOS,)
    assert len(engine.calls) == 1


def test_beam_goes_on_while_a_longer_reply_can_still_win(engine_of):
    engine = engine_of({(0, BOS): {EOS: 0.6, 4: 0.4}, (1, 4): {5: 1.0}, (2, 5): {6: 1.0}, (3, 6): {EOS: 1.0}})
    # log 0.6 = -0.51 after one token; log 0.4 = -0.92 after four, divided by (9 / 6) ** 2 = 2.25: -0.41
    assert beam_search(engine, [SOURCE], 2, 1, Limits(20, 2.0))[0][0].tokens == (4, 5, 6, EOS)
    assert beam_search(engine, [SOURCE], 2, 1, Limits(20, 1.0))[0][0].tokens == (EOS,)


def test_ended_one_ranks_before_a_likelier_cut_one(engine_of):
    engine = engine_of({(0, BOS): {4: 0.9, EOS: 0.1}, (1, 4): {4: 1.0}})
    [found] = beam_search(engine, [SOURCE], 2, 2, Limits(3))
    assert tokens_of(found) == [(EOS,), (4, 4, 4)]
    assert found[0].score < found[1].score


def test_beam_wider_than_the_vocabulary_gives_all_there_is(make_engine):
    [found] = beam_search(make_engine(0, vocab=5), [SOURCE], 50, 50, Limits(2))
    assert set(tokens_of(found)) == {(EOS,), (4, EOS), (4, 4)}


def test_rows_of_finished_sources_leave_the_batch(engine_of):
    engine = engine_of({(0, BOS): {EOS: 1.0}})
    quick = engine.tables
    slow = engine_of({(0, BOS): {4: 0.6, 5: 0.4}, (1, 4): {4: 1.0}, (1, 5): {5: 1.0}}).tables
    engine.tables = np.concatenate((np.concatenate((quick, quick), axis=1), slow))
    found = beam_search(engine, [[0], [1], [0]], 2, 1, Limits(4))
    assert [hypotheses[0].tokens for hypotheses in found] == [(EOS,), (4, 4, 4, 4), (EOS,)]
    assert engine.calls == [3, 2, 2, 2]


def test_row_that_may_say_nothing_is_cut(engine_of):
    engine = engine_of({(0, BOS): {4: 0.5, 5: 0.5}, (1, 5): {5: 1.0}, (2, 5): {5: 0.5, EOS: 0.1}, (2, 4): {}})
    [found] = beam_search(engine, [SOURCE], 3, 3, Limits(4))
    assert found[0].tokens == (5, 5, EOS)
    assert (4,) in tokens_of(found)


@pytest.mark.parametrize(("beam", "n_best"), [(0, 1), (2, 0), (2, 3)])
def test_widths_out_of_range_are_refused(make_engine, beam, n_best):
    with pytest.raises(OptionError):
        beam_search(make_engine(0), [SOURCE], beam, n_best, Limits(3))
