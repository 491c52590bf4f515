"""Comparisons that take a second, and results that took none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chatbot.comparison.grid import Grid
from chatbot.comparison.outcome import Figures, Outcome, Results
from chatbot.comparison.questions import Question
from chatbot.comparison.runner import Comparison, Plan
from chatbot.config import Config
from chatbot.training.events import Event, Finished, Stepped

SMALL = {"tokenizer": "chars", "embed": 8, "hidden": 8, "device": "cpu", "batch_tokens": 200, "beam": 1}
SMALL |= {"minutes": 0.0, "steps": 4, "reply_cap": 0}


@dataclass
class Witness:
    """Remembers what a comparison did; stops it at a step of a variant where it is told to."""

    stop_at: tuple[str, int] | None = None
    trained: list[str] = field(default_factory=list)
    measured: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    first_steps: list[int] = field(default_factory=list)
    comparison: Comparison | None = None

    def training(self, heading: str, events: Iterable[Event]) -> bool:
        """Consume the events, as a display does."""
        label = heading.partition(" ")[2]
        self.trained.append(label)
        steps, interrupted = [], False
        for event in events:
            interrupted |= isinstance(event, Finished) and event.reason == "interrupted"
            if isinstance(event, Stepped):
                steps.append(event.step)
                if self.stop_at == (label, event.step):
                    assert self.comparison is not None
                    assert self.comparison.stop()
        self.first_steps += steps[:1]
        return interrupted

    def measuring(self, heading: str, questions: int) -> None:
        """Note it."""
        self.measured.append(heading.partition(" ")[2])

    def failed(self, heading: str, reason: str) -> None:
        """Note it."""
        self.failures.append(reason)


Compare = Callable[..., tuple[bool, Witness, Results]]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "talk.tsv"
    path.write_text("".join(f"is it {n} or {n + 1}\tit is {n % 7} then\n" for n in range(60)), "utf-8")
    return path


@pytest.fixture
def compare(tmp_path: Path, corpus: Path) -> Compare:
    """compare(axes, stop_at=None, **options): whether it came to its end, what was done, the results."""

    def run(
        axes: dict[str, tuple[Any, ...]], stop_at: tuple[str, int] | None = None, **options: Any
    ) -> tuple[bool, Witness, Results]:
        variants = Grid(axes).variants(Config().replace(SMALL | options))
        plan = Plan(tmp_path / "compared", (str(corpus),), tmp_path / "corpora", "chatbot compare", variants)
        witness = Witness(stop_at)
        comparison = witness.comparison = Comparison(plan, witness)
        comparison.prepare()
        return comparison.run(), witness, comparison.results()

    return run


@pytest.fixture
def results() -> Results:
    """Two variants that worked, the second without attention, and one that failed."""
    figures = Figures(3.21, 1234.56, 4.5, 0.321, 12345.6, 1_234_567, 0.4321, 2000, 1.5)
    bare = Figures(4.0, None, 0.0, 0.0, None, 812, None, 7, 0.1)
    shown = (Question("how are\nyou | really?", "fine *thanks*"), Question("你好吗 <b>", "我很好"))
    replies = ("a reply that goes on and on for quite a while", "[很好]")
    outcomes = (
        Outcome(
            "additive-lstm", "additive-lstm", {"attention": "additive", "tie": True}, "", figures, replies
        ),
        Outcome("none-lstm", "none-lstm", {"attention": "none", "tie": False}, "", bare, replies[::-1]),
        Outcome(
            "ntm", "ntm", {"attention": "ntm", "tie": True}, failure="model: no | such pair; take another"
        ),
    )
    return Results("talk", "chatbot compare talk.tsv", ("talk.tsv",), 60, shown, outcomes)
