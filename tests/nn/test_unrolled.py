from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.recurrent import build_recurrent
from chatbot.nn.unrolled import UnrolledGru

LENGTH, BATCH, SIZE, HIDDEN = 5, 3, 4, 6


def learnable(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_gradient_is_that_of_finite_differences() -> None:
    torch.manual_seed(0)
    wide = 3 * HIDDEN
    weights = learnable(wide, SIZE), learnable(wide, HIDDEN), learnable(wide), learnable(wide)
    told = learnable(LENGTH, BATCH, SIZE), learnable(BATCH, HIDDEN), *weights
    assert torch.autograd.gradcheck(UnrolledGru.apply, told)


@pytest.mark.parametrize("length", [1, LENGTH])
def test_outputs_and_gradients_are_those_of_torchs_gru(length: int) -> None:
    torch.manual_seed(0)
    ours = build_recurrent("gru", SIZE, HIDDEN).double()
    torchs = nn.GRU(SIZE, HIDDEN, batch_first=True, dtype=torch.float64)
    torchs.load_state_dict(ours.state_dict())
    inputs, state = learnable(BATCH, length, SIZE), learnable(1, BATCH, HIDDEN)
    found = []
    for layer in (ours, torchs):
        outputs, after = layer(inputs, state)
        towards = (outputs.sin().sum() + after.square().sum(), [inputs, state, *layer.parameters()])
        found.append([outputs, after, *torch.autograd.grad(*towards)])
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, rtol=1e-10, atol=1e-12)


def test_a_layer_learns_and_speaks_alike() -> None:
    layer, inputs = build_recurrent("gru", SIZE, HIDDEN), torch.randn(BATCH, LENGTH, SIZE)
    learning = layer(inputs)[0]
    assert torch.allclose(learning, layer.eval()(inputs)[0], atol=1e-6)
