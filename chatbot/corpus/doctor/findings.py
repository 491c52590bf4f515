"""What a doctor says of a corpus: findings, each with a remedy, and the facts behind them.

A finding is red where training would waste the time it takes, yellow where a person should look first, and
green where all is well.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from chatbot.corpus.doctor.facts import Facts

Level = Literal["red", "yellow", "green"]

RED: Level = "red"
YELLOW: Level = "yellow"
GREEN: Level = "green"

LEVELS = (RED, YELLOW, GREEN)
"""Worst first."""

SIZE = "size"
"""The finding that a verdict's sentence begins with; there always is one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Args:
        level: how bad it is.
        name: of what was looked at, such as "replies".
        what: what was found, with its number.
        remedy: what to do about it; "" where there is nothing to do.
    """

    level: Level
    name: str
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a corpus is worth training on.

    Args:
        findings: worst first.
        facts: what was counted.
    """

    findings: tuple[Finding, ...]
    facts: Facts

    @property
    def worst(self) -> Level:
        """The level of the worst finding."""
        return min((finding.level for finding in self.findings), key=LEVELS.index, default=GREEN)

    @property
    def sentence(self) -> str:
        """What a person reads first: how much there is, and how many findings are not green."""
        size = next(finding for finding in self.findings if finding.name == SIZE)
        others = [finding.level for finding in self.findings if finding is not size]
        counted = (
            _counted(others.count(RED), "reason to stop", "reasons to stop"),
            _counted(others.count(YELLOW), "thing to look at", "things to look at"),
        )
        said = ", ".join(each for each in counted if each)
        if not said and self.worst == GREEN:
            said = "nothing to worry about"
        return f"{size.what}; {said}" if said else size.what

    def to_json(self) -> dict[str, Any]:
        """Plain objects, lists, numbers and texts."""
        record: dict[str, Any] = {
            "worst": self.worst,
            "sentence": self.sentence,
            "findings": [dataclasses.asdict(each) for each in self.findings],
            "facts": _listed(dataclasses.asdict(self.facts)),
        }
        record["facts"]["cleaning"]["pairs"] = self.facts.cleaning.pairs
        return record


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, worst first; equally bad ones stay in their order."""
    return tuple(sorted(findings, key=lambda finding: LEVELS.index(finding.level)))


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def _listed(value: Any) -> Any:
    """The value with lists for tuples, as JSON reads it back."""
    if isinstance(value, dict):
        return {key: _listed(each) for key, each in value.items()}
    return [_listed(each) for each in value] if isinstance(value, (list, tuple)) else value


def level_of(share: float, yellow: float, red: float = math.inf) -> Level:
    """How bad a share is that should be below two thresholds."""
    if share > red:
        return RED
    return YELLOW if share > yellow else GREEN


def finding(level: Level, name: str, what: str, remedy: str) -> Finding:
    """A finding whose remedy is needed only where something is wrong."""
    return Finding(level, name, what, remedy if level != GREEN else "")


def percent(share: float) -> str:
    """The share for people: a small one is not nothing, and nearly all is not all."""
    if 0 < share < 0.001:
        return "below 0.1%"
    if share < 0.1:
        return f"{100 * share:.1f}%" if share else "0%"
    return f"{min(100 * share, 99.0) if share < 1 else 100.0:.0f}%"


def several(count: int, noun: str) -> str:
    """So many of a noun: "1 pair", "1,200 pairs"."""
    return f"{count:,} {noun}" + ("s" if count != 1 else "")


Diagnosis = Callable[[Facts], Finding | None]
"""Looks at one fact; None where there is nothing to say."""
