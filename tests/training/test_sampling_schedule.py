from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch

from chatbot.config import option_field
from chatbot.training import gradients
from chatbot.training.events import Stepped
from chatbot.training.sampling_schedule import DECAYS, STEEPNESS, sampling_share
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]


def test_every_decay_is_an_option() -> None:
    assert tuple(DECAYS) == option_field("training", "sampling_schedule").metadata["choices"]


@pytest.mark.parametrize("schedule", DECAYS)
@pytest.mark.parametrize("most", [0.0, 0.25, 1.0])
def test_share_grows_from_nothing_to_the_most(schedule: str, most: float) -> None:
    shares = [sampling_share(schedule, most, n / 50) for n in range(51)]
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(most)
    assert all(after >= before for before, after in pairwise(shares))


def test_linear_share_is_the_way_that_is_done() -> None:
    assert sampling_share("linear", 0.5, 0.3) == pytest.approx(0.15)


def test_exponential_decay_multiplies_at_each_step() -> None:
    decay = [DECAYS["exponential"](n / 10) for n in range(11)]
    ratios = [after / before for before, after in pairwise(decay)]
    assert ratios == pytest.approx([ratios[0]] * 10)
    assert sampling_share("exponential", 1.0, 0.5) > 0.5


@pytest.mark.parametrize("progress", [0.0, 0.2, 0.5, 0.9])
def test_inverse_sigmoid_is_that_of_the_paper(progress: float) -> None:
    """k / (k + exp(i / k)), with i counted so that the middle of the run is that of the curve, i = k ln k."""
    k = STEEPNESS
    i = progress * 2 * k * math.log(k)
    assert DECAYS["inverse-sigmoid"](progress) == pytest.approx(k / (k + math.exp(i / k)))
    assert sampling_share("inverse-sigmoid", 0.6, 0.5) == pytest.approx(0.3)


def test_run_without_sampling_never_decodes_step_by_step(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gradients, "sampled_loss", lambda *_: pytest.fail("stepping"))
    list(make_trainer().run())


def test_share_of_a_step_is_that_of_its_progress(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn, shares = gradients.sampled_loss, []

    def spy(*args: Any) -> Any:
        shares.append(args[5])
        return learn(*args)

    monkeypatch.setattr(gradients, "sampled_loss", spy)
    list(make_trainer(steps=10, scheduled_sampling=0.5, sampling_schedule="exponential").run())
    assert shares == pytest.approx([sampling_share("exponential", 0.5, n / 10) for n in range(1, 10)])


@pytest.mark.parametrize("stop", [3, 12])
def test_resumed_run_draws_what_it_would_have_drawn(make_trainer: MakeTrainer, saves: Any, stop: int) -> None:
    whole = make_trainer(scheduled_sampling=0.9)
    list(whole.run())
    trainer = make_trainer(scheduled_sampling=0.9)
    for event in trainer.run():
        if isinstance(event, Stepped) and event.step == stop:
            trainer.stop()
    trainer = make_trainer(scheduled_sampling=0.9)
    torch.manual_seed(99)
    trainer.restore(*saves.kept[-1])
    list(trainer.run())
    wanted = own_weights(whole._network)
    assert all(weight.equal(wanted[name]) for name, weight in own_weights(trainer._network).items())
