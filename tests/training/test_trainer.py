from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation.looking import Looking, look
from chatbot.evaluation.perplexity import Fit
from chatbot.nn.encoder import Encoded
from chatbot.training import gradients
from chatbot.training import trainer as module
from chatbot.training.adamw import AdamW
from chatbot.training.events import (
    Evaluated,
    Event,
    Finished,
    Looked,
    Reverted,
    Sampled,
    Saved,
    Stepped,
    Warned,
)
from chatbot.training.schedule import SCHEDULES
from chatbot.training.stepping import build_optimizer
from chatbot.training.trainer import EVALUATIONS, Trainer, own_weights

MakeTrainer = Callable[..., Trainer]


def network_of(trainer: Trainer) -> torch.nn.Module:
    return trainer._network


def weights_of(trainer: Trainer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in own_weights(trainer._network).items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def of_kind(events: list[Event], kind: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def finish(trainer: Trainer) -> tuple[list[Event], Finished]:
    events = list(trainer.run())
    assert isinstance(events[-1], Finished)
    return events, events[-1]


def scripted(monkeypatch: pytest.MonkeyPatch, *losses: float) -> None:
    """Validations find these losses, then the last one for ever."""
    left = itertools.chain(losses, itertools.repeat(losses[-1]))
    monkeypatch.setattr(module, "measure", lambda *_: Fit(10 * next(left), 10, 5))


# Teacher forcing and modes


def test_decoder_is_fed_bos_and_the_gold_reply_and_learns_it_with_its_end(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn, fed = gradients.sequence_loss, []

    def spy(network: Any, src: Tensor, tgt_in: Tensor, tgt_out: Tensor, *rest: Any) -> Any:
        fed.append([[token for token in side[0].tolist() if token] for side in (src, tgt_in, tgt_out)])
        return learn(network, src, tgt_in, tgt_out, *rest)

    monkeypatch.setattr(gradients, "sequence_loss", spy)
    finish(make_trainer(EncodedPairs.from_lists([[7, 8]], [[4, 5, 6]], [3], 12), steps=3))
    assert fed == [[[7, 8], [2, 4, 5, 6], [4, 5, 6, 3]]] * 3


def test_dropout_is_on_in_every_step_and_off_in_every_validation(make_trainer: MakeTrainer) -> None:
    trainer, modes = make_trainer(steps=4, eval_every=2), []
    network_of(trainer).register_forward_pre_hook(lambda network, _: modes.append(network.training))
    kinds = []
    for event in trainer.run():
        kinds += [] if isinstance(event, Warned) else [(type(event).__name__, set(modes))]
        modes.clear()
        if isinstance(event, Stepped | Saved):
            assert all(m.training for m in network_of(trainer).modules()), event
    validation = [("Evaluated", {False}), ("Looked", set()), ("Sampled", set()), ("Saved", set())]
    two_steps = [("Stepped", {True})] * 2
    saved = ("Saved", set())
    assert kinds == [saved, *two_steps, *validation, *two_steps, *validation, ("Finished", set())]


def test_two_validations_of_the_same_weights_are_equal_and_draw_no_random_numbers(
    make_trainer: MakeTrainer,
) -> None:
    trainer = make_trainer()
    random = torch.get_rng_state()
    first, second = (next(iter(trainer._evaluate())) for _ in range(2))
    assert (first.loss, first.perplexity) == (second.loss, second.perplexity)
    assert torch.equal(torch.get_rng_state(), random)


def test_samples_follow_each_validation(make_trainer: MakeTrainer) -> None:
    events, _ = finish(make_trainer(steps=4, eval_every=2))
    assert of_kind(events, Sampled) == [Sampled(step, (("first token", "[0]"),)) for step in (2, 4)]


# Validation, best weights, early stop


def test_best_weights_are_those_of_the_lowest_validation_loss(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch, 3.0, 1.0, 2.0, 1.5)
    trainer, at = make_trainer(steps=8, eval_every=2), {}
    for event in trainer.run():
        if isinstance(event, Evaluated):
            at[event.step] = weights_of(trainer)
        if isinstance(event, Finished):
            assert event.best_step == 4
    assert same(trainer.best, at[4])
    assert not same(trainer.best, at[8])


def test_perplexity_is_per_word_and_corpora_count_by_their_times(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(steps=1)
    fits = {"a": Fit(20.0, 10, 5), "b": Fit(90.0, 30, 10)}
    trainer._validation = [("a", "a", 3.0), ("b", "b", 0.5)]
    monkeypatch.setattr(module, "measure", lambda network, pairs, device: fits[pairs])
    (event,) = of_kind(list(trainer.run()), Evaluated)
    assert event.loss == pytest.approx((3 * 20 + 0.5 * 90) / (3 * 10 + 0.5 * 30))
    assert event.perplexity == pytest.approx(math.exp((3 * 20 + 0.5 * 90) / (3 * 5 + 0.5 * 10)))
    assert event.corpora == pytest.approx({"a": math.exp(4), "b": math.exp(9)})


def test_run_stops_early_after_so_many_validations_without_gain(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch, 3.0, 2.0, 2.5, 1.9999, 2.1, 1.0)  # 1.9999 is better, but hardly
    trainer = make_trainer(steps=99, eval_every=2, patience=3)
    events, finished = finish(trainer)
    assert (finished.reason, finished.step, finished.best_step) == ("early stop", 10, 8)
    assert [event.best for event in of_kind(events, Evaluated)] == [True, True, False, True, False]
    assert isinstance(events[-2], Saved)
    assert trainer.used_up() == (
        "validation has not improved 3 times in a row",
        "raise --patience above 3, or set it to 0",
    )


def test_no_patience_is_endless_patience(make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, 1.0, 2.0)
    assert finish(make_trainer(steps=30, eval_every=1, patience=0))[1].reason == "done"


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"steps": 24}, list(range(2, 25, 2))),
        ({"steps": 12, "eval_every": 5}, [5, 10, 12]),
        ({"steps": 5}, [1, 2, 3, 4, 5]),
        ({"steps": 1}, [1]),
    ],
)
def test_validations_are_spread_over_the_run_and_one_ends_it(
    make_trainer: MakeTrainer, options: dict[str, int], steps: list[int]
) -> None:
    events, _ = finish(make_trainer(**options))
    assert [event.step for event in of_kind(events, Evaluated)] == steps


