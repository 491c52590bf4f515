"""Gradients of several batches in one update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import collate
from chatbot.dataset.encoded import EncodedPairs
from chatbot.training.events import Stepped
from chatbot.training.stepping import Pending, Stepper, Update
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]

VOCAB = 12


def pairs_of(count: int) -> EncodedPairs:
    random = np.random.default_rng(3)
    rows = [random.integers(4, VOCAB, random.integers(1, 9)).tolist() for _ in range(count)]
    return EncodedPairs.from_lists(rows, rows, [len(row) for row in rows], VOCAB)


def gradients_of(groups: list[list[int]], model: dict[str, Any], **options: Any) -> tuple[Update, Tensor]:
    """What an update by batches of these rows did, and the gradient it followed."""
    network = build_network(ModelOptions(embed=6, hidden=6, dropout=0.0, **model), VOCAB, seed=1)
    stepper = Stepper(network, TrainingOptions(clip=0.0, **options), torch.device("cpu"))
    pairs, followed = pairs_of(9), []

    def note() -> None:
        parameters = [p for group in stepper._optimizer.param_groups for p in group["params"]]
        followed.append(torch.cat([p.grad.flatten() for p in parameters]))

    stepper._optimizer.step = note  # type: ignore[method-assign]
    update = stepper.update([collate(pairs, rows) for rows in groups], 0.01).read()
    (gradient,) = followed
    return update, gradient


@pytest.mark.parametrize("model", [{}, {"attention": "additive", "coverage": True, "ask": "feeding"}])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_batches_together_are_one_batch_of_all_their_pairs(model: dict[str, Any], smoothing: float) -> None:
    groups = [[0, 1, 2, 3, 4], [5], [6, 7, 8]]
    joined, wanted = gradients_of([[*range(9)]], model, label_smoothing=smoothing)
    apart, found = gradients_of(groups, model, label_smoothing=smoothing)
    assert torch.allclose(found, wanted, atol=1e-6)
    assert apart.loss == pytest.approx(joined.loss, rel=1e-5)
    assert apart.gradient_norm == pytest.approx(joined.gradient_norm, rel=1e-4)


def test_step_counts_updates_and_the_place_counts_batches(make_trainer: MakeTrainer) -> None:
    trainer, batches = make_trainer(steps=5, accumulate=3), []
    update = trainer._stepper.update

    def note(taken: Any, *rest: Any) -> Pending:
        batches.append(taken)
        return update(taken, *rest)

    trainer._stepper.update = note  # type: ignore[method-assign]
    events = [event for event in trainer.run() if isinstance(event, Stepped)]
    assert [event.step for event in events] == [1, 2, 3, 4, 5]
    assert [len(taken) for taken in batches] == [3] * 5
    assert [event.words for event in events] == [sum(batch.words for batch in taken) for taken in batches]
    place, in_epoch = trainer.progress, len(trainer._batches.epoch(0))
    assert place.epoch * in_epoch + place.index == 15
    wanted = trainer._batches.stream()
    for taken in batches:
        for batch in taken:
            assert torch.equal(batch.src, next(wanted)[3].src)


@pytest.mark.parametrize("stop", [1, 2, 5])
def test_resumed_run_goes_on_at_its_batch(make_trainer: MakeTrainer, saves: Any, stop: int) -> None:
    options = {"steps": 7, "accumulate": 3, "eval_every": 2}
    whole = make_trainer(**options)
    list(whole.run())
    trainer = make_trainer(**options)
    for event in trainer.run():
        if isinstance(event, Stepped) and event.step == stop:
            trainer.stop()
    trainer = make_trainer(**options)
    torch.manual_seed(99)
    trainer.restore(*saves.kept[-1])
    list(trainer.run())
    wanted = own_weights(whole._network)
    assert all(weight.equal(wanted[name]) for name, weight in own_weights(trainer._network).items())


def test_gauges_are_averaged_over_the_tokens() -> None:
    model = {"attention": "additive", "output": "softmax", "align": "hard"}
    update, _ = gradients_of([[0, 1], [2, 3, 4]], model)
    assert set(update.gauges) >= {"reward variance"}
    assert all(gauge >= 0 for gauge in update.gauges.values())
