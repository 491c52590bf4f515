"""Precision: where half is not enough."""

from __future__ import annotations

import torch
from torch import Tensor


def single(tensor: Tensor) -> Tensor:
    """The tensor in single precision at least: in half, weights do not sum to 1 and squares overflow."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
