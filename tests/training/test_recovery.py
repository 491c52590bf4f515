"""A run whose numbers go wrong goes back to its last state and on at half the learning rate."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.evaluation.perplexity import Fit
from chatbot.training import trainer as module
from chatbot.training.events import Evaluated, Event, Finished, Reverted, Stepped
from chatbot.training.recovery import REVERTS, revert
from chatbot.training.state import Progress
from chatbot.training.stepping import Pending, Update
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]

STEADY = {"schedule": "constant", "warmup": 0.0, "lr": 0.01}
"""Every step at the same rate."""


def of_kind(events: list[Event], kind: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def weights_of(trainer: Trainer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in own_weights(trainer._network).items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def going_wrong(trainer: Trainer, wrong: Callable[[int, float], bool]) -> Trainer:
    """The trainer, whose numbers are told to go wrong at a (step, learning rate)."""
    update = trainer._stepper.update

    class Faulty:
        def __init__(self, pending: Pending, lr: float) -> None:
            self.pending, self.lr, self.wrong = pending, lr, wrong(trainer.progress.step + 1, lr)

        def read(self) -> Update:
            fault = f"the loss is nan nats per token at learning rate {self.lr:.2g}"
            found = self.pending.read()
            return dataclasses.replace(found, fault=fault) if self.wrong else found

    def faulty(batches: Any, lr: float, sampled: float = 0.0) -> Faulty:
        return Faulty(update(batches, lr, sampled), lr)

    trainer._stepper.update = faulty  # type: ignore[method-assign]
    return trainer


def test_run_goes_back_to_its_last_state_and_on_at_half_the_rate(
    make_trainer: MakeTrainer, saves: Any
) -> None:
    trainer = going_wrong(
        make_trainer(save_every=3, eval_every=100, **STEADY), lambda step, lr: step == 8 and lr > 0.005
    )
    events = list(trainer.run())
    (reverted,) = of_kind(events, Reverted)
    assert reverted == Reverted(
        6,
        "step 8: the loss is nan nats per token at learning rate 0.01; going on from step 6 with half the "
        "learning rate, at most 0.005 instead of 0.01 (2 more tries)",
    )
    assert [(event.step, event.lr) for event in of_kind(events, Stepped)] == [
        *((step, 0.01) for step in range(1, 8)),
        *((step, 0.005) for step in range(7, 21)),
    ]
    assert of_kind(events, Finished)[0].reason == "done"
    third = next(tensors for progress, tensors in saves.kept if progress.lr_scale == 0.5)
    before = next(tensors for progress, tensors in saves.kept if progress.step == 6)
    assert same(third, before)


def test_run_that_is_killed_after_going_back_ends_as_if_it_had_not_been(
    make_trainer: MakeTrainer, saves: Any
) -> None:
    options = {"save_every": 3, "eval_every": 4, **STEADY}

    def wrong(step: int, lr: float) -> bool:
        return step == 8 and lr > 0.005

    whole = going_wrong(make_trainer(**options), wrong)
    list(whole.run())
    for event in going_wrong(make_trainer(**options), wrong).run():
        if isinstance(event, Stepped) and event.lr < 0.01:
            break
    trainer = going_wrong(make_trainer(**options), wrong)
    torch.manual_seed(99)
    trainer.restore(*saves.kept[-1])
    assert (trainer.progress.step, trainer.progress.lr_scale, trainer.progress.reverts) == (6, 0.5, 1)
    list(trainer.run())
    assert same(weights_of(trainer), weights_of(whole))
    assert same(trainer.best, whole.best)


def test_fault_in_the_first_step_has_a_state_to_go_back_to(make_trainer: MakeTrainer) -> None:
    trainer = going_wrong(make_trainer(**STEADY), lambda step, lr: lr > 0.002)
    events = list(trainer.run())
    assert [event.step for event in of_kind(events, Reverted)] == [0, 0, 0]
    assert [event.lr for event in of_kind(events, Stepped)] == [0.00125] * 20


def test_run_gives_up_after_so_many_times(make_trainer: MakeTrainer, saves: Any) -> None:
    trainer = going_wrong(make_trainer(save_every=3, eval_every=2, **STEADY), lambda step, _: step == 5)
    events = list(trainer.run())
    told = of_kind(events, Reverted)
    assert [event.text.partition("(")[2] for event in told] == [
        "2 more tries)",
        "1 more try)",
        "0 more tries)",
    ]
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert (finished.reason, finished.step) == ("diverged", 4)
    assert trainer.best
    progress, _ = saves.kept[-1]
    assert (progress.step, progress.reverts, progress.lr_scale) == (3, REVERTS, 1 / 8)


@pytest.mark.parametrize(("loss", "reason"), [(1.0, "done"), (9.0, "diverged")])
def test_count_starts_anew_where_a_validation_beyond_the_fault_is_the_best(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch, loss: float, reason: str
) -> None:
    """Every other step goes wrong once, each two steps are better (or worse) than those before."""
    trainer, met = make_trainer(save_every=1, eval_every=2, **STEADY), set[int]()
    monkeypatch.setattr(
        module, "measure", lambda *_: Fit(10 * (5.0 + (loss - 5.0) * trainer.progress.step / 20), 10, 5)
    )

    def once(step: int, lr: float) -> bool:
        wrong = step % 2 == 1 and step not in met
        met.add(step)
        return wrong

    events = list(going_wrong(trainer, once).run())
    assert of_kind(events, Finished)[0].reason == reason
    assert len(of_kind(events, Reverted)) == (
        10 if reason == "done" else REVERTS + 1
    )  # the first is the best
    assert trainer.progress.lr_scale == 0.5 ** len(of_kind(events, Reverted))


def test_best_weights_since_the_last_state_are_kept(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = iter([3.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0])
    monkeypatch.setattr(module, "measure", lambda *_: Fit(10 * next(losses), 10, 5))
    trainer = make_trainer(steps=8, save_every=3, eval_every=2, **STEADY)
    going_wrong(trainer, lambda step, lr: step == 5 and lr > 0.005)
    at = {}
    for event in trainer.run():
        if isinstance(event, Evaluated) and event.step not in at:
            at[event.step] = weights_of(trainer)
    assert (trainer.progress.best_step, trainer.progress.best_loss) == (4, 1.0)
    assert same(trainer.best, at[4])


def test_time_that_has_gone_by_stays_gone(make_trainer: MakeTrainer) -> None:
    trainer = going_wrong(make_trainer(**STEADY), lambda step, lr: step == 8 and lr > 0.005)
    seconds = [event.seconds for event in trainer.run() if isinstance(event, Stepped)]
    assert seconds == sorted(seconds)


def test_weight_that_is_no_number_after_a_step_is_a_fault(make_trainer: MakeTrainer) -> None:
    """A word's embedding, say, which the next batches do not need, so that their loss is a number."""
    trainer = make_trainer(save_every=1, **STEADY)
    step, stepped = trainer._stepper._optimizer.step, []

    def overflowing() -> None:
        step()
        stepped.append(None)
        if len(stepped) == 4:
            with torch.no_grad():
                trainer._network.src_embedding.weight[1] = math.inf  # the token <unk>, which no pair has

    trainer._stepper._optimizer.step = overflowing  # type: ignore[method-assign,assignment]
    events = list(trainer.run())
    (reverted,) = of_kind(events, Reverted)
    assert reverted.text.startswith(
        "step 4: a weight is no number after learning rate 0.01; going on from step 3"
    )
    assert [event.step for event in of_kind(events, Stepped)] == list(range(1, 4)) + list(range(4, 21))
    assert all(torch.isfinite(weight).all() for weight in weights_of(trainer).values())


