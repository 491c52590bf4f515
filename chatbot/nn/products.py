"""Matrix products in single precision by the faster of two libraries, and a linear layer of them.

torch multiplies by MKL, which leaves the AVX-512 units of processors that are not Intel's unused; oneDNN,
which torch holds as well, uses them (figures in docs/performance.md). oneDNN builds and keeps
a kernel for each shape that occurs, with about a megabyte, so rows go in blocks of few sizes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

ROWS_STEP = 64
"""More rows than this are padded with zeros to a multiple of it."""

BLOCK = 256
"""Most rows that are multiplied together; with it a weight meets four shapes, not one for every batch."""


@cache
def has_fast_products() -> bool:
    """Whether oneDNN is there, on a processor where it was measured to be the faster one."""
    there: bool = torch._C._has_mkldnn and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return there and torch.backends.cpu.get_cpu_capability() == "AVX512"


def is_fast(tensor: Tensor) -> bool:
    """Whether products of it go to oneDNN."""
    return tensor.device.type == "cpu" and tensor.dtype == torch.float32 and has_fast_products()


def product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """left @ right + bias, without a gradient.

    Shapes: left [rows, size], right [size, columns], bias [columns] -> [rows, columns]
    """
    if not is_fast(left):
        return left @ right if bias is None else torch.addmm(bias, left, right)
    if len(left) <= BLOCK:
        return _by_onednn(_padded(left), right.t(), bias)[: len(left)]
    made = left.new_empty(len(left), right.shape[1])
    for place, block in zip(torch.split(made, BLOCK), torch.split(left, BLOCK), strict=True):
        place.copy_(_by_onednn(_padded(block), right.t(), bias)[: len(block)])
    return made


def outer_product(left: Tensor, right: Tensor) -> Tensor:
    """leftᵀ @ right, the gradient of a weight, without one of its own.

    oneDNN copies a left factor that is turned, so the narrower matrix is it.

    Shapes: left [rows, columns], right [rows, size] -> [columns, size]
    """
    if not is_fast(left):
        return left.t() @ right
    if left.shape[1] > right.shape[1]:
        return outer_product(right, left).t().contiguous()
    blocks = zip(torch.split(left, BLOCK), torch.split(right, BLOCK), strict=True)
    one, two = next(blocks)
    made = _by_onednn(_padded(one).t(), _padded(two).t())
    for one, two in blocks:
        made.add_(_by_onednn(_padded(one).t(), _padded(two).t()))
    return made


def _by_onednn(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """left @ rightᵀ + bias."""
    made: Tensor = torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")
    return made


def _padded(matrix: Tensor) -> Tensor:
    """The matrix with rows of zeros, where it has many rows and not a round number of them."""
    lacking = -len(matrix) % ROWS_STEP if len(matrix) > ROWS_STEP else 0
    return nn.functional.pad(matrix, (0, 0, 0, lacking)) if lacking else matrix


class LinearProduct(torch.autograd.Function):
    """x Wᵀ + b by ``product``.

    Shapes: inputs [rows, size], weight [columns, size], bias [columns] or None -> [rows, columns]
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """x Wᵀ + b."""
        ctx.save_for_backward(inputs, weight)
        return product(inputs, weight.t(), bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grown: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of all that came in."""
        inputs, weight = ctx.saved_tensors
        of_inputs, of_weight, of_bias = ctx.needs_input_grad
        grown = grown.contiguous()
        return (
            product(grown, weight) if of_inputs else None,
            outer_product(grown, inputs) if of_weight else None,
            grown.sum(0) if of_bias else None,
        )


class Linear(nn.Linear):
    """torch's linear layer, which learns by ``product`` on a processor."""

    def forward(self, inputs: Tensor) -> Tensor:
        """x Wᵀ + b."""
        if not (self.training and torch.is_grad_enabled() and is_fast(inputs)):
            return super().forward(inputs)
        flat = inputs.reshape(-1, self.in_features)
        made: Tensor = LinearProduct.apply(flat, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return made.view(*inputs.shape[:-1], self.out_features)
