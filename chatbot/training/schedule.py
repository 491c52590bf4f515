"""How far a run is, and the learning rate there."""

from __future__ import annotations

import math
from collections.abc import Callable

FLOOR = 0.02
"""The last learning rate, as a share of the highest."""

SHORTEST = 0.01
"""Share of a run from which an inverse square root falls where there is no warm-up."""


def progress_of(
    *, seconds: float, minutes: float, step: int, steps: int, epoch: float, epochs: float
) -> float:
    """The share of the run that is done: of whichever limit is nearest.

    Args:
        seconds, step, epoch: spent so far.
        minutes, steps, epochs: the limits; 0 is none.
    """
    shares = [
        seconds / (60.0 * minutes) if minutes else 0.0,
        step / steps if steps else 0.0,
        epoch / epochs if epochs else 0.0,
    ]
    return min(1.0, max(shares))


def rate_factor(progress: float, warmup: float) -> float:
    """Warm-up and cosine decay: what the highest learning rate is multiplied with.

    It rises linearly over the share ``warmup`` of the run, then follows half a cosine down to FLOOR.

    Source: Loshchilov and Hutter 2017, "SGDR", equation 5, with one cycle.
    """
    if progress < warmup:
        return _rising(progress, warmup)
    rest = (progress - warmup) / max(1.0 - warmup, 1e-9)
    return FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 + math.cos(math.pi * rest))


def inverse_sqrt_factor(progress: float, warmup: float) -> float:
    """Warm-up, then the inverse square root of the way: √(warmup / progress).

    Source: Vaswani et al. 2017, equation 3, step^-½ beyond its warm-up, as a share of its highest value; what
    counts here is the share of the run, so that a run of so many minutes can follow it. Without a warm-up the
    way counts from SHORTEST on.
    """
    if progress < warmup:
        return _rising(progress, warmup)
    return math.sqrt(min(1.0, max(warmup, SHORTEST) / max(progress, SHORTEST)))


def constant_factor(progress: float, warmup: float) -> float:
    """Warm-up, then the highest learning rate to the end."""
    return _rising(progress, warmup) if progress < warmup else 1.0


SCHEDULES: dict[str, Callable[[float, float], float]] = {
    "cosine": rate_factor,
    "inverse-sqrt": inverse_sqrt_factor,
    "constant": constant_factor,
}
"""Factors of the highest learning rate, from the share of the run that is done and that of warm-up."""


def _rising(progress: float, warmup: float) -> float:
    return max(progress / warmup, 0.01)
