from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.nn.registry import SCORES
from chatbot.nn.scores import AdditiveScore, DotScore, GeneralScore, ScaledDotScore, Score

Vector = list[float]
Twin = Callable[[Any, Vector, Vector], float]


def times(matrix: Tensor, vector: Vector) -> Vector:
    return [dot(row, vector) for row in matrix.tolist()]


def dot(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def additive(score: AdditiveScore, query: Vector, value: Vector) -> float:
    asked, known = times(score.w.weight, query), times(score.u.weight, value)
    inner = [a + k + b for a, k, b in zip(asked, known, score.u.bias.tolist(), strict=True)]
    return dot(score.v.tolist(), [math.tanh(x) for x in inner])


TWINS: dict[str, Twin] = {
    "additive": additive,
    "dot": lambda score, query, value: dot(query, value),
    "scaled-dot": lambda score, query, value: dot(query, value) / math.sqrt(len(query)),
    "general": lambda score, query, value: dot(query, times(score.w.weight, value)),
}
"""Each score as its formula reads, one query and one value at a time."""


@pytest.mark.parametrize("name", SCORES)
def test_score_equals_its_formula_in_loops(name: str) -> None:
    torch.manual_seed(0)
    score = SCORES[name](5, 5)
    query, values = torch.randn(2, 3, 5), torch.randn(2, 4, 5)
    got = score(query, score.project(values))
    assert got.shape == (2, 3, 4)
    for b, t, j in [(b, t, j) for b in range(2) for t in range(3) for j in range(4)]:
        wanted = TWINS[name](score, query[b, t].tolist(), values[b, j].tolist())
        assert got[b, t, j].item() == pytest.approx(wanted, abs=1e-5)


def ones(score: Score) -> Score:
    """A score whose parameters make arithmetic by hand easy: identities, ones, and no bias."""
    with torch.no_grad():
        for name, parameter in score.named_parameters():
            parameter.copy_(torch.eye(2) if parameter.ndim == 2 else torch.full((2,), float(name == "v")))
    return score


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (DotScore, 1 * 3 + 2 * 4),
        (ScaledDotScore, 11 / 1.4142136),
        (GeneralScore, 11),
        (AdditiveScore, 0.9993293 + 0.9999877),  # tanh 4 + tanh 6
    ],
)
def test_score_of_worked_numbers(kind: type[Score], wanted: float) -> None:
    score = ones(kind(2, 2))
    got = score(torch.tensor([[[1.0, 2.0]]]), score.project(torch.tensor([[[3.0, 4.0]]])))
    assert got.item() == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kind", [AdditiveScore, GeneralScore])
def test_learned_score_bridges_two_sizes(kind: type[Score]) -> None:
    score = kind(3, 7)
    assert score(torch.randn(2, 4, 3), score.project(torch.randn(2, 5, 7))).shape == (2, 4, 5)


@pytest.mark.parametrize("kind", [DotScore, ScaledDotScore])
def test_dot_of_two_sizes_is_refused(kind: type[Score]) -> None:
    with pytest.raises(ValueError, match="not 3 and 7"):
        kind(3, 7)


@pytest.mark.parametrize("name", SCORES)
def test_parameters_are_finite_and_the_seed_decides_them(name: str) -> None:
    built = []
    for _ in range(2):
        torch.manual_seed(7)
        built.append(torch.cat([torch.zeros(1), *(p.flatten() for p in SCORES[name](4, 4).parameters())]))
    assert torch.isfinite(built[0]).all()
    assert torch.equal(*built)
