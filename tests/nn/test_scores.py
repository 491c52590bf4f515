from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.errors import OptionError
from chatbot.nn.registry import SCORES, build_attention
from chatbot.nn.scores import (
    AdditiveScore,
    CosineScore,
    DotScore,
    GeneralScore,
    LocationScore,
    ScaledDotScore,
    Score,
)
from chatbot.nn.sizes import AttentionSizes

Vector = list[float]
Twin = Callable[[Any, Vector, list[Vector]], list[float]]


def times(matrix: Tensor, vector: Vector) -> Vector:
    return [dot(row, vector) for row in matrix.tolist()]


def dot(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def norm(vector: Vector) -> float:
    return math.sqrt(dot(vector, vector))


def additive(score: AdditiveScore, query: Vector, value: Vector) -> float:
    asked, known = times(score.w.weight, query), times(score.u.weight, value)
    inner = [a + k + b for a, k, b in zip(asked, known, score.u.bias.tolist(), strict=True)]
    return dot(score.v.tolist(), [math.tanh(x) for x in inner])


def cosine(score: CosineScore, query: Vector, value: Vector) -> float:
    asked = times(score.beta.weight, query)[0] + score.beta.bias.item()
    return math.log(1 + math.exp(asked)) * dot(query, value) / (norm(query) * norm(value))


def each(one: Callable[[Any, Vector, Vector], float]) -> Twin:
    return lambda score, query, values: [one(score, query, value) for value in values]


TWINS: dict[str, Twin] = {
    "additive": each(additive),
    "dot": each(lambda score, query, value: dot(query, value)),
    "scaled-dot": each(lambda score, query, value: dot(query, value) / math.sqrt(len(query))),
    "general": each(lambda score, query, value: dot(query, times(score.w.weight, value))),
    "cosine": each(cosine),
    "location": lambda score, query, values: times(score.w.weight, query)[: len(values)],
}
"""Each score as its formula reads, one query at a time."""


def real(values: Tensor) -> Tensor:
    return torch.ones(values.shape[:2], dtype=torch.bool)


def scored(score: Score, query: Tensor, values: Tensor) -> Tensor:
    got: Tensor = score(query, score.project(values, real(values)))
    return got


@pytest.mark.parametrize("name", SCORES)
def test_score_equals_its_formula_in_loops(name: str) -> None:
    torch.manual_seed(0)
    score = SCORES[name](AttentionSizes.square(5))
    query, values = torch.randn(2, 3, 5), torch.randn(2, 4, 5)
    got = scored(score, query, values)
    assert got.shape == (2, 3, 4)
    for b, t in [(b, t) for b in range(2) for t in range(3)]:
        wanted = TWINS[name](score, query[b, t].tolist(), values[b].tolist())
        assert got[b, t].tolist() == pytest.approx(wanted, abs=1e-5)


def ones(score: Score) -> Score:
    """A score whose parameters make arithmetic by hand easy: identities, ones, and no bias."""
    with torch.no_grad():
        for name, parameter in score.named_parameters():
            parameter.copy_(torch.eye(*parameter.shape) if parameter.ndim == 2 else float(name == "v"))
    return score


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (DotScore, 1 * 3 + 2 * 4),
        (ScaledDotScore, 11 / 1.4142136),
        (GeneralScore, 11),
        (AdditiveScore, 0.9993293 + 0.9999877),  # tanh 4 + tanh 6
        (CosineScore, 1.3132617 * 11 / (2.2360680 * 5)),  # softplus 1, |q| = √5, |k| = 5
        (LocationScore, 1.0),  # the query's first number, whatever the key
    ],
)
def test_score_of_worked_numbers(kind: type[Score], wanted: float) -> None:
    score = ones(kind(AttentionSizes.square(2)))
    got = scored(score, torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0, 4.0]]]))
    assert got.item() == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kind", [AdditiveScore, GeneralScore, LocationScore])
def test_learned_score_bridges_two_sizes(kind: type[Score]) -> None:
    score = kind(AttentionSizes(query=3, value=7, inner=5))
    assert scored(score, torch.randn(2, 4, 3), torch.randn(2, 5, 7)).shape == (2, 4, 5)


