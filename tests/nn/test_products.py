from __future__ import annotations

import pytest
import torch

from chatbot.nn.products import Linear, LinearProduct, outer_product, product


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [1, 63, 65, 256, 257, 700])
def test_products_are_those_of_torch(rows: int, kind: torch.dtype) -> None:
    torch.manual_seed(0)
    left, right, bias = (torch.randn(*shape, dtype=kind) for shape in ((rows, 24), (24, 40), (40,)))
    near = {"rtol": 1e-4, "atol": 1e-4} if kind == torch.float32 else {}
    assert torch.allclose(product(left, right, bias), left @ right + bias, **near)
    assert torch.allclose(product(left, right), left @ right, **near)
    assert torch.allclose(outer_product(left, left @ right), left.t() @ (left @ right), **near)


def test_products_are_the_same_each_time() -> None:
    left, right = torch.randn(300, 24), torch.randn(300, 40)
    assert torch.equal(outer_product(left, right), outer_product(left, right))


def test_gradient_is_that_of_finite_differences() -> None:
    torch.manual_seed(0)
    told = [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((5, 4), (3, 4), (3,))]
    assert torch.autograd.gradcheck(LinearProduct.apply, told)


@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_and_its_gradients_are_torchs(bias: bool) -> None:
    torch.manual_seed(0)
    layer, inputs = Linear(24, 40, bias=bias), torch.randn(3, 50, 24, requires_grad=True)
    towards = torch.randn(3, 50, 40)
    learned = [inputs, *layer.parameters()]
    ours, torchs = layer(inputs), torch.nn.functional.linear(inputs, layer.weight, layer.bias)
    assert torch.allclose(ours, torchs, atol=1e-5)
    gradients = [torch.autograd.grad((made * towards).sum(), learned) for made in (ours, torchs)]
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-4)
