"""Figures: numbers that a device has computed or will have, on their way to the host."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


class Figures:
    """Scalars of a device, asked for at once and read when they are needed.

    A GPU works through a queue of its own; to read a number is to wait until the queue is empty, and the GPU
    then for the next work. So the numbers go to the host in the queue, and are read when more is in it.

    Args:
        scalars: of one device each; elsewhere than on a GPU they are there already.
    """

    def __init__(self, scalars: Sequence[Tensor], device: torch.device) -> None:
        kind = torch.float32 if device.type == "mps" else torch.float64  # which has no larger one
        self._numbers = torch.stack([scalar.detach().to(kind) for scalar in scalars])
        self._arrived: torch.cuda.Event | None = None
        if device.type == "cuda":
            here = torch.empty(self._numbers.shape, dtype=kind, pin_memory=True)
            self._numbers = here.copy_(self._numbers, non_blocking=True)
            self._arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._arrived.record()

    def read(self) -> list[float]:
        """The numbers, once they are there."""
        if self._arrived:
            self._arrived.synchronize()
        found: list[float] = self._numbers.tolist()
        return found
