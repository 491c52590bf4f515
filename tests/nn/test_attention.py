"""What holds for every Score x Align, with coverage and without, for multi-head attention and for none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
import torch
from torch import Tensor

from chatbot.nn.attention import Attention, NoAttention
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.registry import ALIGNS, GLOBAL, MULTI_HEAD, NONE, SCORES, build_attention
from chatbot.nn.sizes import AttentionSizes

SIZE, LENGTHS, STEPS = 8, (1, 20, 3), 5
ALL = (0, 1, 2)
SIZES = AttentionSizes(query=SIZE, value=SIZE, inner=SIZE, src_len=24, window=3, heads=2)

Kind = tuple[str, str, bool]

PAIRS: list[Kind] = [(*pair, False) for pair in product(SCORES, ALIGNS)]
COVERED: list[Kind] = [(*pair, True) for pair in product(sorted(set(SCORES) - {"location"}), ALIGNS)]
EVERY: list[Kind] = [*PAIRS, *COVERED, (MULTI_HEAD, GLOBAL, False), (NONE, GLOBAL, False)]

every = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: "-".join(kind[:2]) + "-covered" * kind[2])


def attention_of(kind: Kind) -> Attention:
    torch.manual_seed(0)
    return build_attention(kind[0], kind[1], SIZES, kind[2]).eval()


def memory_of(attention: Attention, rows: tuple[int, ...], extra: int = 0, pad: float = 1e3) -> Memory:
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


def ask(attention: Attention, query: Tensor, memory: Memory, state: AttentionState | None = None) -> Attended:
    attended: Attended = attention(query, memory, attention.start(memory) if state is None else state)
    return attended


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-5)


def sums_are_right(kind: Kind, weights: Tensor, tolerance: float = 1e-5) -> bool:
    """Of each query's weights: 1, but 0 of none and from above 0 to 1 of local-p."""
    low, high = {NONE: (0.0, 0.0), "local-p": (0.1, 1.0)}.get(kind[0 if kind[0] == NONE else 1], (1.0, 1.0))
    total = weights.sum(-1)
    return bool(((total >= low - tolerance) & (total <= high + tolerance)).all())


def everything(attended: Attended) -> Iterator[Tensor]:
    """All numbers that came of looking."""
    state = (attended.state.weights, attended.state.coverage)
    yield from (attended.context, attended.weights, *state, *attended.gauges.values())
    yield from (part for part in (attended.log_prob, attended.penalty) if part is not None)


def learn(attended: Attended) -> None:
    """Back from all numbers, where any has a gradient: a hard look that was not drawn has none."""
    total = torch.stack([part.float().square().sum() for part in everything(attended)]).sum()
    if total.requires_grad:
        total.backward()


def finite(parts: Iterator[Tensor]) -> bool:
    return all(bool(torch.isfinite(part).all()) for part in parts)


@every
def test_pads_weigh_exactly_0_and_real_positions_sum_to_1(kind: Kind) -> None:
    attention = attention_of(kind)
    memory = memory_of(attention, ALL, extra=4)
    weights = ask(attention, query_of(ALL), memory).weights
    assert weights.shape == (3, STEPS, 24)
    assert (weights >= 0).all()
    assert (weights.masked_select(~memory.mask[:, None]) == 0).all()
    assert sums_are_right(kind, weights)


@every
def test_extra_padding_changes_nothing_whatever_is_in_it(kind: Kind) -> None:
    attention = attention_of(kind)
    tight = ask(attention, query_of(ALL), memory_of(attention, ALL))
    for pad in (0.0, 1e3, -1e3):
        loose = ask(attention, query_of(ALL), memory_of(attention, ALL, extra=30, pad=pad))
        assert close(tight.context, loose.context)
        assert close(tight.weights, loose.weights[..., :20])
        assert (loose.weights[..., 20:] == 0).all()


@every
def test_step_by_step_is_all_at_once(kind: Kind) -> None:
    attention = attention_of(kind)
    memory = memory_of(attention, ALL)
    whole, steps, state = ask(attention, query_of(ALL), memory), [], attention.start(memory)
    for t in range(STEPS):
        steps.append(ask(attention, query_of(ALL)[:, t : t + 1], memory, state))
        state = steps[-1].state
    joined = Attended.join(steps)
    for one, other in zip(everything(joined), everything(whole), strict=True):
        assert close(one, other)
    assert joined.state.position.tolist() == whole.state.position.tolist() == [STEPS] * 3


