from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch

from chatbot.config import option_field
from chatbot.evaluation.perplexity import Fit
from chatbot.training import trainer as module
from chatbot.training.events import Evaluated, Finished
from chatbot.training.score import COSTS, Score
from chatbot.training.trainer import Trainer

MakeTrainer = Callable[..., Trainer]


def test_every_cost_is_an_option() -> None:
    assert tuple(COSTS) == option_field("training", "stop_on").metadata["choices"]


def test_accuracy_counts_corpora_by_their_weight() -> None:
    score = Score.of([("a", Fit(20.0, 10, 5, 4), 3.0), ("b", Fit(90.0, 30, 10, 27), 0.5)])
    assert score.accuracy == pytest.approx((3 * 4 + 0.5 * 27) / (3 * 10 + 0.5 * 30))
    assert COSTS["accuracy"](score) == pytest.approx(1 - score.accuracy)
    assert COSTS["loss"](score) == score.loss


def test_run_stops_on_accuracy_and_keeps_the_weights_of_the_highest(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter(
        [(3.0, 400), (4.0, 500), (2.0, 450), (1.0, 500), (0.5, 499)]
    )  # the loss gets better all along
    last = (0.1, 100)
    every = itertools.chain(found, itertools.repeat(last))
    monkeypatch.setattr(module, "measure", lambda *_: Fit(1000 * (n := next(every))[0], 1000, 5, n[1]))
    trainer, best = make_trainer(steps=99, eval_every=2, patience=3, stop_on="accuracy"), []
    for event in trainer.run():
        if isinstance(event, Evaluated) and event.best:
            best.append((event.step, event.accuracy))
    assert isinstance(event, Finished)
    assert (event.reason, event.step, event.best_step) == ("early stop", 10, 4)
    assert best == [(2, 0.4), (4, 0.5)]


def test_accuracy_of_a_validation_is_that_of_its_pairs_one_by_one(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(steps=12, lr=0.05)
    last = [event for event in trainer.run() if isinstance(event, Evaluated)][-1]
    network, ((_, pairs, _),) = trainer._network.eval(), trainer._validation
    right = tokens = 0
    for row in range(len(pairs)):
        src, tgt = (torch.tensor([side.tolist()]) for side in pairs.pair(row))
        fed = torch.cat([torch.tensor([[2]]), tgt], dim=1)
        said = network.logits(*network(src, fed)).argmax(-1)
        right += int((said == torch.cat([tgt[0], torch.tensor([3])])).sum())
        tokens += len(said)
    assert 0 < right < tokens
    assert last.accuracy == pytest.approx(right / tokens)
