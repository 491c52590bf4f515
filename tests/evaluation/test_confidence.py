"""Calibration and risk at a coverage, against worked examples and against a threshold that is really set."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.evaluation.confidence import (
    aurc,
    calibration_error,
    calibration_noise,
    confidence_report,
    risk_coverage,
    separation,
)

OUTCOMES = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.7, 0.9]), st.booleans()), min_size=1)


def test_risk_and_coverage_by_hand() -> None:
    rows = risk_coverage([0.2, 0.9, 0.5, 0.7], [False, True, True, False], (1.0, 0.75, 0.5, 0.25))
    assert [(row.coverage, row.threshold) for row in rows] == [(1, 0.2), (0.75, 0.5), (0.5, 0.7), (0.25, 0.9)]
    assert [row.risk for row in rows] == pytest.approx([2 / 4, 1 / 3, 1 / 2, 0])


@given(OUTCOMES)
def test_row_is_what_its_threshold_does(outcomes: list[tuple[float, bool]]) -> None:
    sure, good = [each[0] for each in outcomes], [each[1] for each in outcomes]
    for row in risk_coverage(sure, good):
        answered = [hit for confidence, hit in outcomes if confidence >= row.threshold]
        assert row.coverage == pytest.approx(len(answered) / len(outcomes))
        assert row.risk == pytest.approx(answered.count(False) / len(answered))


def test_aurc_by_hand() -> None:
    assert aurc([0.9, 0.8, 0.1], [True, False, True]) == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)


@given(OUTCOMES.filter(lambda outcomes: len(outcomes) < 6))
def test_aurc_of_equally_sure_replies_is_the_mean_over_their_orders(
    outcomes: list[tuple[float, bool]],
) -> None:
    areas = []
    for order in itertools.permutations(outcomes):
        ranked = sorted(order, key=lambda each: -each[0])
        wrong = list(itertools.accumulate(not hit for _, hit in ranked))
        areas.append(np.mean([count / (place + 1) for place, count in enumerate(wrong)]))
    assert aurc(*zip(*outcomes, strict=True)) == pytest.approx(np.mean(areas))


def test_calibration_error_by_hand() -> None:
    sure = [0.9, 0.8, 0.3, 0.2]
    good = [True, False, False, False]
    assert calibration_error(sure, good, bins=2) == pytest.approx((abs(1 - 1.7) + abs(0 - 0.5)) / 4)


def test_calibration_error_of_one_bin_is_the_gap_of_the_means() -> None:
    assert calibration_error([0.5] * 10, [True] * 8 + [False] * 2, bins=1) == pytest.approx(0.3)


def test_perfect_confidences_err_by_about_the_noise() -> None:
    random = np.random.default_rng(0)
    errors, noises = [], []
    for _ in range(200):
        sure = random.uniform(0.05, 0.6, 400)
        errors.append(calibration_error(sure, random.random(400) < sure))
        noises.append(calibration_noise(sure))
    assert np.mean(errors) == pytest.approx(np.mean(noises), rel=0.05)


def test_overconfidence_errs_by_more_than_the_noise() -> None:
    random = np.random.default_rng(0)
    sure = random.uniform(0.3, 0.9, 1000)
    good = random.random(1000) < sure - 0.2
    assert calibration_error(sure, good) == pytest.approx(0.2, abs=0.03)
    assert calibration_noise(sure) < 0.05


@given(OUTCOMES)
def test_separation_is_the_share_of_pairs_told_apart(outcomes: list[tuple[float, bool]]) -> None:
    hits = [sure for sure, hit in outcomes if hit]
    misses = [sure for sure, hit in outcomes if not hit]
    told = [(hit > miss) + 0.5 * (hit == miss) for hit in hits for miss in misses]
    assert separation(*zip(*outcomes, strict=True)) == pytest.approx(np.mean(told) if told else 0.5)


def test_report_of_nothing_holds_numbers() -> None:
    report = confidence_report([], [])
    assert report["risk_coverage"] == []
    assert all(math.isfinite(value) for value in report.values() if isinstance(value, float))
