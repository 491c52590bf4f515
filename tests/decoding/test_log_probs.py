from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.decoding.beam import Beam
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.forced import BATCH, log_probs
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import Terms
from chatbot.engines.torch_engine import TorchEngine
from chatbot.nn.loss import reply_fits

SOURCES = [[4], [5, 6], [6, 4, 5]]


@pytest.mark.parametrize("seed", range(3))
def test_log_prob_is_that_of_the_table(make_engine: Any, twins: Any, seed: int) -> None:
    engine = make_engine(seed, sources=3, positions=4, holes=0.1)
    random = np.random.default_rng(seed)
    targets = [(*random.integers(4, 7, length).tolist(), EOS) for length in (0, 1, 2, 3, 5)]
    sources = [SOURCES[i % 3] for i in range(len(targets))]
    found = log_probs(engine, sources, targets)
    wanted = [twins.log_prob(engine, s, t) for s, t in zip(sources, targets, strict=True)]
    assert found == pytest.approx(wanted, abs=1e-5)


def test_target_costs_the_same_whatever_it_is_batched_with(make_engine: Any) -> None:
    engine = make_engine(1, sources=3)
    targets = [(4,) * (n % 5) + (EOS,) for n in range(2 * BATCH + 3)]
    sources = [SOURCES[n % 3] for n in range(len(targets))]
    alone = [log_probs(engine, [s], [t])[0] for s, t in zip(sources, targets, strict=True)]
    assert log_probs(engine, sources, targets).tolist() == alone
    assert log_probs(engine, [], []).tolist() == []
    assert log_probs(engine, [[4]], [()]).tolist() == [0.0]


def test_what_is_all_but_impossible_keeps_its_probability(engine_of: Any) -> None:
    engine = engine_of({(0, BOS): {4: 1.0, 5: 1e-30}, (1, 4): {EOS: 1.0}, (1, 5): {EOS: 1e-37, 6: 1.0}})
    found = log_probs(engine, [[4]] * 2, [(4, EOS), (5, EOS)])
    assert found == pytest.approx([0.0, np.log(1e-30) + np.log(1e-37)], rel=1e-5)


def test_what_cannot_be_said_is_impossible(engine_of: Any) -> None:
    engine = engine_of({(0, BOS): {4: 1.0}, (1, 4): {EOS: 1.0}})
    assert log_probs(engine, [[4]] * 2, [(4, EOS), (5, EOS)]).tolist() == [0.0, -np.inf]


def test_search_and_forced_decoding_agree_with_a_prior_and_without(make_engine: Any, make_prior: Any) -> None:
    engine, limits = make_engine(3), Limits(5, length_penalty=0.0)
    prior = make_prior(3)
    [plain] = Beam(4).find(engine, [[4]], Terms(limits), 4)
    [ranked] = Beam(4).find(engine, [[4]], Terms(limits, prior=prior), 4)
    alike = type(prior)(np.repeat(prior.table, 4, 0))  # for each of four pairs what it is for the source
    for hypotheses, added in ((plain, None), (ranked, alike)):
        found = log_probs(engine, [[4]] * 4, [h.tokens for h in hypotheses], added)
        assert found == pytest.approx([h.score for h in hypotheses], abs=1e-5)


def test_forced_decoding_is_teacher_forcing() -> None:
    network = build_network(ModelOptions(embed=8, hidden=8), 12, seed=1).eval()
    engine = TorchEngine(network, 12, torch.device("cpu"))
    src = torch.tensor([[4, 5, 6], [7, 8, 0]])
    tgt_in, tgt_out = (
        torch.tensor([[BOS, 4, 5, 9], [BOS, 6, 0, 0]]),
        torch.tensor([[4, 5, 9, EOS], [6, EOS, 0, 0]]),
    )
    with torch.inference_mode():
        wanted = [
            float(
                reply_fits(
                    network, src[i : i + 1], tgt_in[i : i + 1, : 4 - 2 * i], tgt_out[i : i + 1, : 4 - 2 * i]
                )[0].sum()
            )
            for i in range(2)
        ]
    found = log_probs(engine, [[4, 5, 6], [7, 8]], [(4, 5, 9, EOS), (6, EOS)])
    assert found == pytest.approx([-nats for nats in wanted], abs=1e-5)
