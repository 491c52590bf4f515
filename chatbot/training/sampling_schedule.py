"""How the share of the model's own words grows over a run of scheduled sampling."""

from __future__ import annotations

from collections.abc import Callable

LAST = 0.05
"""k^i of the exponential decay at the end of a run."""

STEEPNESS = 100.0
"""k of the inverse sigmoid decay: 99 % of its way lies between the start and the end of a run."""

DECAYS: dict[str, Callable[[float], float]] = {
    "linear": lambda progress: 1.0 - progress,
    "exponential": lambda progress: LAST**progress,
    "inverse-sigmoid": lambda progress: 1.0 / (1.0 + STEEPNESS ** (2.0 * progress - 1.0)),
}
"""ε, the probability of the gold word, as it falls over a run.

Source: Bengio et al. 2015, section 2.4: k - c i, k^i and k / (k + exp(i / k)), where i counts the batches.
Here the share of the run that is done stands for i, at such a speed that the inverse sigmoid's middle is that
of the run."""


def sampling_share(schedule: str, most: float, progress: float) -> float:
    """The probability that a word fed is the model's own: 0 at the start of a run, ``most`` at its end.

        most · (ε(0) - ε(progress)) / (ε(0) - ε(1))

    Args:
        schedule: a name of DECAYS.
        progress: share of the run that is done.
    """
    decay = DECAYS[schedule]
    return most * (decay(0.0) - decay(progress)) / (decay(0.0) - decay(1.0))
