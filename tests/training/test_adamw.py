"""AdamW beside torch's."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn

from chatbot.training import adamw as module
from chatbot.training.adamw import BETAS, EPSILON, AdamW


def parameters() -> list[nn.Parameter]:
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(shape)) for shape in ((3, 4), (4,), (2, 3))]


def gradients(step: int) -> list[Tensor | None]:
    """Of the three; the last one has none in odd steps."""
    random = torch.Generator().manual_seed(step)
    found = [torch.randn(shape, generator=random) for shape in ((3, 4), (4,), (2, 3))]
    return [*found[:2], None if step % 2 else found[2]]


def learn(optimizer: AdamW | torch.optim.Optimizer, weights: list[nn.Parameter], steps: range) -> None:
    for step in steps:
        for weight, gradient in zip(weights, gradients(step), strict=True):
            weight.grad = gradient
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / (step + 1)
        optimizer.step()


@pytest.mark.parametrize("fused", [True, False])
def test_weights_go_where_torchs_go(fused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = parameters(), parameters()
    own = AdamW([(ours[:2], 0.3), (ours[2:], 0.0)], 0.1)
    groups = [{"params": theirs[:2], "weight_decay": 0.3}, {"params": theirs[2:], "weight_decay": 0.0}]
    if not fused:
        monkeypatch.setattr(module, "_follow_fused", module._follow)
    learn(own, ours, range(7))
    learn(torch.optim.AdamW(groups, lr=0.1, betas=BETAS, eps=EPSILON, fused=True), theirs, range(7))
    for one, other in zip(ours, theirs, strict=True):
        assert torch.equal(one, other) if fused else torch.allclose(one, other, rtol=1e-5, atol=1e-7)


def test_optimizer_goes_on_as_if_never_taken_apart() -> None:
    whole, parted, fresh = parameters(), parameters(), parameters()
    learn(AdamW([(whole, 0.1)], 0.1), whole, range(5))
    first, second = AdamW([(parted, 0.1)], 0.1), AdamW([(parted, 0.1)], 0.1)
    learn(first, parted, range(2))
    second.restore(first.tensors() | {"model.w": torch.zeros(1)})
    learn(second, parted, range(2, 5))
    assert all(torch.equal(one, other) for one, other in zip(whole, parted, strict=True))
    learn(AdamW([(fresh, 0.1)], 0.1), fresh, range(2))
    learn(AdamW([(fresh, 0.1)], 0.1), fresh, range(2, 5))
    assert not torch.equal(fresh[0], whole[0])  # moments matter


def test_restored_state_is_a_copy_and_takes_the_place_of_all_there_was() -> None:
    weights = parameters()
    own = AdamW([(weights, 0.0)], 0.1)
    learn(own, weights, range(1))
    kept = {name: tensor.clone() for name, tensor in own.tensors().items()}
    own.restore(kept)
    learn(own, weights, range(1, 2))
    assert kept["optimizer.0.step"] == 1
    own.restore({})
    assert own.tensors() == {}


@pytest.mark.parametrize("fused", [True, False])
def test_step_that_is_called_off_changes_nothing(fused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fused:
        monkeypatch.setattr(module, "_follow_fused", module._follow)
    weights = parameters()
    own = AdamW([(weights, 0.3)], 0.1)
    learn(own, weights, range(2))
    before = {str(n): weight.detach().clone() for n, weight in enumerate(weights)}
    before |= {name: tensor.clone() for name, tensor in own.tensors().items()}
    own.found_inf = torch.ones(())
    learn(own, weights, range(2, 3))
    after = {str(n): weight for n, weight in enumerate(weights)} | own.tensors()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())


def test_training_does_without_torchs_compiler() -> None:
    program = """
import sys, torch
from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.training.stepping import Stepper
network = build_network(ModelOptions(embed=8, hidden=8), 12, seed=1).train()
batch = Batch(torch.tensor([[4, 5]]), torch.tensor([[2, 6]]), torch.tensor([[6, 3]]), 2)
stepper = Stepper(network, TrainingOptions(), torch.device("cpu"))
assert stepper.update([batch], 0.01).read().fault == ""
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
