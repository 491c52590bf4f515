"""Figure: one number of an evaluation, with how many replies it is of, its interval and its baselines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chatbot.evaluation.resampling import Sums, interval, paired_p

DIGITS = 6
"""Significant digits that are kept: far more than an interval leaves certain."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number.

    Args:
        name: what it is, see ``docs/evaluate.md``.
        value: None where it cannot be measured.
        n: replies, or other things, that it is made of.
        interval: 95 % interval, None where resampling cannot give one.
        baselines: the same figure of others, by name.
        sums: what it is made of, for a paired test; it is not recorded.
    """

    name: str
    value: float | None
    n: int
    interval: tuple[float, float] | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)
    sums: Sums | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, name: str, sums: Sums, seed: int, baselines: Mapping[str, float] | None = None) -> Figure:
        """A figure with the interval of its replies."""
        value = sums.value
        known = None if math.isnan(value) else value
        return cls(name, known, len(sums), interval(sums, seed), baselines or {}, sums)

    def against(self, other: Figure, seed: int) -> float | None:
        """p of a paired test with the same figure of another system, None where there is none."""
        if self.sums is None or other.sums is None or len(self.sums) != len(other.sums):
            return None
        return paired_p(self.sums, other.sums, seed)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, rounded."""
        return {
            "value": rounded(self.value),
            "n": self.n,
            "interval": [rounded(bound) for bound in self.interval] if self.interval else None,
            "baselines": {name: rounded(value) for name, value in self.baselines.items()},
        }


def rounded(value: float | None) -> float | None:
    """A number for JSON, which knows neither infinity nor nan: those are None."""
    return float(f"{value:.{DIGITS}g}") if value is not None and math.isfinite(value) else None
