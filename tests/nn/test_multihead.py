from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.memory import Attended, Memory
from chatbot.nn.multihead import MultiHeadAttention, Past, SelfAttention, causal
from chatbot.nn.registry import build_attention
from chatbot.nn.sizes import AttentionSizes

QUERY, VALUE, INNER, HEADS = 6, 10, 8, 2
LENGTHS = (1, 20, 3)
STEPS = 5
ALL = (0, 1, 2)


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(0)
    made = build_attention("multi-head", "global", AttentionSizes(QUERY, VALUE, INNER, heads=HEADS))
    assert isinstance(made, MultiHeadAttention)
    return made


def seeded(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def sources(rows: tuple[int, ...], size: int, extra: int = 0, pad: float = 1e3) -> tuple[Tensor, Tensor]:
    """Some rows of LENGTHS with more padding than needed, ``pad`` at all of it, and their mask."""
    lengths = [LENGTHS[row] for row in rows]
    values = torch.full((len(rows), max(lengths) + extra, size), pad)
    for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        values[place, :length] = seeded(row, length, size)
    return values, torch.arange(values.shape[1])[None] < torch.tensor(lengths)[:, None]


def memory_of(attention: MultiHeadAttention, rows: tuple[int, ...] = ALL, extra: int = 0) -> Memory:
    values, mask = sources(rows, VALUE, extra)
    return attention.prepare(values, mask, values[:, 0])


def ask(attention: MultiHeadAttention, memory: Memory, rows: tuple[int, ...] = ALL) -> Attended:
    attended: Attended = attention(queries(rows), memory, attention.start(memory))
    return attended


def queries(rows: tuple[int, ...] = ALL) -> Tensor:
    return seeded(9, len(LENGTHS), STEPS, QUERY)[list(rows)]


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-5)


@torch.no_grad()
def test_context_and_weights_are_as_the_equations_have_them(attention: MultiHeadAttention) -> None:
    attended = ask(attention, memory_of(attention))
    values, _ = sources(ALL, VALUE)
    width = INNER // HEADS
    for row, length in enumerate(LENGTHS):
        query, looked = queries()[row, 0], torch.zeros(length)
        heads = []
        for head in range(HEADS):
            share = slice(head * width, (head + 1) * width)
            wq, wk, wv = (each.weight[share] for each in (attention.query, attention.key, attention.value))
            scores = [float((wq @ query) @ (wk @ values[row, j])) / math.sqrt(width) for j in range(length)]
            total = sum(math.exp(score) for score in scores)
            alphas = [math.exp(score) / total for score in scores]
            heads.append(sum(alphas[j] * (wv @ values[row, j]) for j in range(length)))
            looked += torch.tensor(alphas) / HEADS
        assert close(attended.context[row, 0], attention.output.weight @ torch.cat(heads))
        assert close(attended.weights[row, 0, :length], looked)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_attention_equals_torchs_own(heads: int) -> None:
    attention = MultiHeadAttention(AttentionSizes(INNER, VALUE, INNER, heads=heads))
    attention.output = nn.Linear(INNER, INNER)  # torch's has a bias, and gives back the size of the query
    twin = nn.MultiheadAttention(INNER, heads, kdim=VALUE, vdim=VALUE, batch_first=True)
    with torch.no_grad():
        for parameter, own in (
            (twin.q_proj_weight, attention.query.weight),
            (twin.k_proj_weight, attention.key.weight),
            (twin.v_proj_weight, attention.value.weight),
            (twin.out_proj.weight, attention.output.weight),
            (twin.out_proj.bias, attention.output.bias),
        ):
            parameter.copy_(own)
    (values, mask), query = sources(ALL, VALUE), seeded(9, 3, STEPS, INNER)
    memory = attention.prepare(values, mask, values[:, 0])
    attended = attention(query, memory, attention.start(memory))
    context, by_head = twin(query, values, values, key_padding_mask=~mask, average_attn_weights=False)
    assert close(attended.context, context)
    assert attended.heads is not None
    assert close(attended.heads, by_head)
    assert close(attended.weights, by_head.mean(1))


def test_pads_weigh_exactly_0_and_real_positions_sum_to_1(attention: MultiHeadAttention) -> None:
    memory = memory_of(attention, extra=4)
    weights = ask(attention, memory).weights
    assert (weights.masked_select(~memory.mask[:, None]) == 0).all()
    assert (weights.masked_select(memory.mask[:, None]) > 0).all()
    assert close(weights.sum(-1), torch.ones(3, STEPS))


def test_extra_padding_changes_nothing(attention: MultiHeadAttention) -> None:
    tight, loose = ask(attention, memory_of(attention)), ask(attention, memory_of(attention, extra=30))
    assert close(tight.context, loose.context)
    assert close(tight.weights, loose.weights[..., :20])


