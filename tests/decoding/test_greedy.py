from __future__ import annotations

import numpy as np

from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.greedy import Greedy
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import Terms

SOURCE = [4, 5, 6]


def greedy(engine, sources, limits):
    return [found for [found] in Greedy().find(engine, sources, Terms(limits))]


def test_greedy_says_the_likeliest_token_each_time(make_engine, twins):
    limits = Limits(12, 0.6, 2)
    for seed in range(30):
        engine = make_engine(seed, vocab=10, holes=0.2)
        [found] = greedy(engine, [SOURCE], limits)
        tokens = ()
        while following := twins.continuations(engine, SOURCE, tokens, limits):
            row = engine.row(SOURCE, (BOS, *tokens))
            tokens = (*tokens, max(following, key=lambda token: row[token]))
        assert found.tokens == tokens
        assert found.log_prob == twins.log_prob(engine, SOURCE, tokens)


def test_greedy_says_nothing_after_the_end(engine_of):
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {EOS: 0.9, 5: 0.1}, (2, EOS): {5: 1.0}, (3, 5): {5: 1.0}})
    assert greedy(engine, [SOURCE], Limits(10))[0].tokens == (4, EOS)
    assert len(engine.calls) == 2


def test_greedy_counts_the_end_in_the_maximum_length(engine_of):
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {5: 1.0}, (2, 5): {EOS: 1.0}})
    assert greedy(engine, [SOURCE], Limits(3))[0].tokens == (4, 5, EOS)
    assert greedy(engine, [SOURCE], Limits(2))[0].tokens == (4, 5)


def test_greedy_drops_finished_rows(engine_of):
    engine = engine_of({(0, BOS): {EOS: 1.0}})
    slow = engine_of({(0, BOS): {4: 1.0}, (1, 4): {4: 1.0}})
    engine.tables = np.concatenate((np.concatenate((engine.tables,) * 2, axis=1), slow.tables))
    found = greedy(engine, [[0], [1, 4], [0], [1]], Limits(3))
    assert [hypothesis.tokens for hypothesis in found] == [(EOS,), (4, 4, 4), (EOS,), (4, 4, 4)]
    assert engine.calls == [4, 2, 2]


def test_row_that_may_say_nothing_is_cut(engine_of):
    [found] = greedy(engine_of({(0, BOS): {4: 0.5}, (1, 4): {}}), [SOURCE], Limits(9))
    assert found.tokens == (4,)
    assert found.log_prob == np.log(np.float32(0.5))
    assert found.weights.shape == (1, 3)


def test_row_that_may_say_nothing_at_all_is_empty(engine_of):
    [found] = greedy(engine_of({(0, BOS): {}}), [SOURCE], Limits(9))
    assert (found.tokens, found.log_prob, found.weights.shape) == ((), 0.0, (0, 3))
