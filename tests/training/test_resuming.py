from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.training import trainer as module
from chatbot.training.events import Evaluated, Event, Finished, Looked, Stepped, Warned
from chatbot.training.trainer import Trainer, own_weights

EPOCH = 0
"""Stands for the step that ends the first epoch."""

MakeTrainer = Callable[..., Trainer]


def weights_of(trainer: Trainer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in own_weights(trainer._network).items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def of_kind(events: list[Event], kind: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def resumed(make_trainer: MakeTrainer, saves: Any, **options: Any) -> Trainer:
    """A fresh trainer in the state that was saved last, with the random numbers of another process."""
    trainer = make_trainer(**options)
    torch.manual_seed(99)
    trainer.restore(*saves.kept[-1])
    return trainer


def stopped_after(trainer: Trainer, step: int) -> list[Event]:
    events = []
    for event in trainer.run():
        events.append(event)
        if isinstance(event, Stepped) and event.step == step:
            trainer.stop()
    return events


@pytest.mark.parametrize(
    ("stops", "cell"),
    [([1], "lstm"), ([4, 5], "lstm"), ([EPOCH], "lstm"), ([19], "lstm"), ([20], "lstm"), ([2, 9, 16], "gru")],
)
def test_stopping_and_resuming_is_never_having_stopped(
    make_trainer: MakeTrainer, saves: Any, stops: list[int], cell: str
) -> None:
    whole = make_trainer(cell=cell, label_smoothing=0.1)
    wanted = list(whole.run())
    trainer, events = make_trainer(cell=cell, label_smoothing=0.1), []
    epoch = len(trainer._batches.epoch(0))
    for stop in (stop or epoch for stop in stops):
        found = stopped_after(trainer, stop)
        assert found[-1] == Finished(stop, "interrupted", trainer.progress.best_step, found[-1].seconds)
        events += found
        trainer = resumed(make_trainer, saves, cell=cell, label_smoothing=0.1)
    events += list(trainer.run())
    assert same(weights_of(trainer), weights_of(whole))
    assert same(trainer.best, whole.best)
    assert [(e.step, e.loss, e.lr) for e in of_kind(events, Stepped)] == [
        (e.step, e.loss, e.lr) for e in of_kind(wanted, Stepped)
    ]
    for kind in (Evaluated, Looked, Warned):
        assert of_kind(events, kind) == of_kind(wanted, kind)


@pytest.mark.parametrize("options", [{"save_every": 3}, {"eval_every": 3}, {"steps": 0, "epochs": 2.5}])
def test_kill_and_resuming_is_never_having_been_killed(
    make_trainer: MakeTrainer, saves: Any, options: dict[str, Any]
) -> None:
    whole = make_trainer(**options)
    list(whole.run())
    for event in make_trainer(**options).run():
        if isinstance(event, Stepped) and event.step == 11:
            break
    assert 0 < saves.kept[-1][0].step < 11
    trainer = resumed(make_trainer, saves, **options)
    list(trainer.run())
    assert same(weights_of(trainer), weights_of(whole))
    assert same(trainer.best, whole.best)
    assert trainer.progress.step == whole.progress.step


@pytest.mark.parametrize("stop", [5, 13])  # before and after the trouble is told of
def test_resumed_run_does_not_repeat_a_warning(
    make_trainer: MakeTrainer, saves: Any, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    texts = {"ignoring": "the decoder ignores the question"}
    monkeypatch.setattr(module, "troubles", lambda seen: texts)
    events = stopped_after(make_trainer(eval_every=4, steps=24), stop)
    trainer = resumed(make_trainer, saves, eval_every=4, steps=24)
    texts["stuck"] = "attention is stuck"  # another one is told
    events += list(trainer.run())
    assert [event.text for event in of_kind(events, Warned)] == list(texts.values())


def test_finished_run_goes_on_with_a_larger_budget_and_validates_on_the_way(
    make_trainer: MakeTrainer, saves: Any
) -> None:
    list(make_trainer(steps=12).run())
    trainer = resumed(make_trainer, saves, steps=36)
    events = list(trainer.run())
    assert [event.step for event in of_kind(events, Stepped)] == list(range(13, 37))
    assert [event.step for event in of_kind(events, Evaluated)] == list(range(15, 37, 3))
    (finished,) = of_kind(events, Finished)
    assert (finished.reason, finished.step) == ("done", 36)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"steps": 8}, ("all 8 steps are used", "raise --steps above 8")),
        ({"steps": 0, "epochs": 1.0}, ("all 1 epochs are used", "raise --epochs above 1")),
        ({"steps": 0, "minutes": 0.002}, ("all 0.002 minutes are used", "raise --minutes above 0.002")),
        ({"steps": 100, "epochs": 1.0}, ("all 1 epochs are used", "raise --epochs above 1")),
    ],
)
def test_used_up_budget_is_named_with_the_option_to_raise(
    make_trainer: MakeTrainer, options: dict[str, Any], told: tuple[str, str]
) -> None:
    trainer = make_trainer(**options)
    assert trainer.used_up() is None
    list(trainer.run())
    assert trainer.used_up() == told


def test_state_of_another_network_does_not_go_in(make_trainer: MakeTrainer, saves: Any) -> None:
    list(make_trainer(steps=1).run())
    with pytest.raises((KeyError, RuntimeError)):
        make_trainer(cell="gru").restore(*saves.kept[-1])