def test_step_by_step_is_all_at_once(attention: MultiHeadAttention) -> None:
    memory = memory_of(attention)
    whole, state, steps = ask(attention, memory), attention.start(memory), []
    for t in range(STEPS):
        steps.append(attention(queries()[:, t : t + 1], memory, state))
        state = steps[-1].state
    joined = Attended.join(steps)
    assert close(joined.context, whole.context)
    assert close(joined.weights, whole.weights)
    assert state.position.tolist() == whole.state.position.tolist() == [STEPS] * 3
    assert close(state.weights, whole.weights[:, -1])
    assert close(state.coverage, whole.weights.sum(1))


@pytest.mark.parametrize("row", ALL)
def test_batch_of_one_is_batch_of_many(attention: MultiHeadAttention, row: int) -> None:
    alone = ask(attention, memory_of(attention, (row,)), (row,))
    among = ask(attention, memory_of(attention))
    assert close(alone.context[0], among.context[row])
    assert close(alone.weights[0], among.weights[row, :, : LENGTHS[row]])


def test_selected_rows_are_what_those_rows_give(attention: MultiHeadAttention) -> None:
    memory, rows = memory_of(attention), torch.tensor([2, 0, 2])
    whole = ask(attention, memory)
    chosen = attention(queries()[rows], memory.select(rows), whole.state.select(rows))
    assert close(chosen.context, whole.context[rows])
    assert chosen.state.position.tolist() == [2 * STEPS] * 3


def test_gradients_are_finite_and_reach_what_was_looked_at(attention: MultiHeadAttention) -> None:
    values, mask = sources(ALL, VALUE, pad=3.0)
    values.requires_grad_()
    memory = attention.prepare(values, mask, values[:, 0])
    ask(attention, memory).context.square().sum().backward()
    for name, parameter in attention.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name
    assert values.grad is not None
    assert (values.grad[mask] != 0).all()
    assert (values.grad[~mask] == 0).all()


@pytest.mark.parametrize("scale", [0.0, 1e4])
def test_scores_of_any_size_keep_everything_finite(attention: MultiHeadAttention, scale: float) -> None:
    memory = memory_of(attention)
    attended = attention(scale * queries(), memory, attention.start(memory))
    assert torch.isfinite(attended.context).all()
    assert close(attended.weights.sum(-1), torch.ones(3, STEPS))


@pytest.mark.parametrize(("align", "coverage"), [("local-p", False), ("global", True)])
def test_what_would_align_the_heads_otherwise_is_refused(align: str, coverage: bool) -> None:
    with pytest.raises(ValueError, match="aligns every head by itself"):
        build_attention("multi-head", align, AttentionSizes.square(8), coverage)


def test_heads_of_different_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="3 heads cannot share 8 numbers evenly"):
        MultiHeadAttention(AttentionSizes(8, 8, 8, heads=3))
    with pytest.raises(ValueError, match="3 heads cannot share 8 numbers evenly"):
        SelfAttention(8, 3)


def self_attention() -> tuple[SelfAttention, nn.MultiheadAttention]:
    """Ours and torch's with the same weights."""
    torch.manual_seed(0)
    own, twin = SelfAttention(INNER, HEADS), nn.MultiheadAttention(INNER, HEADS, bias=False, batch_first=True)
    with torch.no_grad():
        twin.in_proj_weight.copy_(own.inputs.weight)
        twin.out_proj.weight.copy_(own.output.weight)
    return own, twin


def test_self_attention_equals_torchs_own_under_padding() -> None:
    own, twin = self_attention()
    inputs, mask = sources(ALL, INNER, extra=2)
    made, _ = own(inputs, mask[:, None, None])
    wanted, _ = twin(inputs, inputs, inputs, key_padding_mask=~mask)
    assert close(made[mask], wanted[mask])


def test_self_attention_equals_torchs_own_under_a_causal_mask() -> None:
    own, twin = self_attention()
    inputs = seeded(3, 2, 7, INNER)
    made, _ = own(inputs, causal(7, 0, inputs.device))
    wanted, _ = twin(inputs, inputs, inputs, attn_mask=nn.Transformer.generate_square_subsequent_mask(7))
    assert close(made, wanted)


@pytest.mark.parametrize("cuts", [range(1, 7), [3], [1, 4]])
def test_self_attention_in_pieces_is_all_at_once(cuts: list[int]) -> None:
    own, _ = self_attention()
    inputs = seeded(3, 2, 7, INNER)
    whole, read = own(inputs, causal(7, 0, inputs.device))
    past, made = Past.nothing(2, INNER, inputs), []
    for piece in inputs.tensor_split(list(cuts), dim=1):
        allowed = causal(piece.shape[1], past.keys.shape[1], inputs.device)
        output, past = own(piece, allowed, past)
        made.append(output)
    assert close(torch.cat(made, dim=1), whole)
    assert close(past.keys, read.keys)
    assert close(past.values, read.values)
