from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from chatbot.nn.attention import ScoredAttention
from chatbot.nn.coverage import Coverage
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.registry import build_attention
from chatbot.nn.sizes import AttentionSizes

SIZE, LENGTHS, STEPS = 4, (5, 2), 6


def covering(score: str = "additive", align: str = "global", seed: int = 0) -> ScoredAttention:
    torch.manual_seed(seed)
    attention = build_attention(score, align, AttentionSizes.square(SIZE), coverage=True).eval()
    assert isinstance(attention, ScoredAttention)
    return attention


def memory_of(attention: ScoredAttention) -> Memory:
    values = torch.randn(2, 5, SIZE, generator=torch.Generator().manual_seed(1))
    mask = torch.arange(5)[None] < torch.tensor(LENGTHS)[:, None]
    return attention.prepare(values, mask, values[:, 0])


def queries() -> Tensor:
    return torch.randn(2, STEPS, SIZE, generator=torch.Generator().manual_seed(2))


def of(score: str, attention: ScoredAttention, query: Tensor, value: Tensor, covered: Tensor) -> Tensor:
    """v · tanh(W q + U k + w c) or q · k + c (q · w), of one query and one value."""
    parts, w = attention.score, attention.coverage.w
    if score == "dot":
        return query @ value + covered * (query @ w)
    inner = parts.w.weight @ query + parts.u.weight @ value + parts.u.bias + w * covered
    return parts.v @ torch.tanh(inner)


@torch.no_grad()
@pytest.mark.parametrize("score", ["additive", "dot"])
def test_weights_and_price_are_as_the_equations_have_them(score: str) -> None:
    """See et al. 2017, equations 10 to 12, position by position."""
    attention = covering(score)
    memory = memory_of(attention)
    found: Attended = attention(queries(), memory, attention.start(memory))
    assert found.penalty is not None
    for row, length in enumerate(LENGTHS):
        covered = torch.zeros(length)
        for t in range(STEPS):
            scores = [
                of(score, attention, queries()[row, t], memory.values[row, j], covered[j])
                for j in range(length)
            ]
            total = sum(math.exp(each) for each in scores)
            weights = torch.tensor([math.exp(each) / total for each in scores])
            price = sum(min(weights[j].item(), covered[j].item()) for j in range(length))
            assert found.weights[row, t, :length].tolist() == pytest.approx(weights.tolist(), abs=1e-5)
            assert found.penalty[row, t].item() == pytest.approx(price, abs=1e-5)
            covered = covered + weights
        assert found.state.coverage[row, :length].tolist() == pytest.approx(covered.tolist(), abs=1e-5)


def test_price_of_worked_numbers() -> None:
    state = AttentionState(torch.tensor([3]), torch.zeros(1, 3), torch.tensor([[0.2, 1.5, 0.0]]))
    price = Coverage(2).penalty(torch.tensor([[[0.5, 0.3, 0.2]]]), state)
    assert price.tolist() == [[pytest.approx(0.2 + 0.3 + 0.0)]]


def test_first_look_is_free_and_looking_there_again_costs_what_it_weighs() -> None:
    attention = covering("dot")
    with torch.no_grad():
        attention.coverage.w.zero_()
    memory = memory_of(attention)
    query = queries()[:, :1].repeat(1, 2, 1)  # the same twice, and keys that stay as they are
    found: Attended = attention(query, memory, attention.start(memory))
    assert found.penalty is not None
    assert found.penalty.flatten().tolist() == pytest.approx([0.0, 1.0, 0.0, 1.0], abs=1e-6)


def test_where_was_looked_before_loses_weight_where_the_shift_is_against_the_query() -> None:
    attention = covering("dot")
    with torch.no_grad():
        attention.coverage.w.copy_(-torch.ones(SIZE))
    memory = memory_of(attention)
    covered = torch.tensor([[2.0, 0.0, 0.0, 0.0, 0.0]]).repeat(2, 1)
    fresh = attention.start(memory)
    used = AttentionState(fresh.position, fresh.weights, covered)
    query = torch.ones(2, 1, SIZE)
    before, after = (attention(query, memory, state).weights for state in (fresh, used))
    assert (after[:, 0, 0] < before[:, 0, 0]).all()
    assert (after[0, 0, 1:] > before[0, 0, 1:]).all()


def test_price_of_coverage_and_that_of_the_alignment_add_up() -> None:
    attention = covering("dot", "hard").train()
    memory = memory_of(attention)
    found: Attended = attention(queries(), memory, attention.start(memory))
    assert found.penalty is not None
    before = found.weights.cumsum(1) - found.weights
    again = torch.minimum(found.weights, before).sum(-1)
    assert torch.allclose(found.penalty, again - 0.01 * found.gauges["entropy"], atol=1e-6)


def test_price_teaches_the_shift_not_to_look_again() -> None:
    attention = covering()
    memory = memory_of(attention)
    found: Attended = attention(queries(), memory, attention.start(memory))
    assert found.penalty is not None
    before = found.penalty.mean()
    before.backward()
    w = attention.coverage.w
    with torch.no_grad():
        w -= 0.1 * w.grad / w.grad.norm()
    after: Attended = attention(queries(), memory, attention.start(memory))
    assert after.penalty is not None
    assert after.penalty.mean() < before


def test_coverage_of_nothing_is_refused() -> None:
    for score, what in (("none", "looks nowhere"), ("location", "has no keys")):
        with pytest.raises(ValueError, match=what):
            build_attention(score, "global", AttentionSizes.square(SIZE), coverage=True)
