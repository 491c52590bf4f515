from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear

from chatbot.nn import cross_entropy as module
from chatbot.nn.cross_entropy import linear_cross_entropy

POSITIONS, EMBED, VOCAB = 150, 4, 7


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Features, weight, bias and targets of three chunks."""
    monkeypatch.setattr(module, "LOGITS", 1)
    torch.manual_seed(0)
    shapes = (POSITIONS, EMBED), (VOCAB, EMBED), (VOCAB,)
    features, weight, bias = (torch.randn(*s, dtype=torch.float64, requires_grad=True) for s in shapes)
    return features, weight, bias, torch.randint(VOCAB, (POSITIONS,))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_are_torchs(told: tuple[Tensor, Tensor, Tensor, Tensor], smoothing: float) -> None:
    *learned, target = told
    ours, nats = linear_cross_entropy(*told, smoothing)
    torchs = cross_entropy(linear(*learned), target, label_smoothing=smoothing)
    assert torch.allclose(nats, cross_entropy(linear(*learned), target, reduction="none"), rtol=1e-12)
    assert torch.allclose(ours, torchs, rtol=1e-12)
    gradients = [torch.autograd.grad(3 * loss, learned) for loss in (ours, torchs)]
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradient_is_that_of_finite_differences(
    told: tuple[Tensor, Tensor, Tensor, Tensor], smoothing: float
) -> None:
    features, weight, bias, target = told
    few = features[::20].detach().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda *learned: linear_cross_entropy(*learned, target[::20], smoothing)[0], (few, weight, bias)
    )


def test_nats_have_no_gradient(told: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    assert not linear_cross_entropy(*told)[1].requires_grad


def test_frozen_weights_get_no_gradient(told: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    features, weight, bias, target = told
    linear_cross_entropy(features, weight.detach(), bias.detach(), target)[0].backward()
    assert features.grad is not None
    assert weight.grad is bias.grad is None


def test_a_word_of_no_probability_costs_what_its_logit_says() -> None:
    bias = torch.tensor([200.0, -200.0])
    loss, nats = linear_cross_entropy(torch.zeros(1, 3), torch.zeros(2, 3), bias, torch.tensor([1]))
    assert loss.item() == nats.item() == 400.0
