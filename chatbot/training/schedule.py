"""How far a run is, and the learning rate there."""

from __future__ import annotations

import math

FLOOR = 0.02
"""The last learning rate, as a share of the highest."""


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
        return max(progress / warmup, 0.01)
    rest = (progress - warmup) / max(1.0 - warmup, 1e-9)
    return FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 + math.cos(math.pi * rest))
