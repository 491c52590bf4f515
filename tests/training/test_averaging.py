from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.evaluation.perplexity import Fit
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training import trainer as module
from chatbot.training.averaging import WeightAverage
from chatbot.training.events import Evaluated, Stepped
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]


@pytest.fixture
def network() -> Seq2Seq:
    return build_network(ModelOptions(embed=4, hidden=4), 12)


def weights_of(network: Seq2Seq) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in own_weights(network).items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


@torch.no_grad()
def move(network: Seq2Seq) -> None:
    for parameter in network.parameters():
        parameter.add_(torch.randn_like(parameter))


@pytest.mark.parametrize("decay", [0.5, 0.9, 0.999])
def test_average_is_the_weighted_mean_of_all_weights_so_far(network: Seq2Seq, decay: float) -> None:
    """Σ d^(t-s) θ_s / Σ d^(t-s): an average whose weights sum to 1, however few there are."""
    average, visited = WeightAverage(network, decay), []
    for _ in range(5):
        move(network)
        average.update()
        visited.append(network.output.bias.detach().double().clone())  # type: ignore[union-attr, operator]
        shares = torch.tensor([decay**n for n in reversed(range(len(visited)))], dtype=torch.double)
        wanted = (torch.stack(visited) * (shares / shares.sum())[:, None]).sum(0)
        assert torch.allclose(average.weights()["output.bias"].double(), wanted, atol=1e-5)


def test_weights_that_do_not_move_are_their_own_average(network: Seq2Seq) -> None:
    average = WeightAverage(network, 0.9)
    for _ in range(50):
        average.update()
    assert same(average.weights(), weights_of(network))


def test_network_has_its_own_weights_again_after_a_look_with_the_averaged_ones(network: Seq2Seq) -> None:
    average, before = WeightAverage(network, 0.5), weights_of(network)
    move(network)
    average.update()
    move(network)
    average.update()
    own = weights_of(network)

    def interrupted() -> None:
        with average.in_place():
            assert same(weights_of(network), average.weights())
            assert not same(weights_of(network), own)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert same(weights_of(network), own)
    assert not same(own, before)


def test_what_is_not_learned_is_as_it_is(network: Seq2Seq) -> None:
    network.encoder.requires_grad_(False)
    average = WeightAverage(network, 0.5)
    move(network)
    network.baseline.fill_(3.0)
    found = average.weights()
    assert all(torch.equal(found[f"encoder.{n}"], p) for n, p in network.encoder.named_parameters())
    assert float(found["baseline"]) == 3.0


def scripted(monkeypatch: pytest.MonkeyPatch, *losses: float) -> None:
    left = iter(losses)
    monkeypatch.setattr(module, "measure", lambda *_: Fit(10 * next(left), 10, 5))


def test_whichever_of_weights_and_average_is_better_is_kept(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch, 3.0, 2.0, 1.0, 1.5, 1.2, 0.9)  # the weights and their average by turns
    trainer, told, kept = make_trainer(steps=6, eval_every=2, average=0.5), [], []
    for event in trainer.run():
        if isinstance(event, Evaluated):
            assert trainer._average is not None
            told.append((event.loss, event.averaged, event.best))
            own = weights_of(trainer._network)
            kept.append(same(trainer.best, trainer._average.weights() if event.averaged else own))
            assert not same(own, trainer._average.weights())
    assert told == [(2.0, True, True), (1.0, False, True), (0.9, True, True)]
    assert kept == [True] * 3


def test_averaging_changes_no_step(make_trainer: MakeTrainer) -> None:
    plain, averaged = make_trainer(), make_trainer(average=0.9)
    for trainer in (plain, averaged):
        torch.manual_seed(5)
        list(trainer.run())
    assert same(weights_of(plain._network), weights_of(averaged._network))


@pytest.mark.parametrize("stop", [1, 7])
def test_resumed_run_goes_on_with_its_average(make_trainer: MakeTrainer, saves: Any, stop: int) -> None:
    whole = make_trainer(average=0.8, lr=0.3, schedule="constant")
    wanted = [event for event in whole.run() if isinstance(event, Evaluated)]
    trainer = make_trainer(average=0.8, lr=0.3, schedule="constant")
    events = []
    for event in trainer.run():
        events.append(event)
        if isinstance(event, Stepped) and event.step == stop:
            trainer.stop()
    trainer = make_trainer(average=0.8, lr=0.3, schedule="constant")
    torch.manual_seed(99)
    trainer.restore(*saves.kept[-1])
    found = [event for event in itertools.chain(events, trainer.run()) if isinstance(event, Evaluated)]
    assert found == wanted
    assert any(event.averaged for event in found)
    assert same(trainer.best, whole.best)
    assert trainer._average is not None
    assert whole._average is not None
    assert same(trainer._average.weights(), whole._average.weights())


def test_state_without_an_average_is_none_of_a_run_with_one(make_trainer: MakeTrainer, saves: Any) -> None:
    list(make_trainer(steps=1).run())
    with pytest.raises(KeyError):
        make_trainer(average=0.9).restore(*saves.kept[-1])
