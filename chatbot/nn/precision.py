"""Precision: where half is not enough."""

from __future__ import annotations

import torch
from torch import Tensor


def short_kind(device: str) -> torch.dtype | None:
    """The short numbers that autocast makes products of on a kind of device; None where it is off."""
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None


def single(tensor: Tensor) -> Tensor:
    """The tensor in single precision at least: in half, weights do not sum to 1 and squares overflow."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
