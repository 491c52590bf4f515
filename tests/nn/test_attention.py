"""What holds for every Score x Align, and for having none."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor

from chatbot.nn.attention import Attention, NoAttention
from chatbot.nn.memory import AttentionState, Memory
from chatbot.nn.registry import ALIGNS, NONE, SCORES, build_attention

SIZE = 8
LENGTHS = (1, 20, 3)
STEPS = 5
EVERY = [*product(SCORES, ALIGNS), (NONE, "global")]

AnyAttention = Attention | NoAttention


@pytest.fixture(params=EVERY, ids=["-".join(pair) for pair in EVERY])
def attention(request: pytest.FixtureRequest) -> AnyAttention:
    torch.manual_seed(0)
    return build_attention(*request.param, SIZE, SIZE)


def memory_of(attention: AnyAttention, rows: tuple[int, ...], extra: int = 0, pad: float = 1e3) -> Memory:
    """The memory of some rows of LENGTHS, with more padding than needed and ``pad`` at all pads."""
    lengths = [LENGTHS[row] for row in rows]
    values = torch.full((len(rows), max(lengths) + extra, SIZE), pad)
    for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        values[place, :length] = torch.randn(length, SIZE, generator=torch.Generator().manual_seed(row))
    mask = torch.arange(values.shape[1])[None] < torch.tensor(lengths)[:, None]
    return attention.prepare(values, mask, values[:, 0] * 0.5)


def query_of(rows: tuple[int, ...]) -> Tensor:
    whole = torch.randn(len(LENGTHS), STEPS, SIZE, generator=torch.Generator().manual_seed(9))
    return whole[list(rows)]


ALL = (0, 1, 2)


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-6)


def test_pads_weigh_exactly_0_and_real_positions_sum_to_1(attention: AnyAttention) -> None:
    memory = memory_of(attention, ALL, extra=4)
    weights = attention(query_of(ALL), memory, AttentionState.initial(memory)).weights
    assert weights.shape == (3, STEPS, 24)
    assert (weights >= 0).all()
    assert (weights.masked_select(~memory.mask[:, None]) == 0).all()
    total = 0.0 if isinstance(attention, NoAttention) else 1.0
    assert close(weights.sum(-1), torch.full((3, STEPS), total))


@pytest.mark.parametrize("pad", [0.0, 1e3, -1e3])
def test_extra_padding_changes_nothing_whatever_is_in_it(attention: AnyAttention, pad: float) -> None:
    tight, loose = memory_of(attention, ALL), memory_of(attention, ALL, extra=30, pad=pad)
    a = attention(query_of(ALL), tight, AttentionState.initial(tight))
    b = attention(query_of(ALL), loose, AttentionState.initial(loose))
    assert close(a.context, b.context)
    assert close(a.weights, b.weights[..., :20])
    assert (b.weights[..., 20:] == 0).all()


def test_step_by_step_is_all_at_once(attention: AnyAttention) -> None:
    memory = memory_of(attention, ALL)
    whole = attention(query_of(ALL), memory, AttentionState.initial(memory))
    state, steps = AttentionState.initial(memory), []
    for t in range(STEPS):
        steps.append(attention(query_of(ALL)[:, t : t + 1], memory, state))
        state = steps[-1].state
    assert close(torch.cat([step.context for step in steps], dim=1), whole.context)
    assert close(torch.cat([step.weights for step in steps], dim=1), whole.weights)
    assert state.position.tolist() == whole.state.position.tolist() == [STEPS] * 3
    assert close(state.weights, whole.state.weights)
    assert close(state.weights, whole.weights[:, -1])


@pytest.mark.parametrize("row", ALL)
def test_batch_of_one_is_batch_of_many(attention: AnyAttention, row: int) -> None:
    one, many = memory_of(attention, (row,)), memory_of(attention, ALL)
    alone = attention(query_of((row,)), one, AttentionState.initial(one))
    among = attention(query_of(ALL), many, AttentionState.initial(many))
    assert close(alone.context[0], among.context[row])
    assert close(alone.weights[0], among.weights[row, :, : LENGTHS[row]])


def test_selected_rows_are_what_those_rows_give(attention: AnyAttention) -> None:
    memory, rows = memory_of(attention, ALL), torch.tensor([2, 0, 2])
    query = query_of(ALL)
    first = attention(query, memory, AttentionState.initial(memory))
    after = attention(query, memory, first.state)
    chosen = attention(query[rows], memory.select(rows), first.state.select(rows))
    assert close(chosen.context, after.context[rows])
    assert close(chosen.weights, after.weights[rows])
    assert chosen.state.position.tolist() == [2 * STEPS] * 3


def test_gradients_are_finite_and_reach_what_was_looked_at(attention: AnyAttention) -> None:
    values = torch.randn(2, 6, SIZE, requires_grad=True)
    query = torch.randn(2, STEPS, SIZE, requires_grad=True)
    mask = torch.tensor([[True] * 6, [True] + [False] * 5])
    memory = attention.prepare(values, mask, values[:, 0])
    attention(query, memory, AttentionState.initial(memory)).context.square().sum().backward()
    for parameter in (values, *attention.parameters()):
        assert parameter.grad is not None
        assert torch.isfinite(parameter.grad).all()
    assert values.grad is not None
    assert (values.grad[:, 0] != 0).all()
    assert (values.grad[1, 1:] == 0).all()


def test_huge_queries_keep_everything_finite(attention: AnyAttention) -> None:
    memory = memory_of(attention, ALL)
    attended = attention(1e4 * query_of(ALL), memory, AttentionState.initial(memory))
    assert torch.isfinite(attended.context).all()
    assert torch.isfinite(attended.weights).all()


@pytest.mark.parametrize("name", SCORES)
def test_weights_follow_the_source_positions(name: str) -> None:
    torch.manual_seed(0)
    attention = build_attention(name, "global", SIZE, SIZE)
    values, query, order = torch.randn(1, 6, SIZE), torch.randn(1, STEPS, SIZE), torch.randperm(6)
    mask = torch.ones(1, 6, dtype=torch.bool)
    memory = attention.prepare(values, mask, values[:, 0])
    moved = attention.prepare(values[:, order], mask, values[:, 0])
    before = attention(query, memory, AttentionState.initial(memory))
    after = attention(query, moved, AttentionState.initial(moved))
    assert close(after.weights, before.weights[..., order])
    assert close(after.context, before.context)
    assert before.weights.std(-1).min() > 1e-4


def test_context_is_the_weighted_sum_of_values() -> None:
    attention = build_attention("dot", "global", 2, 2)
    values = torch.tensor(
        [[[0.0, 0.0], [1.0986123, 4.0], [9.0, 9.0]]]
    )  # scores 0 and ln 3 for the query (1, 0)
    memory = attention.prepare(values, torch.tensor([[True, True, False]]), values[:, 0])
    attended = attention(torch.tensor([[[1.0, 0.0]]]), memory, AttentionState.initial(memory))
    assert attended.weights[0, 0].tolist() == pytest.approx([0.25, 0.75, 0.0])
    assert attended.context[0, 0].tolist() == pytest.approx([0.75 * 1.0986123, 3.0])


def test_no_attention_gives_the_summary_at_every_step() -> None:
    attention = NoAttention()
    summary = torch.tensor([[1.0, -2.0]])
    memory = attention.prepare(torch.randn(1, 3, 2), torch.ones(1, 3, dtype=torch.bool), summary)
    attended = attention(torch.randn(1, 4, 2), memory, AttentionState.initial(memory))
    assert attended.context.tolist() == [[[1.0, -2.0]] * 4]


@pytest.mark.parametrize(("score", "align"), [("dotty", "global"), ("dot", "globe")])
def test_unknown_name_is_refused(score: str, align: str) -> None:
    with pytest.raises(KeyError):
        build_attention(score, align, SIZE, SIZE)
