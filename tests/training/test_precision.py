"""Short numbers: the loss stays near that of long ones, and a scale keeps small gradients from vanishing.

A processor stands in for the GPU that they are meant for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import TrainingBatches
from chatbot.errors import OptionError
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training import precision as module
from chatbot.training.events import Finished, Stepped
from chatbot.training.precision import OVERFLOWS, Precision, check_precision
from chatbot.training.stepping import Stepper, Update
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]
CPU = torch.device("cpu")
VOCAB = 12
TRANSFORMER = {"encoder": "transformer", "decoder": "transformer", "attention": "multi-head"}


def network() -> Seq2Seq:
    shape = ModelOptions(embed=16, hidden=16, dropout=0.0, **TRANSFORMER)  # type: ignore[arg-type]
    return build_network(shape, VOCAB, seed=1)


def stepper(precision: str, net: Seq2Seq, **options: Any) -> Stepper:
    return Stepper(net.train(), TrainingOptions(precision=precision, **options), CPU)


def updates(stepper: Stepper, batches: TrainingBatches, count: int) -> list[Update]:
    stream = batches.stream()
    return [stepper.update([next(stream)[3]], 0.01).read() for _ in range(count)]


@pytest.fixture
def batches(make_trainer: MakeTrainer) -> TrainingBatches:
    return make_trainer()._batches


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_training_in_short_numbers_goes_the_way_of_long_ones(
    precision: str, batches: TrainingBatches
) -> None:
    long, short = (updates(stepper(name, network()), batches, 30) for name in ("single", precision))
    for one, other in zip(short, long, strict=True):
        assert one.fault == ""
        assert one.loss == pytest.approx(other.loss, rel=0.05)
    assert short[-1].loss < short[0].loss * 0.8
    assert short[0].gradient_norm == pytest.approx(long[0].gradient_norm, rel=0.05)
    assert [one.loss for one in short] != [other.loss for other in long]


def test_weights_and_moments_stay_long(batches: TrainingBatches) -> None:
    net = network()
    trained = stepper("fp16", net)
    updates(trained, batches, 2)
    kinds = {tensor.dtype for tensor in own_weights(net).values() if tensor.is_floating_point()}
    kinds |= {tensor.dtype for name, tensor in trained.tensors().items() if "exp_avg" in name}
    assert kinds == {torch.float32}


def test_overflow_leaves_the_step_out_and_halves_the_scale(batches: TrainingBatches) -> None:
    net = network()
    trained = stepper("fp16", net)
    trained.restore(trained.tensors() | {"scaler": torch.tensor([2.0**40, 0, 0], dtype=torch.float64)})
    before = {name: weight.clone() for name, weight in own_weights(net).items()}
    (update,) = updates(trained, batches, 1)
    assert (update.fault, math.isfinite(update.gradient_norm)) == ("", False)
    assert all(torch.equal(weight, before[name]) for name, weight in own_weights(net).items())
    assert trained.tensors()["scaler"].tolist() == [2.0**39, 0, 1]


def test_gradient_that_is_no_number_at_any_scale_is_a_fault(batches: TrainingBatches) -> None:
    trained = stepper("fp16", network())
    learn = trained._gradients.learn

    def spoiled(*args: Any) -> Any:
        learned = learn(*args)
        next(iter(trained._network.parameters())).grad.fill_(math.nan)  # type: ignore[union-attr]
        return learned

    trained._gradients.learn = spoiled  # type: ignore[method-assign]
    faults = [update.fault for update in updates(trained, batches, OVERFLOWS)]
    assert set(faults[:-1]) == {""}
    assert faults[-1] == "the gradient is no number at learning rate 0.01"


def test_scale_is_resumed(batches: TrainingBatches) -> None:
    """Bit for bit, over an overflow and its growing again."""

    def run(break_at: int) -> tuple[dict[str, Tensor], list[float]]:
        net = network()
        trained, stream, losses = stepper("fp16", net), batches.stream(), []
        trained.restore({"scaler": torch.tensor([2.0**22, 1998, 0], dtype=torch.float64)})
        for step in range(12):
            if step == break_at:
                kept = {name: tensor.clone() for name, tensor in trained.tensors().items()}
                trained = stepper("fp16", net)
                trained.restore(kept)
            losses.append(trained.update([next(stream)[3]], 0.01).read().loss)
        return {**own_weights(net), **trained.tensors()}, losses

    (whole, losses), (resumed, others) = run(-1), run(5)
    assert losses == others
    assert all(torch.equal(tensor, resumed[name]) for name, tensor in whole.items())


def test_state_of_long_numbers_is_gone_on_from_in_short_ones(batches: TrainingBatches) -> None:
    net = network()
    single = stepper("single", net)
    updates(single, batches, 2)
    assert "scaler" not in single.tensors()
    short = stepper("fp16", net)
    short.restore(single.tensors())
    assert updates(short, batches, 1)[0].fault == ""


def test_long_numbers_are_computed_as_if_there_were_no_others() -> None:
    precision, objective = Precision("single", CPU), torch.tensor(3.0)
    assert precision.scaled(objective) is objective
    with precision.computing():
        assert not torch.is_autocast_enabled("cpu")
    assert not precision.overflowed(math.nan)


@pytest.mark.parametrize(
    ("name", "device", "told"),
    [
        ("bf16", "cpu", "--precision: bf16 is for GPUs, and this is cpu; leave it out"),
        ("fp16", "mps", "--precision: fp16 is for GPUs, and this is mps; leave it out"),
        ("bf16", "cuda", "--precision: this GPU has no bf16; take --precision fp16"),
    ],
)
def test_short_numbers_are_refused_where_they_do_not_help(
    name: str, device: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.torch.cuda, "is_bf16_supported", lambda: False)
    with pytest.raises(OptionError) as refused:
        check_precision(name, torch.device(device))
    assert str(refused.value) == told
    check_precision("single", torch.device(device))


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["bf16", "fp16", "single"])
def test_run_on_a_gpu_learns_in_every_precision(train_tiny: Any, tmp_path: Any, precision: str) -> None:
    exchanges = [(f"say {word}", f"so {word}") for word in "abcdefghij"]
    events = train_tiny(tmp_path / "gpu", exchanges, steps=60, device="cuda", precision=precision)
    losses = [event.loss for event in events if isinstance(event, Stepped)]
    assert [event.reason for event in events if isinstance(event, Finished)] == ["done"]
    assert losses[-1] < losses[0] / 2