@every
def test_state_holds_the_last_weights_and_the_sum_of_all(kind: Kind) -> None:
    attention = attention_of(kind)
    memory = memory_of(attention, ALL)
    first = ask(attention, query_of(ALL), memory)
    second = ask(attention, query_of(ALL)[:, :2], memory, first.state)
    assert close(second.state.weights, second.weights[:, -1])
    assert close(second.state.coverage, first.weights.sum(1) + second.weights.sum(1))
    assert second.state.position.tolist() == [STEPS + 2] * 3


@every
def test_batch_of_one_is_batch_of_many(kind: Kind) -> None:
    attention = attention_of(kind)
    among = ask(attention, query_of(ALL), memory_of(attention, ALL))
    for row in ALL:
        alone = ask(attention, query_of((row,)), memory_of(attention, (row,)))
        assert close(alone.context[0], among.context[row])
        assert close(alone.weights[0], among.weights[row, :, : LENGTHS[row]])


@every
def test_selected_rows_are_what_those_rows_give(kind: Kind) -> None:
    attention, rows, query = attention_of(kind), torch.tensor([2, 0, 2, 1]), query_of(ALL)
    memory = memory_of(attention, ALL)
    first = ask(attention, query, memory)
    after = ask(attention, query, memory, first.state)
    chosen = ask(attention, query[rows], memory.select(rows), first.state.select(rows))
    assert close(chosen.context, after.context[rows])
    assert close(chosen.weights, after.weights[rows])
    assert chosen.state.position.tolist() == [2 * STEPS] * 4


@every
def test_source_of_one_token_is_all_there_is_to_look_at(kind: Kind) -> None:
    attention = attention_of(kind)
    memory = memory_of(attention, (0, 0))
    weights = ask(attention, query_of((0, 1)), memory).weights
    assert weights.shape == (2, STEPS, 1)
    assert close(weights, torch.full_like(weights, float(kind[0] != NONE)))


@every
def test_gradients_are_finite_and_reach_what_was_looked_at(kind: Kind) -> None:
    """In training, where hard attention has its draws to learn from."""
    attention = attention_of(kind).train()
    values, query = (torch.randn(2, length, SIZE, requires_grad=True) for length in (6, STEPS))
    mask = torch.tensor([[True] * 6, [True] + [False] * 5])
    attended = ask(attention, query, attention.prepare(values, mask, values[:, 0]))
    parts = (attended.context.square(), attended.log_prob, attended.penalty)
    sum(part.sum() for part in parts if part is not None).backward()
    for parameter in (values, *attention.parameters()):
        assert parameter.grad is not None
        assert torch.isfinite(parameter.grad).all()
    looked_at = torch.ones(2, 1) if kind[0] == NONE else (attended.weights > 0).any(1)
    assert (values.grad.any(-1)[:, : looked_at.shape[1]] | ~looked_at.bool()).all()
    assert (values.grad[1, 1:] == 0).all()


@every
def test_huge_queries_keep_numbers_and_gradients_finite(kind: Kind) -> None:
    for training in (True, False):
        attention = attention_of(kind).train(training)
        query = (1e4 * query_of(ALL)).requires_grad_()
        attended = ask(attention, query, memory_of(attention, ALL))
        assert finite(everything(attended))
        assert sums_are_right(kind, attended.weights)
        learn(attended)
        found = [query.grad, *(parameter.grad for parameter in attention.parameters())]
        assert finite(gradient for gradient in found if gradient is not None)


def in_half(kind: Kind, device: str, dtype: torch.dtype) -> None:
    attention = attention_of(kind).to(device)
    with torch.autocast(device, dtype=dtype):
        prepared = memory_of(attention_of(kind), ALL, extra=4, pad=10.0)
        memory = attention.prepare(
            prepared.values.to(device), prepared.mask.to(device), prepared.summary.to(device)
        )
        query = query_of(ALL).to(device).requires_grad_()
        attended = ask(attention, query, memory)
        assert finite(everything(attended))
        assert (attended.weights.masked_select(~memory.mask[:, None]) == 0).all()
        assert sums_are_right(kind, attended.weights, tolerance=1e-4)
        learn(attended)
    found = [query.grad, *(parameter.grad for parameter in attention.parameters())]
    assert finite(gradient for gradient in found if gradient is not None)


