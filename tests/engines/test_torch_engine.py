from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, EOS, Bias, Candidates
from chatbot.decoding.hypothesis import length_penalty
from chatbot.decoding.search import search
from chatbot.engines.torch_engine import TorchEngine, choose_device
from chatbot.errors import OptionError
from chatbot.nn.seq2seq import Seq2Seq

SOURCES = [[5], [4 + i % 5 for i in range(20)], [6, 7, 8]]
REPLY = [4, 7, 5]


def ids(*tokens: int) -> NDArray[np.int64]:
    return np.array(tokens, dtype=np.int64)


def in_order(found: Candidates) -> NDArray[np.float32]:
    """Log-probabilities by token, from candidates that name every token."""
    ordered = np.empty_like(found.log_probs)
    np.put_along_axis(ordered, found.tokens, found.log_probs, axis=1)
    return ordered


def forced(network: Seq2Seq, source: list[int], reply: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities [len(reply) + 1, vocab] and weights of the network under teacher forcing."""
    network.eval()
    with torch.no_grad():
        decoded, read = network(torch.tensor([source]), torch.tensor([[BOS, *reply]]))
        return torch.log_softmax(network.logits(decoded, read), -1), decoded.weights[0]


def test_steps_are_the_networks_own_log_probabilities(engine: TorchEngine, network: Seq2Seq) -> None:
    state = engine.start(SOURCES)
    for place, token in enumerate([BOS, *REPLY]):
        found = engine.step(ids(*[token] * 3), state, engine.vocab)
        state = found.state
        for row, source in enumerate(SOURCES):
            log_probs, weights = forced(network, source, REPLY)
            np.testing.assert_allclose(in_order(found)[row], log_probs[place], atol=1e-5)
            np.testing.assert_allclose(found.weights[row, : len(source)], weights[place], atol=1e-6)
            assert not found.weights[row, len(source) :].any()


def test_candidates_are_the_k_best_best_first(engine: TorchEngine) -> None:
    every = engine.step(ids(BOS, BOS, BOS), engine.start(SOURCES), 100)
    assert every.tokens.shape == (3, engine.vocab)
    assert (np.diff(every.log_probs, axis=1) <= 0).all()
    np.testing.assert_allclose(np.exp(every.log_probs.astype(np.float64)).sum(1), 1.0, rtol=1e-5)
    few = engine.step(ids(BOS, BOS, BOS), engine.start(SOURCES), 2)
    np.testing.assert_array_equal(few.tokens, every.tokens[:, :2])
    np.testing.assert_array_equal(few.log_probs, every.log_probs[:, :2])


def test_bias_is_added_before_the_best_are_taken_and_nothing_is_renormalised(engine: TorchEngine) -> None:
    state = engine.start(SOURCES)
    plain = in_order(engine.step(ids(BOS, BOS, BOS), state, engine.vocab))
    values = np.array([-np.inf, 2.0, 3.0], dtype=np.float32)
    bias = Bias(ids(0, 2, 2), ids(4, 6, 6), values)
    found = in_order(engine.step(ids(BOS, BOS, BOS), state, engine.vocab, bias))
    wanted = plain.copy()
    wanted[0, 4] = -np.inf
    wanted[2, 6] += 5.0
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_empty_bias_changes_nothing(engine: TorchEngine) -> None:
    state, nothing = engine.start(SOURCES), Bias(ids(), ids(), np.zeros(0, dtype=np.float32))
    plain = engine.step(ids(BOS, BOS, BOS), state, 3)
    np.testing.assert_array_equal(
        engine.step(ids(BOS, BOS, BOS), state, 3, nothing).log_probs, plain.log_probs
    )


@pytest.mark.parametrize("rows", [[0, 1, 2], [2, 0, 1], [1, 1, 1, 0], [2], [0, 0, 1, 2, 2]])
def test_selected_rows_go_on_as_those_rows(engine: TorchEngine, rows: list[int]) -> None:
    state = engine.step(ids(BOS, BOS, BOS), engine.start(SOURCES), 1).state
    state = engine.step(ids(4, 5, 6), state, 1).state
    whole = engine.step(ids(7, 8, 4), state, engine.vocab)
    said = ids(7, 8, 4)[rows]
    chosen = engine.step(said, state.select(ids(*rows)), engine.vocab)
    np.testing.assert_allclose(in_order(chosen), in_order(whole)[rows], atol=1e-5)
    np.testing.assert_allclose(chosen.weights, whole.weights[rows], atol=1e-6)
    again = engine.step(ids(7, 8, 4), state, engine.vocab)  # the state itself has not moved
    np.testing.assert_array_equal(again.log_probs, whole.log_probs)


def test_rows_selected_twice_over_belong_to_their_sources(engine: TorchEngine) -> None:
    state = engine.step(ids(BOS, BOS, BOS), engine.start(SOURCES), 1).state
    whole = in_order(engine.step(ids(4, 4, 4), state, engine.vocab))
    thrice = state.select(ids(2, 1, 2)).select(ids(1, 0)).select(ids(1, 1, 0))  # rows 2, 2, 1
    np.testing.assert_allclose(
        in_order(engine.step(ids(4, 4, 4), thrice, engine.vocab)), whole[[2, 2, 1]], atol=1e-5
    )


def test_network_is_put_into_evaluation_mode(network: Seq2Seq) -> None:
    network.train()
    engine = TorchEngine(network, 9, torch.device("cpu"))
    assert not any(module.training for module in network.modules())
    first, second = (engine.step(ids(BOS), engine.start([SOURCES[1]]), 9).log_probs for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("beam", [1, 4])
def test_replies_do_not_hang_on_the_rest_of_the_batch(engine: TorchEngine, beam: int) -> None:
    random = np.random.default_rng(0)
    sources = [random.integers(4, 9, random.integers(1, 15)).tolist() for _ in range(12)]
    together = search(engine, sources, beam=beam, n_best=beam, max_length=6)
    for source, found in zip(sources, together, strict=True):
        alone = search(engine, [source], beam=beam, n_best=beam, max_length=6)[0]
        assert [each.tokens for each in found] == [each.tokens for each in alone]
        for one, other in zip(found, alone, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)


def test_beam_1_is_greedy_by_forced_decoding(engine: TorchEngine, network: Seq2Seq) -> None:
    (found,) = search(engine, [SOURCES[2]], beam=1, max_length=5)[0]
    reply: list[int] = []
    while len(reply) < 5 and EOS not in reply:
        log_probs = forced(network, SOURCES[2], reply)[0][-1]
        log_probs[:3] = -torch.inf
        reply.append(int(log_probs.argmax()))
    assert list(found.tokens) == reply


def test_widest_beam_finds_the_best_of_all_replies(engine: TorchEngine, network: Seq2Seq) -> None:
    words, longest = range(4, 9), 3
    ended = [[*said, EOS] for length in range(longest) for said in product(words, repeat=length)]

    def score(reply: list[int]) -> float:
        log_probs = forced(network, SOURCES[2], reply[:-1])[0]
        total = sum(float(log_probs[place, token]) for place, token in enumerate(reply))
        return total / length_penalty(len(reply), 1.0)

    best = sorted(ended, key=score, reverse=True)[:3]
    found = search(engine, [SOURCES[2]], beam=200, n_best=3, max_length=longest)[0]
    assert [list(each.tokens) for each in found] == best
    assert [each.score for each in found] == pytest.approx([score(reply) for reply in best], abs=1e-4)


def test_device_is_the_best_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto").type == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_device("auto").type == "mps"
    assert choose_device("cpu").type == "cpu"


def test_device_that_is_not_there_is_refused_with_those_that_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert choose_device("auto").type == "cpu"
    with pytest.raises(
        OptionError, match="--device: cuda is not there on this machine; choose one of auto, cpu"
    ):
        choose_device("cuda")
