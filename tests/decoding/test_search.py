from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import BOS, EOS, PAD, UNK
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.sampling import Sampling
from chatbot.decoding.search import search, stream
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError

WIDTHS = st.integers(1, 6).flatmap(lambda beam: st.tuples(st.just(beam), st.integers(1, beam)))


def same(one, other):
    return (
        one.tokens == other.tokens
        and one.log_prob == other.log_prob
        and one.score == other.score
        and np.array_equal(one.weights, other.weights)
    )


@pytest.mark.parametrize("beam", [1, 2, 4, 30])
def test_batch_of_one_equals_batch_of_many(make_engine, beam):
    engine = make_engine(7, vocab=9, sources=24, holes=0.3, spread=2.0)
    sources = [[i] + [4] * (i % 5) for i in range(24)]
    options = {"beam": beam, "n_best": min(beam, 3), "max_length": 8, "block_ngram": 2}
    many = search(engine, sources, **options)
    assert len({len(found[0].tokens) for found in many}) > 2
    for source, found in zip(sources, many, strict=True):
        [alone] = search(engine, [source], **options)
        assert len(alone) == len(found)
        assert all(same(*pair) for pair in zip(alone, found, strict=True))


@pytest.mark.parametrize("beam", [1, 3])
def test_all_sources_advance_in_one_step(make_engine, beam):
    engine = make_engine(2, sources=10)
    lengths = []
    for i in range(10):
        search(engine, [[i]], beam=beam, max_length=12)
        lengths.append(len(engine.calls))
        engine.calls.clear()
    search(engine, [[i] for i in range(10)], beam=beam, max_length=12)
    assert len(engine.calls) == max(lengths) < sum(lengths)


@pytest.mark.parametrize("beam", [1, 4])
def test_weights_are_what_each_token_looked_at(make_engine, beam):
    engine = make_engine(5, vocab=9, sources=6, spread=0.7)
    sources = [[i] + [4] * i for i in range(6)]
    for source, found in zip(
        sources, search(engine, sources, beam=beam, n_best=beam, max_length=6), strict=True
    ):
        for hypothesis in found:
            said = (BOS, *hypothesis.tokens)
            expected = [engine.looked(source, said[: i + 1]) for i in range(len(hypothesis.tokens))]
            assert hypothesis.weights.dtype == np.float32
            np.testing.assert_array_equal(hypothesis.weights, np.stack(expected))


@given(
    seed=st.integers(0, 10**6), widths=WIDTHS, ngram=st.integers(0, 4), holes=st.sampled_from([0.0, 0.3, 0.8])
)
def test_replies_keep_every_rule(make_engine, twins, seed, widths, ngram, holes):
    beam, n_best = widths
    engine = make_engine(seed, vocab=8, sources=3, holes=holes)
    for found in search(
        engine, [[0], [1, 5], [2]], beam=beam, n_best=n_best, max_length=10, block_ngram=ngram
    ):
        replies = [hypothesis.tokens for hypothesis in found]
        assert 1 <= len(replies) <= n_best
        assert len(set(replies)) == len(replies)
        for tokens in replies:
            assert not {PAD, UNK, BOS} & set(tokens)
            assert EOS not in tokens[:-1]
            assert len(tokens) <= 10
            assert not twins.repeats(tokens, ngram)


@pytest.mark.parametrize("beam", [1, 2, 9])
def test_end_may_be_the_first_token(engine_of, beam):
    engine = engine_of({(0, BOS): {EOS: 0.9, 4: 0.1}, (1, 4): {EOS: 1.0}})
    [found] = search(engine, [[4]], beam=beam, n_best=min(beam, 2), max_length=5, length_penalty=0.0)
    assert found[0].tokens == (EOS,)
    assert found[0].log_prob == pytest.approx(np.log(0.9))
    assert found[0].weights.shape == (1, 1)
    assert [hypothesis.tokens for hypothesis in found[1:]] == [(4, EOS)][: beam - 1]


@pytest.mark.parametrize("beam", [1, 4])
def test_vocabulary_of_specials_alone_ends_at_once(make_engine, beam):
    [found] = search(make_engine(0, vocab=4), [[1]], beam=beam, n_best=beam, max_length=5)
    assert [hypothesis.tokens for hypothesis in found] == [(EOS,)]


@pytest.mark.parametrize("beam", [1, 4])
def test_end_is_said_when_all_else_is_blocked(engine_of, beam):
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {4: 1.0 - 1e-6, EOS: 1e-6}})
    [found] = search(engine, [[1]], beam=beam, max_length=9, block_ngram=1)
    assert found[0].tokens == (4, EOS)