@every
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
def test_half_precision_keeps_pads_at_0_and_sums_at_1(kind: Kind, dtype: torch.dtype) -> None:
    in_half(kind, "cpu", dtype)


@pytest.mark.gpu
@every
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
def test_half_precision_on_a_gpu_keeps_pads_at_0_and_sums_at_1(kind: Kind, dtype: torch.dtype) -> None:
    in_half(kind, "cuda", dtype)


@pytest.mark.gpu
@every
def test_gpu_gives_what_the_cpu_gives(kind: Kind) -> None:
    attention = attention_of(kind)
    memory = memory_of(attention, ALL, extra=4)
    here = ask(attention, query_of(ALL), memory)
    parts = (part.cuda() for part in (memory.keys, memory.values, memory.mask, memory.summary))
    there = ask(attention.cuda(), query_of(ALL).cuda(), Memory(*parts))
    assert torch.allclose(here.weights, there.weights.cpu(), atol=1e-4)
    assert torch.allclose(here.context, there.context.cpu(), atol=1e-3)


@pytest.mark.parametrize("align", ["global", "hard", "straight-through"])
@pytest.mark.parametrize("score", sorted(set(SCORES) - {"location"}))
def test_weights_by_content_follow_the_source_positions(score: str, align: str) -> None:
    attention = attention_of((score, align, False))
    values, query, order = torch.randn(1, 6, SIZE), torch.randn(1, STEPS, SIZE), torch.randperm(6)
    mask = torch.ones(1, 6, dtype=torch.bool)
    before = ask(attention, query, attention.prepare(values, mask, values[:, 0]))
    after = ask(attention, query, attention.prepare(values[:, order], mask, values[:, 0]))
    assert close(after.weights, before.weights[..., order])
    assert close(after.context, before.context)
    assert before.weights.std(-1).min() > 1e-4


@pytest.mark.parametrize("align", ["hard", "straight-through"])
def test_what_is_drawn_in_training_is_what_is_given(align: str) -> None:
    attention = attention_of(("dot", align, False)).train()
    memory = memory_of(attention, ALL)
    attended = ask(attention, query_of(ALL), memory)
    for row, t in product(ALL, range(STEPS)):
        place = int(attended.weights[row, t].argmax())
        assert close(attended.context[row, t], memory.values[row, place])
    assert (attended.log_prob is not None) == (align == "hard")


def test_context_is_the_weighted_sum_of_values() -> None:
    attention = build_attention("dot", "global", AttentionSizes.square(2))
    scores = [0.0, 1.0986123]  # 0 and ln 3 for the query (1, 0)
    values = torch.tensor([[[scores[0], 0.0], [scores[1], 4.0], [9.0, 9.0]]])
    memory = attention.prepare(values, torch.tensor([[True, True, False]]), values[:, 0])
    attended = ask(attention, torch.tensor([[[1.0, 0.0]]]), memory)
    assert attended.weights[0, 0].tolist() == pytest.approx([0.25, 0.75, 0.0])
    assert attended.context[0, 0].tolist() == pytest.approx([0.75 * 1.0986123, 3.0])


def test_no_attention_gives_the_summary_at_every_step() -> None:
    attention = NoAttention(2)
    summary = torch.tensor([[1.0, -2.0]])
    memory = attention.prepare(torch.randn(1, 3, 2), torch.ones(1, 3, dtype=torch.bool), summary)
    attended = ask(attention, torch.randn(1, 4, 2), memory)
    assert attended.context.tolist() == [[[1.0, -2.0]] * 4]


@pytest.mark.parametrize(("score", "align"), [("dotty", "global"), ("dot", "globe")])
def test_unknown_name_is_refused(score: str, align: str) -> None:
    with pytest.raises(KeyError):
        build_attention(score, align, SIZES)


REFUSED = [
    *((score, align, False) for score in (NONE, MULTI_HEAD) for align in ALIGNS if align != GLOBAL),
    *((score, GLOBAL, True) for score in (NONE, MULTI_HEAD, "location")),
]


@pytest.mark.parametrize("kind", REFUSED)
def test_pair_that_makes_no_sense_is_refused_with_a_reason(kind: Kind) -> None:
    with pytest.raises(ValueError, match=r"looks nowhere|by itself|has no keys"):
        build_attention(kind[0], kind[1], SIZES, kind[2])
