from __future__ import annotations

import pytest

from chatbot.config import option_field
from chatbot.training.schedule import FLOOR, SCHEDULES, SHORTEST, progress_of, rate_factor

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


def test_every_schedule_is_an_option() -> None:
    assert tuple(SCHEDULES) == option_field("training", "schedule").metadata["choices"]


@pytest.mark.parametrize("step", [1, 250, 1000, 1700, 4000, 10_000])
def test_inverse_square_root_is_that_of_the_paper_as_a_share_of_its_peak(step: int) -> None:
    """Vaswani et al. 2017, equation 3, with 1,000 steps of warm-up in a run of 10,000."""
    steps, warmup = 10_000, 1000

    def paper(step: int) -> float:
        return float(512**-0.5 * min(step**-0.5, step * warmup**-1.5))

    factor = SCHEDULES["inverse-sqrt"](step / steps, warmup / steps)
    assert factor == pytest.approx(max(paper(step) / paper(warmup), 0.01))


def test_inverse_square_root_without_warm_up_starts_at_its_highest() -> None:
    factors = [SCHEDULES["inverse-sqrt"](n * SHORTEST, 0.0) for n in (0, 1, 4, 100)]
    assert factors == pytest.approx([1.0, 1.0, 0.5, 0.1])


def test_constant_rate_is_reached_and_kept() -> None:
    factors = [SCHEDULES["constant"](progress, 0.2) for progress in (0.1, 0.2, 0.5, 1.0)]
    assert factors == pytest.approx([0.5, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("name", SCHEDULES)
def test_first_step_already_learns(name: str) -> None:
    assert 0 < SCHEDULES[name](0.0, 0.5) < 0.1


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("warmup", [0.0, 0.3, 1.0])
def test_rate_is_never_above_the_highest_nor_0(name: str, warmup: float) -> None:
    factors = [SCHEDULES[name](n / 100, warmup) for n in range(101)]
    assert all(0 < factor <= 1 for factor in factors)
    rising = factors[: int(warmup * 100) + 1]
    assert rising == sorted(rising)
    assert factors[len(rising) :] == sorted(factors[len(rising) :], reverse=True)