def test_place_gone_back_to_counts_and_halves() -> None:
    place, faulty = Progress(step=3, seconds=1.0), Progress(step=7, seconds=9.0, lr_scale=0.25, reverts=1)
    told = revert(place, faulty, "odd", 0.08)
    assert place == Progress(step=3, seconds=9.0, lr_scale=0.125, reverts=2, fault_step=8)
    assert told.text == (
        "step 8: odd; going on from step 3 with half the learning rate, "
        "at most 0.01 instead of 0.02 (1 more try)"
    )


@pytest.mark.parametrize("faulty", [5, 6, 8, 9])
def test_fault_that_is_read_late_is_gone_back_from_all_the_same(
    make_trainer: MakeTrainer, saves: Any, faulty: int
) -> None:
    """As on a GPU, which is at work on the next update when it shows."""
    options = {"save_every": 3, "eval_every": 5, "average": 0.9, **STEADY}
    outcomes = []
    for behind in (0, 1):
        trainer = going_wrong(make_trainer(**options), lambda step, lr: step == faulty and lr > 0.005)
        trainer._behind = behind
        events = [
            dataclasses.replace(event, seconds=0.0) if hasattr(event, "seconds") else event
            for event in trainer.run()
        ]
        outcomes.append((trainer, events))
    (soon, wanted), (late, found) = outcomes
    assert found == wanted
    assert len(of_kind(found, Reverted)) == 1
    assert same(weights_of(late), weights_of(soon))
    assert same(late.best, soon.best)
    assert late.progress.fault_step == faulty
    assert (late.progress.step, late.progress.index) == (soon.progress.step, soon.progress.index)


def test_run_that_gives_up_late_is_where_it_would_be(make_trainer: MakeTrainer) -> None:
    trainer = going_wrong(make_trainer(save_every=3, eval_every=2, **STEADY), lambda step, _: step == 5)
    trainer._behind = 1
    finished = list(trainer.run())[-1]
    assert isinstance(finished, Finished)
    assert (finished.reason, finished.step) == ("diverged", 4)