@pytest.mark.parametrize("name", SCORES)
def test_keys_are_of_the_size_the_score_says(name: str) -> None:
    score, values = SCORES[name](AttentionSizes(query=6, value=6, inner=4)), torch.randn(2, 3, 6)
    assert score.project(values, real(values)).shape == (2, 3, score.key)


@pytest.mark.parametrize("kind", [DotScore, ScaledDotScore, CosineScore])
def test_product_of_two_sizes_is_refused(kind: type[Score]) -> None:
    with pytest.raises(ValueError, match="not 3 and 7"):
        kind(AttentionSizes(query=3, value=7, inner=5))


@pytest.mark.parametrize("name", SCORES)
def test_parameters_are_finite_and_the_seed_decides_them(name: str) -> None:
    built = []
    for _ in range(2):
        torch.manual_seed(7)
        score = SCORES[name](AttentionSizes.square(4))
        built.append(torch.cat([torch.zeros(1), *(p.flatten() for p in score.parameters())]))
    assert torch.isfinite(built[0]).all()
    assert torch.equal(*built)


def test_cosine_knows_no_lengths() -> None:
    score, values = CosineScore(AttentionSizes.square(4)), torch.randn(1, 3, 4)
    with torch.no_grad():
        score.beta.weight.zero_()
    query = torch.randn(1, 2, 4)
    assert torch.allclose(scored(score, query, values), scored(score, 50 * query, 0.02 * values), atol=0.01)


@pytest.mark.parametrize("size", [0.0, 1e-30, 1e15, 1e25])
def test_cosine_of_vectors_of_any_length_has_finite_gradients(size: float) -> None:
    score = CosineScore(AttentionSizes.square(4))
    query = torch.full((1, 1, 4), size).requires_grad_()
    values = torch.stack([torch.full((4,), size), torch.ones(4)])[None].requires_grad_()
    got = scored(score, query, values)
    got.sum().backward()
    for part in (got, query.grad, values.grad, score.beta.weight.grad):
        assert part is not None
        assert torch.isfinite(part).all()


def test_cosine_of_long_vectors_in_half_precision_is_that_in_single() -> None:
    """The square of 300 is more than half precision can hold."""
    torch.manual_seed(0)
    score, query, values = (
        CosineScore(AttentionSizes.square(4)),
        300 * torch.randn(1, 3, 4),
        torch.randn(1, 5, 4),
    )
    with torch.no_grad():
        score.beta.weight.zero_()
    wanted = scored(score, query, values)
    assert torch.allclose(scored(score.half(), query.half(), values.half()).float(), wanted, atol=0.05)


def test_cosine_starts_sharp_enough_to_tell_positions_apart() -> None:
    """The weight of a position whose key is the query among 19 others that are at right angles to it."""
    score = CosineScore(AttentionSizes.square(20))
    with torch.no_grad():
        score.beta.weight.zero_()
    weights = torch.softmax(scored(score, torch.eye(20)[None, :1], torch.eye(20)[None]), dim=-1)
    assert weights[0, 0, 0] > 0.9


def test_location_takes_sources_up_to_its_length_and_padding_beyond() -> None:
    score = LocationScore(AttentionSizes(query=3, value=3, inner=3, src_len=4))
    values, query = torch.randn(2, 7, 3), torch.randn(2, 5, 3)
    mask = torch.arange(7)[None] < torch.tensor([[4], [2]])
    got = score(query, score.project(values, mask))
    assert got.shape == (2, 5, 7)
    assert (got[..., 4:] == 0).all()
    assert torch.equal(got[..., :4], score(query, score.project(values[:, :4], mask[:, :4])))


def test_location_refuses_a_real_token_beyond_its_length() -> None:
    attention = build_attention("location", "global", AttentionSizes(query=3, value=3, inner=3, src_len=4))
    mask = torch.arange(7)[None] < torch.tensor([[4], [6]])
    with pytest.raises(OptionError, match=r"question of 6 tokens is longer than the 4 .*; ") as caught:
        attention.prepare(torch.randn(2, 7, 3), mask, torch.randn(2, 3))
    assert caught.value.where == "--max-src"