def test_slow_validations_leave_time_to_train(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    batch_loss = gradients.sequence_loss

    def second_long(*args: Any) -> Any:
        clock[0] += 1
        return batch_loss(*args)

    def minute_long(*_: Any) -> Fit:
        clock[0] += 60
        return Fit(10.0, 10, 5)

    monkeypatch.setattr(gradients, "sequence_loss", second_long)
    monkeypatch.setattr(module, "measure", minute_long)
    events, _ = finish(make_trainer(steps=0, minutes=6.0))
    steps = [event.step for event in of_kind(events, Evaluated)]
    assert steps[0] == pytest.approx(6 * 60 / EVALUATIONS, abs=1)
    gaps = [b - a for a, b in itertools.pairwise(steps[:-1])]
    assert gaps
    assert min(gaps) >= 29


def test_minutes_end_the_run(make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=2.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    _, finished = finish(make_trainer(steps=0, minutes=1.0, eval_every=1000))
    assert finished.reason == "done"
    assert 60 <= finished.seconds < 70
    assert finished.step == 29


# What attention does

HEALTHY = Looking(10, 50, entropy=0.6, heaviest=0.4, moved=0.3, mass=1.0, gain=0.3, gauges={"gate": 0.5})


def test_attention_is_watched_at_each_validation_on_the_same_pairs(make_trainer: MakeTrainer) -> None:
    trainer, seen = make_trainer(steps=4, eval_every=2), []
    ((_, pairs, _),) = trainer._validation
    events = []
    for event in trainer.run():
        events.append(event)
        if isinstance(event, Evaluated):
            seen.append(dataclasses.asdict(look(network_of(trainer), pairs, torch.device("cpu"))))
    assert [(e.step, e.entropy, e.moved, e.gain, e.gauges) for e in of_kind(events, Looked)] == [
        (step, each["entropy"], each["moved"], each["gain"], {})
        for step, each in zip((2, 4), seen, strict=True)
    ]
    places = [place for place, event in enumerate(events) if isinstance(event, Evaluated)]
    assert all(isinstance(events[place + 1], Looked) for place in places)


@pytest.mark.parametrize(
    ("held_out", "watched"), [([30], 30), ([60, 20], 50), ([800], 100), ([2000, 9], 200)]
)
def test_attention_is_watched_on_a_share_of_the_held_out_pairs(held_out: list[int], watched: int) -> None:
    pairs = [EncodedPairs.from_lists([[5]] * n, [[6]] * n, [1] * n, 12) for n in held_out]
    assert len(module._some(pairs)) == watched


def test_watching_attention_changes_nothing(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched, unwatched = make_trainer(eval_every=3), make_trainer(eval_every=3)
    torch.manual_seed(5)
    finish(watched)
    monkeypatch.setattr(module, "look", lambda *_: HEALTHY)
    torch.manual_seed(5)
    events, _ = finish(unwatched)
    assert same(weights_of(watched), weights_of(unwatched))
    assert of_kind(events, Looked)[0].gauges == {"gate": 0.5}


def test_decoder_that_hears_nothing_of_the_question_is_told_of_once(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(steps=12)

    def blank(encoder: Any, args: Any, encoded: Encoded) -> Encoded:
        return Encoded(encoded.outputs * 0, tuple(final * 0 for final in encoded.finals))

    network_of(trainer).encoder.register_forward_hook(blank)
    events, _ = finish(trainer)
    looked = of_kind(events, Looked)
    assert [event.entropy for event in looked] == pytest.approx([1.0] * 12, abs=1e-5)
    assert [event.gain for event in looked] == pytest.approx([0.0] * 12, abs=1e-5)
    told = of_kind(events, Warned)
    assert [event.step for event in told] == [4, 4]  # a third of the run
    assert [text.partition(":")[0] for text in (event.text for event in told)] == [
        "attention is spread evenly",
        "the decoder ignores the question",
    ]


def test_trouble_that_comes_late_is_told_then_and_never_again(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, deaf = (dataclasses.replace(HEALTHY, **change) for change in ({"moved": 0.0}, {"gain": 0.0}))
    seen = iter([stuck, HEALTHY, stuck, deaf, HEALTHY, stuck, deaf])
    monkeypatch.setattr(module, "look", lambda *_: next(seen))
    events, _ = finish(make_trainer(steps=14, eval_every=2))
    assert [(event.step, event.text.partition(":")[0]) for event in of_kind(events, Warned)] == [
        (6, "attention is stuck"),
        (8, "the decoder ignores the question"),
    ]


# The numbers of a step


def test_gauges_of_the_loss_are_told_with_the_step(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = gradients.sequence_loss
    assert [event.gauges for event in of_kind(finish(make_trainer(steps=2))[0], Stepped)] == [{}, {}]
    gauges = {"reward variance": torch.tensor(0.25)}
    monkeypatch.setattr(
        gradients, "sequence_loss", lambda *args: dataclasses.replace(learn(*args), gauges=gauges)
    )
    assert [event.gauges for event in of_kind(finish(make_trainer(steps=2))[0], Stepped)] == [gauges] * 2


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_learning_rate_follows_the_schedule(make_trainer: MakeTrainer, schedule: str) -> None:
    events, _ = finish(make_trainer(steps=10, warmup=0.3, schedule=schedule))
    rates = [event.lr for event in of_kind(events, Stepped)]
    assert rates == pytest.approx([0.01 * SCHEDULES[schedule](step / 10, 0.3) for step in range(10)])


@pytest.mark.parametrize(("clip", "clipped"), [(0.01, True), (0.0, False)])
def test_gradient_is_clipped_and_told_as_it_was(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch, clip: float, clipped: bool
) -> None:
    norms, step = [], AdamW.step

    def note(optimizer: AdamW) -> None:
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"]]
        norms.append(float(torch.stack([g.square().sum() for g in gradients]).sum().sqrt()))
        step(optimizer)

    monkeypatch.setattr(AdamW, "step", note)
    events, _ = finish(make_trainer(steps=4, clip=clip))
    told = [event.gradient_norm for event in of_kind(events, Stepped)]
    assert min(told) > 0.1
    assert norms == pytest.approx([0.01] * 4 if clipped else told, rel=1e-3)


def test_label_smoothing_is_in_the_objective(make_trainer: MakeTrainer) -> None:
    plain, smoothed = (
        of_kind(finish(make_trainer(steps=1, label_smoothing=e))[0], Stepped)[0] for e in (0.0, 0.9)
    )
    assert plain.loss == smoothed.loss  # what is told is the likelihood
    assert plain.gradient_norm != smoothed.gradient_norm


def test_only_matrices_of_layers_decay() -> None:
    network = build_network(ModelOptions(attention="additive", embed=6, hidden=8, tie=False), 12)
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    optimizer = build_optimizer(network, TrainingOptions(weight_decay=0.5))
    decay = {names[id(p)]: group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    assert decay.keys() == set(names.values())
    kept = {name for name, value in decay.items() if value == 0.0}
    assert {"src_embedding.weight", "tgt_embedding.weight", "output.table.weight", "output.bias"} <= kept
    assert all(
        ("bias" in name or name.endswith(".v") or "embedding" in name)
        for name in kept - {"output.table.weight"}
    )
    assert set(decay.values()) == {0.0, 0.5}


# Divergence


def test_learning_rate_that_is_far_too_high_ends_the_run_in_a_few_steps(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(lr=1e6, clip=0.0, warmup=0.0)
    events, finished = finish(trainer)
    assert finished.reason == "diverged"
    assert finished.step <= 3
    assert re.fullmatch(r"the loss is \S+e\+\d+ nats per token at learning rate 1\.\de\+05", trainer.fault)
    assert all(torch.isfinite(weight).all() for weight in weights_of(trainer).values())
    assert all(math.isfinite(event.loss) for event in of_kind(events, Stepped))


@pytest.mark.parametrize("poison", [math.nan, math.inf])
def test_divergence_keeps_the_best_weights_and_saves_nothing_more(
    make_trainer: MakeTrainer, saves: Any, poison: float
) -> None:
    trainer = make_trainer(eval_every=2)
    for event in trainer.run():
        if isinstance(event, Saved | Reverted) and event.step == 2:
            best = dict(trainer.best)
            with torch.no_grad():
                trainer._network.output.bias[5] = poison
            if isinstance(event, Reverted):
                trainer._states.save = lambda *_: ""  # type: ignore[method-assign] # nor is the poison
    assert (event.reason, event.step, event.best_step) == ("diverged", 2, 2)
    assert same(trainer.best, best)
    assert all(torch.isfinite(weight).all() for weight in best.values())
    assert [progress.step for progress, _ in saves.kept] == [0, 2]
    assert trainer.fault.startswith("the loss is nan nats per token at learning rate 0.0")


def test_gradient_that_is_no_number_is_not_followed(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer()
    before = weights_of(trainer)
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_: torch.tensor(math.inf))
    _, finished = finish(trainer)
    assert (finished.reason, finished.step) == ("diverged", 0)
    assert trainer.fault.startswith("the gradient is no number at learning rate")
    assert same(weights_of(trainer), before)


# Figures that are read late


def late(trainer: Trainer) -> Trainer:
    """As on a GPU, which is at work on an update while the one before is told."""
    trainer._behind = 1
    return trainer


@pytest.mark.parametrize("options", [{"save_every": 3}, {"eval_every": 4}, {"steps": 0, "epochs": 2.5}, {}])
def test_reading_figures_late_changes_nothing(make_trainer: MakeTrainer, options: dict[str, Any]) -> None:
    wanted = make_trainer(average=0.9, **options)
    events, _ = finish(wanted)
    found = late(make_trainer(average=0.9, **options))
    others, _ = finish(found)

    def untimed(told: list[Event]) -> list[Event]:
        return [
            dataclasses.replace(event, seconds=0.0) if hasattr(event, "seconds") else event for event in told
        ]

    assert untimed(others) == untimed(events)
    assert same(weights_of(found), weights_of(wanted))
    assert same(found.best, wanted.best)


def test_update_is_told_when_the_next_one_has_begun(make_trainer: MakeTrainer) -> None:
    trainer, begun = late(make_trainer(steps=6, eval_every=4)), []
    update = trainer._stepper.update

    def note(*args: Any) -> Any:
        begun.append(None)
        return update(*args)

    trainer._stepper.update = note  # type: ignore[method-assign]
    told = [(event.step, len(begun)) for event in trainer.run() if isinstance(event, Stepped)]
    assert told == [(1, 2), (2, 3), (3, 4), (4, 4), (5, 6), (6, 6)]  # a validation waits for all
