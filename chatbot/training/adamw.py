"""AdamW: how weights follow their gradients.

torch's own classes load its compiler at their first step, which takes 75 MB and a second for nothing here;
this one calls the same kernel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

BETAS, EPSILON = (0.9, 0.98), 1e-9
"""Decay of the moments, and what keeps the quotient finite: those of Vaswani et al. 2017, section 5.3."""


class AdamW:
    """Adam with decoupled weight decay.

        m <- β₁ m + (1 - β₁) g        v <- β₂ v + (1 - β₂) g²
        θ <- θ - η λ θ - η (m / (1 - β₁^t)) / (√(v / (1 - β₂^t)) + ε)

    Source: Loshchilov and Hutter 2019, algorithm 2 (λ is multiplied by η here, as in torch).

    Args:
        groups: parameters with their λ.
        lr: η, until a group is given another.
    """

    grad_scale: Tensor | None = None
    found_inf: Tensor | None = None
    """Set by torch's GradScaler, or before a step: 1 on the device leaves all as it is."""

    _step_supports_amp_scaling = True
    """What GradScaler asks for: that the two above are heeded."""

    def __init__(self, groups: Sequence[tuple[Sequence[nn.Parameter], float]], lr: float) -> None:
        self.param_groups: list[dict[str, Any]] = [
            {"params": list(parameters), "weight_decay": decay, "lr": lr} for parameters, decay in groups
        ]
        self._moments: dict[int, dict[str, Tensor]] = {}  # by the number of the parameter

    @torch.no_grad()
    def step(self) -> None:
        """Follow the gradients; a parameter without one stays as it is."""
        number = 0
        for group in self.param_groups:
            learned = [(number + place, weight) for place, weight in enumerate(group["params"])]
            number += len(learned)
            learned = [(place, weight) for place, weight in learned if weight.grad is not None]
            if not learned:
                continue
            weights = [weight for _, weight in learned]
            states = [self._moments_of(place, weight) for place, weight in learned]
            follow = _follow if weights[0].device.type == "mps" else _follow_fused
            follow(self, group, weights, states)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for group in self.param_groups:
            for weight in group["params"]:
                if set_to_none or weight.grad is None:
                    weight.grad = None
                else:
                    weight.grad.zero_()

    def tensors(self) -> dict[str, Tensor]:
        """Moments and step counts, by "optimizer.PARAMETER.NAME"."""
        return {
            f"optimizer.{number}.{name}": tensor
            for number, moments in sorted(self._moments.items())
            for name, tensor in moments.items()
        }

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Put them back, of what is told; other tensors are of no account."""
        weights = [weight for group in self.param_groups for weight in group["params"]]
        found: dict[int, dict[str, Tensor]] = {}
        for key, tensor in tensors.items():
            prefix, _, rest = key.partition(".")
            if prefix == "optimizer":
                number, _, name = rest.partition(".")
                device = weights[int(number)].device
                found.setdefault(int(number), {})[name] = tensor.detach().to(device).clone()
        self._moments = found

    def _moments_of(self, number: int, weight: Tensor) -> dict[str, Tensor]:
        if number not in self._moments:
            self._moments[number] = {
                "step": torch.zeros((), dtype=torch.float32, device=weight.device),
                "exp_avg": torch.zeros_like(weight),
                "exp_avg_sq": torch.zeros_like(weight),
            }
        return self._moments[number]


def _follow_fused(
    own: AdamW, group: Mapping[str, Any], weights: list[Tensor], states: list[dict[str, Tensor]]
) -> None:
    """All parameters in one call, with no word to the host."""
    steps, means, squares = ([state[name] for state in states] for name in ("step", "exp_avg", "exp_avg_sq"))
    torch._foreach_add_(steps, 1)
    torch._fused_adamw_(
        weights,
        [weight.grad for weight in weights if weight.grad is not None],
        means,
        squares,
        [],
        steps,
        lr=group["lr"],
        beta1=BETAS[0],
        beta2=BETAS[1],
        weight_decay=group["weight_decay"],
        eps=EPSILON,
        amsgrad=False,
        maximize=False,
        grad_scale=own.grad_scale,
        found_inf=own.found_inf,
    )
    if own.found_inf is not None:
        torch._foreach_sub_(steps, [own.found_inf] * len(steps))


def _follow(
    own: AdamW, group: Mapping[str, Any], weights: list[Tensor], states: list[dict[str, Tensor]]
) -> None:
    """One parameter after the other, where there is no kernel for all."""
    if own.found_inf is not None and own.found_inf:
        return
    for weight, state in zip(weights, states, strict=True):
        mean, square, gradient = state["exp_avg"], state["exp_avg_sq"], weight.grad
        assert gradient is not None
        steps = float(state["step"].add_(1))
        weight.mul_(1 - group["lr"] * group["weight_decay"])
        mean.lerp_(gradient, 1 - BETAS[0])
        square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        length = (square.sqrt() / math.sqrt(1 - BETAS[1] ** steps)).add_(EPSILON)
        weight.addcdiv_(mean, length, value=-group["lr"] / (1 - BETAS[0] ** steps))
