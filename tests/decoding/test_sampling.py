from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.sampling import Sampling, drawn
from chatbot.decoding.terms import Terms
from chatbot.errors import OptionError

SEEDS = st.integers(0, 10**6)
WAYS = [
    Sampling(),
    Sampling(0.7, top_p=0.9),
    Sampling(1.3, top_k=3),
    Sampling(min_p=0.2),
    Sampling(typical=0.8),
    Sampling(0.8, top_k=4, top_p=0.9, min_p=0.05, typical=0.9),
]
SOURCES = [[0], [1, 4], [2, 5, 6], [3]]


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


def same(one, other):
    return (one.tokens, one.log_prob, one.score) == (
        other.tokens,
        other.log_prob,
        other.score,
    ) and np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("temperature", [0.0, 1e-9])
@given(SEEDS)
def test_temperature_to_zero_is_greedy(make_engine, make_prior, temperature, seed):
    engine = make_engine(seed, vocab=9, sources=4, holes=0.2)
    terms = Terms(Limits(8, repetition_penalty=1.2, block_ngram=2), prior=make_prior(seed, 9, 4))
    samples = Sampling(temperature, seed=seed).find(engine, SOURCES, terms)
    for [sample], [best] in zip(samples, Greedy().find(engine, SOURCES, terms), strict=True):
        assert same(sample, best)


@pytest.mark.parametrize("way", WAYS)
def test_seed_and_source_decide_and_nothing_else(make_engine, way):
    engine = make_engine(0, vocab=12, sources=4, spread=1.0)
    terms = Terms(Limits(9))
    many = way.find(engine, SOURCES, terms, 3)
    assert len({tokens for found in many for tokens in tokens_of(found)}) > 6
    for source, found in reversed(list(zip(SOURCES, many, strict=True))):
        assert len(set(tokens_of(found))) == 3
        for n_best in (1, 2, 3):
            [alone] = way.find(engine, [source], terms, n_best)
            assert all(same(*pair) for pair in zip(alone, found[:n_best], strict=True))


def test_seeds_differ(make_engine):
    engine = make_engine(0, vocab=12, spread=1.0)
    said = {Sampling(seed=seed).find(engine, [[0]], Terms(Limits(9)))[0][0].tokens for seed in range(30)}
    assert len(said) > 20


def test_same_source_twice_in_a_batch_gets_the_same(make_engine):
    one, other = Sampling(seed=3).find(make_engine(0, spread=1.0), [[0, 4], [0, 4]], Terms(Limits(9)))
    assert same(one[0], other[0])


def test_fewer_different_samples_than_asked_for_are_all_there_are(engine_of):
    engine = engine_of({(0, BOS): {4: 0.5, EOS: 0.5}, (1, 4): {EOS: 1.0}})
    [found] = Sampling().find(engine, [[4]], Terms(Limits(5)), 5)
    assert sorted(tokens_of(found)) == [(EOS,), (4, EOS)]


@pytest.mark.parametrize("way", WAYS)
def test_samples_are_as_frequent_as_the_distribution_says(make_engine, way):
    engine = make_engine(2, vocab=9, spread=1.0)
    gains = engine.row([0], (BOS,)).astype(np.float64)
    gains[:3] = -np.inf
    expected = way.distribution(gains[None])[0]
    found = way.walk(engine, [[0]], Terms(Limits(1)), range(4000))
    for _ in found.steps():
        pass
    counts = np.bincount([h.tokens[0] for h in found.hypotheses()], minlength=9)
    assert not counts[expected == 0].any()
    # Five standard deviations of a binomial.
    assert (np.abs(counts - 4000 * expected) <= 5 * np.sqrt(4000 * expected * (1 - expected)) + 1e-9).all()


def test_top_k_asks_the_engine_for_no_more(make_engine, monkeypatch):
    engine, asked = make_engine(0, vocab=9), []
    step = engine.step
    monkeypatch.setattr(engine, "step", lambda *args: asked.append(args[2]) or step(*args))
    wide = Sampling(top_k=8, seed=1).find(engine, [[0]], Terms(Limits(6)))
    Sampling(top_k=3).find(engine, [[0]], Terms(Limits(6)))
    Sampling(top_p=0.9).find(engine, [[0]], Terms(Limits(6)))
    assert set(asked) == {8, 3, 9}
    assert wide[0]


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6))
def test_drawn_lies_in_the_columns_side_by_side_by_token(seed, rows, k):
    random = np.random.default_rng(seed)
    probs = random.random((rows, k)) * (random.random((rows, k)) < 0.6)
    tokens = np.argsort(random.random((rows, 9)), axis=1)[:, :k]
    chances = random.random(rows)
    chances[0] = np.nextafter(1, 0)
    columns = drawn(probs, tokens, chances)
    for row in range(rows):
        if not probs[row].any():
            continue
        left = chances[row] * probs[row].sum()
        for column in sorted(range(k), key=lambda c: tokens[row, c]):
            left -= probs[row, column]
            if left < 0:
                break
        assert probs[row, columns[row]] > 0
        assert columns[row] == column or abs(left) < 1e-12


def test_order_of_near_equals_does_not_change_a_sample():
    probs, tokens = np.array([[0.5, 0.5, 0.0]]), np.array([[7, 5, 6]])
    for chance in (0.1, 0.4, 0.6, 0.9):
        place = drawn(probs, tokens, np.array([chance]))
        other = drawn(probs[:, [1, 0, 2]], tokens[:, [1, 0, 2]], np.array([chance]))
        assert tokens[0, place] == tokens[:, [1, 0, 2]][0, other]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": float("inf")}, "temperature"),
        ({"top_k": -1}, "top_k"),
        ({"top_p": 1.1}, "top_p"),
        ({"min_p": -0.1}, "min_p"),
        ({"typical": float("nan")}, "typical"),
        ({"seed": -1}, "seed"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(options, name):
    with pytest.raises(OptionError, match=name):
        Sampling(**options)


def test_no_samples_are_refused(make_engine):
    with pytest.raises(OptionError, match="n_best"):
        Sampling().find(make_engine(0), [[0]], Terms(Limits(3)), 0)
