"""How well confidences are calibrated, and what refusing the least sure replies is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

COVERAGES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of the questions that rows of a table answer."""

BINS = 10

Confidences = Sequence[float] | NDArray[np.float64]
Outcomes = Sequence[bool] | NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RiskRow:
    """What happens when only the surest replies are given.

    Args:
        coverage: share of the questions that are answered.
        threshold: the confidence that the last of them has: the ``--threshold`` that does this.
        risk: share of the given replies that are no good ones.
    """

    coverage: float
    threshold: float
    risk: float


def risk_coverage(
    confidences: Confidences, good: Outcomes, coverages: Sequence[float] = COVERAGES
) -> list[RiskRow]:
    """The risk at some coverages, each in turn by refusing the least sure replies.

    Replies as sure as the last one that is answered are answered too, as a threshold would have it,
    so the coverage of a row may be more than was asked for.

    Source: El-Yaniv and Wiener 2010, section 2; Geifman and El-Yaniv 2017.
    """
    sure, bad = _sorted(confidences, good)
    rows = []
    for coverage in coverages if len(sure) else ():
        threshold = sure[max(1, round(coverage * len(sure))) - 1]
        answered = int(np.searchsorted(-sure, -threshold, side="right"))
        rows.append(RiskRow(answered / len(sure), float(threshold), float(bad[:answered].mean())))
    return rows


def aurc(confidences: Confidences, good: Outcomes) -> float:
    """Area under the risk-coverage curve: the risk averaged over all coverages; 0 is best.

        AURC = 1/n Σₖ risk(the k surest)

    Confidences in random order have the share of bad replies. Equally sure ones count as if in every order.

    Source: Geifman, Uziel and El-Yaniv 2019, section 3.
    """
    sure, bad = _sorted(confidences, good)
    if not len(sure):
        return 0.0
    _, groups, sizes = np.unique(-sure, return_inverse=True, return_counts=True)
    shares = np.bincount(groups, weights=bad) / sizes
    return float((np.cumsum(shares[groups]) / np.arange(1, len(bad) + 1)).mean())


def calibration_error(confidences: Confidences, good: Outcomes, bins: int = BINS) -> float:
    """Expected calibration error: how far confidence and the share of good replies are apart, on average.

        ECE = Σ_b n_b / n · |share good in b - mean confidence in b|

    Bins hold equally many replies: those of equal width leave nearly all in one or two where confidences lie
    close together, and hide what goes on there.

    Source: Guo et al. 2017, equation 3; bins of equal mass: Nguyen and O'Connor 2015.
    """
    sure, bad = _sorted(confidences, good)
    parts = zip(np.array_split(sure, bins), np.array_split(bad, bins), strict=True)
    gaps = (abs(float((1 - wrong).sum() - mine.sum())) for mine, wrong in parts)
    return sum(gaps) / max(len(sure), 1)


def calibration_noise(confidences: Confidences, bins: int = BINS) -> float:
    """The calibration error to be expected of perfect confidences, on so many replies.

        Σ_b n_b / n · √(2 p_b (1 - p_b) / (π n_b))

    This is the mean distance of a normal variable from its mean, with the variance of n_b outcomes. An error
    near it tells nothing against the confidences, and nothing finer for them.
    """
    sure, _ = _sorted(confidences, np.zeros(len(confidences), dtype=bool))
    parts = [part for part in np.array_split(sure, bins) if len(part)]
    spreads = [np.sqrt(2 / np.pi * float((part * (1 - part)).sum())) for part in parts]
    return float(sum(spreads)) / max(len(sure), 1)


def separation(confidences: Confidences, good: Outcomes) -> float:
    """The chance that of a good reply and a bad one the good one is the surer: the area under the ROC curve.

    Equally sure ones count half; 0.5 where all are good, or none is.
    """
    values, hits = np.asarray(confidences, dtype=np.float64), np.asarray(good, dtype=bool)
    _, groups, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[groups]
    many, few = int(hits.sum()), int((~hits).sum())
    if not many or not few:
        return 0.5
    return float((ranks[hits].sum() - many * (many + 1) / 2) / (many * few))


def confidence_report(confidences: Confidences, good: Outcomes) -> dict[str, Any]:
    """The figures for a report.

    Share of good replies, ECE and what chance makes of it, AURC, separation, risk at some coverages.
    """
    return {
        "pairs": len(confidences),
        "good": round(float(np.mean(good)), 4) if len(confidences) else 0.0,
        "calibration_error": round(calibration_error(confidences, good), 4),
        "calibration_noise": round(calibration_noise(confidences), 4),
        "aurc": round(aurc(confidences, good), 4),
        "separation": round(separation(confidences, good), 4),
        "risk_coverage": [
            {name: round(value, 4) for name, value in asdict(row).items()}
            for row in risk_coverage(confidences, good)
        ],
    }


def _sorted(confidences: Confidences, good: Outcomes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Confidences, the surest first, and 1 for each bad reply."""
    values = np.asarray(confidences, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    return values[order], 1.0 - np.asarray(good, dtype=np.float64)[order]