@pytest.mark.parametrize("beam", [1, 4])
def test_nothing_to_answer_needs_no_engine(make_engine, beam):
    engine = make_engine(0)
    assert search(engine, [], beam=beam, max_length=5) == []
    assert not engine.calls


@pytest.mark.parametrize(("beam", "n_best"), [(1, 2), (4, 5)])
def test_more_replies_than_the_beam_holds_are_refused(make_engine, beam, n_best):
    with pytest.raises(OptionError, match=rf"{n_best} replies .* beam of {beam}"):
        search(make_engine(0), [[1]], beam=beam, n_best=n_best, max_length=5)


WAYS = [Greedy(), Sampling(seed=4), Sampling(0.7, top_k=4, seed=1), Beam(4), Beam(4, 2), Beam(3, prune=1.0)]


@pytest.mark.parametrize("way", [way for way in WAYS if not isinstance(way, Beam)])
@pytest.mark.parametrize("begin", [(), (5, 4)])
def test_stream_says_what_find_finds(make_engine, way, begin):
    for seed in range(10):
        engine = make_engine(seed, vocab=9, sources=3, holes=0.0 if begin else 0.2)
        terms = Terms(Limits(7, block_ngram=2), begin)
        *said, last = stream(engine, [2, 4, 4], terms, way)
        [[found]] = way.find(engine, [[2, 4, 4]], terms)
        assert same(last, found)
        assert tuple(each.token for each in said) == found.tokens
        np.testing.assert_array_equal(np.stack([each.weights for each in said]), found.weights)
        assert said[-1].log_prob == found.log_prob


def test_stream_says_each_token_before_the_next_step(make_engine):
    engine = make_engine(1, vocab=9)
    said = stream(engine, [0], Terms(Limits(6)), Greedy())
    for steps in (1, 2, 3):
        next(said)
        assert len(engine.calls) == steps


@pytest.mark.parametrize("way", WAYS)
@given(seed=st.integers(0, 10**6), begin=st.lists(st.integers(4, 7), max_size=3))
def test_beginning_is_said_by_every_reply_with_its_own_weights(make_engine, twins, way, seed, begin):
    engine = make_engine(seed, vocab=8, sources=2, spread=2.0)
    terms = Terms(Limits(7), tuple(begin))
    for source, found in zip([[0, 4], [1]], way.find(engine, [[0, 4], [1]], terms, 1), strict=True):
        for hypothesis in found:
            tokens = hypothesis.tokens
            assert tokens[: len(begin)] == tuple(begin)
            assert len(tokens) > len(begin)
            assert hypothesis.log_prob == pytest.approx(twins.log_prob(engine, source, tokens))
            said = (BOS, *tokens)
            expected = [engine.looked(source, said[: i + 1]) for i in range(len(tokens))]
            np.testing.assert_array_equal(hypothesis.weights, np.stack(expected))


@pytest.mark.parametrize("way", WAYS)
def test_beginning_that_cannot_be_said_or_leaves_no_room_is_refused(make_engine, engine_of, way):
    engine = engine_of({(0, BOS): {4: 1.0}})
    with pytest.raises(OptionError, match="begin: the model has no way"):
        way.find(engine, [[0]], Terms(Limits(5), (5,)))
    with pytest.raises(OptionError, match="begin: has 3 tokens where a reply may have 2"):
        Terms(Limits(3), (4, 4, 4))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vocab", [4, 5])
def test_smallest_vocabularies_are_answered_with(make_engine, way, vocab):
    for found in way.find(make_engine(0, vocab=vocab, sources=2), [[0], [1]], Terms(Limits(3))):
        assert set(found[0].tokens) <= {4, EOS}
        assert 1 <= len(found[0].tokens) <= 3


@pytest.mark.parametrize("way", WAYS)
def test_everything_forbidden_gives_an_empty_reply(make_engine, way):
    limits = Limits(5, never=tuple(range(9)), normalize="average", coverage_penalty=1.0)
    for found in way.find(make_engine(0, vocab=9, sources=2), [[0], [1, 4]], Terms(limits)):
        assert [(h.tokens, h.log_prob, len(h.weights)) for h in found] == [((), 0.0, 0)]
        assert np.isfinite(found[0].score)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_to_answer_is_no_replies(make_engine, way):
    engine = make_engine(0)
    assert way.find(engine, [], Terms(Limits(3))) == []
    assert not engine.calls
