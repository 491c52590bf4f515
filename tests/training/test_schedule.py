from __future__ import annotations

import pytest

from chatbot.training.schedule import FLOOR, progress_of, rate_factor

NOTHING = {"seconds": 0.0, "minutes": 0.0, "step": 0, "steps": 0, "epoch": 0.0, "epochs": 0.0}


@pytest.mark.parametrize(
    ("spent", "share"),
    [
        ({}, 0.0),
        ({"seconds": 90.0, "minutes": 3.0}, 0.5),
        ({"step": 25, "steps": 100}, 0.25),
        ({"epoch": 1.5, "epochs": 2.0}, 0.75),
        ({"seconds": 90.0, "minutes": 3.0, "step": 90, "steps": 100}, 0.9),  # the nearest limit counts
        ({"seconds": 90.0, "step": 7, "epoch": 2.0}, 0.0),  # spent without a limit
        ({"step": 250, "steps": 100}, 1.0),
    ],
)
def test_progress_is_the_share_of_the_nearest_limit(spent: dict[str, float], share: float) -> None:
    assert progress_of(**NOTHING | spent) == share


@pytest.mark.parametrize(
    ("progress", "factor"),
    [(0.05, 0.5), (0.1, 1.0), (0.55, FLOOR + (1 - FLOOR) / 2), (1.0, FLOOR)],
)
def test_rate_rises_linearly_and_falls_as_half_a_cosine(progress: float, factor: float) -> None:
    assert rate_factor(progress, warmup=0.1) == pytest.approx(factor)


def test_first_step_already_learns() -> None:
    assert 0 < rate_factor(0.0, warmup=0.5) < 0.1


@pytest.mark.parametrize("warmup", [0.0, 0.3, 1.0])
def test_rate_is_never_above_the_highest_nor_0(warmup: float) -> None:
    factors = [rate_factor(n / 100, warmup) for n in range(101)]
    assert all(0 < factor <= 1 for factor in factors)
    rising = factors[: int(warmup * 100) + 1]
    assert rising == sorted(rising)
    assert factors[len(rising) :] == sorted(factors[len(rising) :], reverse=True)
