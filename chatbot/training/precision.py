"""Precision: how many bits numbers have while a step is computed; the weights themselves have 32."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping

import torch
from torch import Tensor

from chatbot.errors import OptionError
from chatbot.training.adamw import AdamW

HALVES = {"bf16": torch.bfloat16, "fp16": torch.float16}
"""Short numbers, by the name of the option: with the range of long ones, or with more digits."""

OVERFLOWS = 20
"""Steps in a row whose gradient is no number, at half the scale each time, before that is a fault: the first
scale is 2^16."""


class Precision:
    """Computes losses in short numbers, and scales them so that small gradients do not vanish.

    With fp16 the loss is multiplied by s, the gradient divided by it. Where the gradient is no number the
    step is left out and s halved; after 2,000 steps without one it is doubled.

    Source: Micikevicius et al. 2018, sections 3.1 to 3.3; torch's autocast says what is computed in which.

    Args:
        name: of the option ``--precision``.
    """

    def __init__(self, name: str, device: torch.device) -> None:
        self._half = HALVES.get(name)
        self._device = device
        self._scaler = torch.amp.GradScaler(device.type, enabled=name == "fp16")
        self._overflows = 0

    def computing(self) -> contextlib.AbstractContextManager[object]:
        """Where the network and its loss are computed."""
        if self._half is None:
            return contextlib.nullcontext()
        return torch.autocast(self._device.type, self._half)

    def scaled(self, objective: Tensor) -> Tensor:
        """What the gradient is to be taken of."""
        return self._scaler.scale(objective) if self._scaler.is_enabled() else objective

    def restored(self, optimizer: AdamW) -> None:
        """Give the gradients their true length again."""
        if self._scaler.is_enabled():
            self._scaler.unscale_(optimizer)  # type: ignore[arg-type]

    def step(self, optimizer: AdamW, wrong: Tensor) -> None:
        """Follow the gradient, unless it is none of this precision, or the numbers have gone wrong.

        Args:
            wrong: whether they have; the optimiser looks at it on its device.
        """
        if self._scaler.is_enabled():
            self._scaler.step(optimizer)  # type: ignore[arg-type]
            self._scaler.update()
        else:
            optimizer.found_inf = wrong.float()
            optimizer.step()

    def overflowed(self, norm: float) -> bool:
        """Whether a gradient of this norm is one that was left out, and the next may be none."""
        if not self._scaler.is_enabled():
            return False
        self._overflows = 0 if math.isfinite(norm) else self._overflows + 1
        return 0 < self._overflows < OVERFLOWS

    def tensors(self) -> dict[str, Tensor]:
        """The scale, and how long it has been that."""
        if not self._scaler.is_enabled():
            return {}
        state = self._scaler.state_dict()
        numbers = state["scale"], state["_growth_tracker"], self._overflows
        return {"scaler": torch.tensor(numbers, dtype=torch.float64)}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to them; a run that had none begins with the first scale."""
        if self._scaler.is_enabled() and "scaler" in tensors:
            scale, grown, overflows = tensors["scaler"].tolist()
            state = self._scaler.state_dict() | {"scale": scale, "_growth_tracker": int(grown)}
            self._scaler.load_state_dict(state)
            self._overflows = int(overflows)


def check_precision(name: str, device: torch.device) -> None:
    """Refuse short numbers where they are no faster, or not there.

    Raises:
        OptionError: the device is no GPU, or one without bf16.
    """
    if name in HALVES and device.type != "cuda":
        raise OptionError("--precision", f"{name} is for GPUs, and this is {device.type}", "leave it out")
    if name == "bf16" and not torch.cuda.is_bf16_supported():
        raise OptionError("--precision", "this GPU has no bf16", "take --precision fp16")
