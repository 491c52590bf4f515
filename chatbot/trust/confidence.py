"""Confidence: the probability that a reply is a good one, from the features of what the search found.

    P(good) = σ(b + Σⱼ wⱼ · clip((xⱼ - mⱼ) / sⱼ, -3, 3))

A logistic regression over what the search tells, fitted on held-out pairs (Platt 1999; for networks that may
decline to answer: Kamath et al. 2020, Varshney et al. 2020). There are two: one for the best of several
replies, one for a reply that was found alone, by greedy search or sampling. The clipping keeps a question
unlike any that was held out from getting a confidence that nothing was ever measured for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.hypothesis import Hypothesis
from chatbot.errors import CheckpointError
from chatbot.trust.features import ALONE, SEVERAL, features

FARTHEST = 3.0
"""Standard deviations from the mean at which a feature is clipped."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic regression.

    Args:
        names: of its features.
        means, scales: what is taken from each feature, and what the rest is divided by.
        weights, bias: of the features after that.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def of(self, values: Mapping[str, float]) -> float:
        """The probability for one set of features."""
        return float(self.of_rows(np.array([[values[name] for name in self.names]]))[0])

    def of_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probabilities of many.

        Shapes: rows [rows, features] -> [rows]
        """
        logits = scaled(rows, np.array(self.means), np.array(self.scales)) @ np.array(self.weights)
        return np.asarray(sigmoid(logits + self.bias))

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, a feature a line."""
        rows = zip(self.names, self.means, self.scales, self.weights, strict=True)
        return {
            "bias": self.bias,
            "features": {
                name: {"mean": mean, "scale": scale, "weight": weight} for name, mean, scale, weight in rows
            },
        }

    @classmethod
    def from_json(cls, record: Any, names: tuple[str, ...]) -> Logistic:
        """Read such an object.

        Raises:
            KeyError, TypeError, ValueError: it is none of these features.
        """
        rows = [record["features"][name] for name in names]
        means, scales, weights = (
            tuple(_finite(row[what]) for row in rows) for what in ("mean", "scale", "weight")
        )
        if not all(scale > 0 for scale in scales):
            raise ValueError("a scale is not above 0")
        return cls(names, means, scales, weights, _finite(record["bias"]))


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure a reply is.

    Args:
        several: for the best of several replies; None where the search it was fitted with finds one.
        alone: for a reply found alone.
        good: what a good reply is, a name among ``chatbot.evaluation.goodness.MEANINGS``.
    """

    several: Logistic | None
    alone: Logistic
    good: str

    def of(self, found: Sequence[tuple[str, Hypothesis]], known: float) -> float:
        """The probability that the first of some replies is good, see ``features``."""
        if self.several is None or len(found) < 2:
            return self.alone.of(features(found[:1], known))
        return self.several.of(features(found, known))

    def to_bytes(self) -> bytes:
        """As ``confidence.json``."""
        several = self.several and self.several.to_json()
        record = {"good": self.good, "several": several, "alone": self.alone.to_json()}
        return json.dumps(record, indent=1).encode() + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Confidence:
        """Read such a file.

        Raises:
            CheckpointError: it is none.
        """
        try:
            record = json.loads(data)
            several = record["several"] and Logistic.from_json(record["several"], SEVERAL)
            return cls(several, Logistic.from_json(record["alone"], ALONE), str(record["good"]))
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise CheckpointError(where, f"cannot be read ({error})", "restore it, or train again") from None


def scaled(
    rows: NDArray[np.float64], means: NDArray[np.float64], scales: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Features by their own measure, clipped.

    Shapes: rows [rows, features]; means, scales [features]
    """
    return np.clip((rows - means) / scales, -FARTHEST, FARTHEST)


def sigmoid(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """σ(x) = 1 / (1 + e⁻ˣ), for large x of either sign as well."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)))


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no finite number")
    return number
