from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.nn.aligns import Align, Aligned
from chatbot.nn.hard import ENTROPY, HardAlign, StraightThroughAlign
from chatbot.nn.local import LocalMonotonicAlign, LocalPredictiveAlign
from chatbot.nn.memory import AttentionState
from chatbot.nn.ntm_align import NtmAlign
from chatbot.nn.registry import ALIGNS
from chatbot.nn.sizes import AttentionSizes

QUERY, LENGTHS, STEPS, WINDOW = 4, (1, 2, 7, 9), 6, 2

Vector = list[float]


def linear(layer: Any, query: Vector) -> Vector:
    rows, bias = layer.weight.tolist(), layer.bias if layer.bias is None else layer.bias.tolist()
    products = [sum(w * q for w, q in zip(row, query, strict=True)) for row in rows]
    return products if bias is None else [p + b for p, b in zip(products, bias, strict=True)]


def softmax(scores: Vector, among: Any = None) -> Vector:
    """Over the positions of ``among`` alone; 0 elsewhere."""
    places = range(len(scores)) if among is None else among
    total = sum(math.exp(scores[j]) for j in places)
    return [math.exp(score) / total if j in places else 0.0 for j, score in enumerate(scores)]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def global_twin(align: Any, scores: Vector, query: Vector, step: int, before: Vector) -> Vector:
    return softmax(scores)


def local_m_twin(align: Any, scores: Vector, query: Vector, step: int, before: Vector) -> Vector:
    centre = step if step < len(scores) else len(scores) - 1
    return softmax(scores, [j for j in range(len(scores)) if centre - WINDOW <= j <= centre + WINDOW])


def local_p_twin(align: Any, scores: Vector, query: Vector, step: int, before: Vector) -> Vector:
    hidden = [math.tanh(x) for x in linear(align.w, query)]
    inner = sum(v * h for v, h in zip(align.v.tolist(), hidden, strict=True))
    centre, spread = (len(scores) - 1) * sigmoid(inner), WINDOW / 2
    weights = softmax(scores, [j for j in range(len(scores)) if centre - WINDOW <= j <= centre + WINDOW])
    return [w * math.exp(-((j - centre) ** 2) / (2 * spread**2)) for j, w in enumerate(weights)]


def hard_twin(align: Any, scores: Vector, query: Vector, step: int, before: Vector) -> Vector:
    return [float(j == scores.index(max(scores))) for j in range(len(scores))]


def turned(weights: Vector, moves: dict[int, float]) -> Vector:
    """Graves et al. 2014, equation 8: every pair of positions, its shift counted round the sentence."""
    size, result = len(weights), [0.0] * len(weights)
    for origin, (move, share) in product(range(size), moves.items()):
        result[(origin + move) % size] += weights[origin] * share
    return result


def ntm_twin(align: Any, scores: Vector, query: Vector, step: int, before: Vector) -> Vector:
    gate, back, stay, on, sharp = linear(align.control, query)
    share, power = sigmoid(gate), 1 + math.log(1 + math.exp(sharp))
    mixed = [share * c + (1 - share) * b for c, b in zip(softmax(scores), before, strict=True)]
    moved = turned(mixed, dict(zip((-1, 0, 1), softmax([back, stay, on]), strict=True)))
    total = sum(w**power for w in moved)
    return [w**power / total for w in moved]


TWINS: dict[str, Callable[..., Vector]] = {
    "global": global_twin,
    "local-m": local_m_twin,
    "local-p": local_p_twin,
    "hard": hard_twin,
    "straight-through": hard_twin,
    "ntm": ntm_twin,
}
"""Each alignment as its paper has it, one query over one source without padding."""


def sizes(window: int = WINDOW) -> AttentionSizes:
    return AttentionSizes(query=QUERY, value=3, inner=5, window=window)


def initial(align: Align, mask: Tensor) -> AttentionState:
    zeros, before, position = torch.zeros(mask.shape), align.before(mask), torch.zeros(len(mask)).long()
    return AttentionState(position, zeros if before is None else before, zeros)


def walk(align: Align, scores: Tensor, query: Tensor, mask: Tensor) -> Iterator[Aligned]:
    """Step by step."""
    state = initial(align, mask)
    for t in range(scores.shape[1]):
        aligned: Aligned = align(scores[:, t : t + 1], query[:, t : t + 1], mask, state)
        state = state.after(aligned.weights)
        yield aligned


@pytest.mark.parametrize("name", ALIGNS)
def test_weights_equal_the_papers_equations_in_loops(name: str) -> None:
    torch.manual_seed(0)
    align = ALIGNS[name](sizes()).eval()
    scores, query = torch.randn(len(LENGTHS), STEPS, 9), 3 * torch.randn(len(LENGTHS), STEPS, QUERY)
    mask = torch.arange(9)[None] < torch.tensor(LENGTHS)[:, None]
    found = torch.cat([aligned.weights for aligned in walk(align, scores, query, mask)], dim=1)
    for row, length in enumerate(LENGTHS):
        before = [1.0] + [0.0] * (length - 1)
        for t in range(STEPS):
            asked = scores[row, t, :length].tolist(), query[row, t].tolist()
            before = TWINS[name](align, *asked, t, before)
            assert found[row, t, :length].tolist() == pytest.approx(before, abs=1e-5)
            assert (found[row, t, length:] == 0).all()


@pytest.mark.parametrize("name", sorted(set(ALIGNS) - {"ntm"}))
def test_all_at_once_from_a_later_position_is_as_the_equations_have_it(name: str) -> None:
    torch.manual_seed(0)
    align, scores, query = ALIGNS[name](sizes()).eval(), torch.randn(1, 3, 9), torch.randn(1, 3, QUERY)
    state = AttentionState(torch.tensor([4]), torch.zeros(1, 9), torch.zeros(1, 9))
    found = align(scores, query, torch.ones(1, 9, dtype=torch.bool), state).weights
    for t in range(3):
        wanted = TWINS[name](align, scores[0, t].tolist(), query[0, t].tolist(), 4 + t, [])
        assert found[0, t].tolist() == pytest.approx(wanted, abs=1e-5)


# local


def test_window_of_local_m_moves_with_the_reply_and_stops_at_the_last_token() -> None:
    align = LocalMonotonicAlign(sizes(window=1))
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    aligned = align(torch.zeros(2, 6, 5), torch.zeros(2, 6, QUERY), mask, initial(align, mask))
    half, third = 1 / 2, 1 / 3
    long = [[half, half, 0, 0, 0], [third, third, third, 0, 0], [0, third, third, third, 0]]
    long += [[0, 0, third, third, third], [0, 0, 0, half, half], [0, 0, 0, half, half]]
    for t, row in enumerate(long):
        assert aligned.weights[0, t].tolist() == pytest.approx(row)
        assert aligned.weights[1, t].tolist() == pytest.approx([half, half, 0, 0, 0])


def predicting(inner: float) -> LocalPredictiveAlign:
    """A local-p of window 2 whose v · tanh(W q) is tanh(inner) for the query (1, 0, 0, 0)."""
    align = LocalPredictiveAlign(AttentionSizes(query=QUERY, value=3, inner=1, window=2))
    with torch.no_grad():
        align.w.weight.copy_(torch.tensor([[inner, 0.0, 0.0, 0.0]]))
        align.v.fill_(1.0)
    return align


def test_local_p_of_worked_numbers() -> None:
    """tanh 0 = 0 puts the centre in the middle: 2 of 0 to 4. σ = 1, so the bell is e^-2, e^-1/2 and 1."""
    align, scores = predicting(0.0), torch.tensor([0.0, math.log(2.0), math.log(4.0), 0.0, 0.0, 9.0])
    mask = torch.tensor([[True] * 5 + [False]])
    aligned = align(scores[None, None], torch.eye(QUERY)[None, :1], mask, initial(align, mask))
    wanted = [1 / 9 * 0.1353353, 2 / 9 * 0.6065307, 4 / 9, 1 / 9 * 0.6065307, 1 / 9 * 0.1353353, 0.0]
    assert aligned.weights[0, 0].tolist() == pytest.approx(wanted)
    assert aligned.gauges["centre"].tolist() == [[0.5]]


@pytest.mark.parametrize("length", [1, 2, 5, 30])
@pytest.mark.parametrize("v", [-100.0, -3.0, 0.0, 3.0, 100.0])
def test_centre_of_local_p_lies_inside_the_sentence(length: int, v: float) -> None:
    align = predicting(1.0)
    with torch.no_grad():
        align.v.fill_(v)
    mask = torch.arange(30)[None] < length
    aligned = align(torch.zeros(1, 1, 30), torch.eye(QUERY)[None, :1], mask, initial(align, mask))
    total = aligned.weights.sum().item()
    assert math.exp(-2) - 1e-6 <= total <= 1 + 1e-6
    assert (aligned.weights[..., length:] == 0).all()
    centre = (length - 1) * sigmoid(v * math.tanh(1.0))
    assert abs(aligned.weights.argmax().item() - centre) <= 0.5 + 1e-5


def test_local_p_learns_where_to_look_from_the_bell() -> None:
    """More weight on the position right of the centre pulls the centre to the right."""
    align, mask = predicting(0.0), torch.ones(1, 9, dtype=torch.bool)
    aligned = align(torch.zeros(1, 1, 9), torch.eye(QUERY)[None, :1], mask, initial(align, mask))
    aligned.weights[0, 0, 5].backward()
    assert align.w.weight.grad is not None
    assert align.w.weight.grad[0, 0] > 0


def test_local_p_without_a_window_is_refused() -> None:
    with pytest.raises(ValueError, match="window of 1"):
        LocalPredictiveAlign(sizes(window=0))


# hard


TOY = torch.tensor([[0.5, 0.2, 0.3, 0.0]])  # the last is padding
REAL = torch.tensor([[True, True, True, False]])


def drawn(kind: type[Align], times: int) -> tuple[Aligned, Tensor]:
    """Weights of TOY drawn so often, and the scores they hang on."""
    torch.manual_seed(0)
    align = kind(sizes()).train()
    scores = TOY.log().masked_fill(~REAL, 50.0)[None].repeat(1, times, 1).requires_grad_()
    return align(scores, torch.zeros(1, times, QUERY), REAL, initial(align, REAL)), scores


@pytest.mark.parametrize("kind", [HardAlign, StraightThroughAlign])
def test_positions_are_drawn_as_often_as_they_weigh(kind: type[Align]) -> None:
    weights = drawn(kind, 20_000)[0].weights[0].detach()
    assert ((weights == 0) | (weights == 1)).all()
    assert (weights.sum(-1) == 1).all()
    seen, wanted = weights.sum(0), 20_000 * TOY[0]
    assert seen[3] == 0
    chi_square = ((seen - wanted)[:3].square() / wanted[:3]).sum()
    assert chi_square < 13.8  # two degrees of freedom: exceeded once in a thousand


@pytest.mark.parametrize("kind", [HardAlign, StraightThroughAlign])
def test_draws_hang_on_torchs_global_generator_alone(kind: type[Align]) -> None:
    assert torch.equal(drawn(kind, 100)[0].weights, drawn(kind, 100)[0].weights)
    align = kind(sizes()).eval()
    before = torch.get_rng_state()
    align(TOY[None], torch.zeros(1, 1, QUERY), REAL, initial(align, REAL))
    assert torch.equal(torch.get_rng_state(), before)


def test_log_prob_is_that_of_the_drawn_position_and_entropy_has_a_prize() -> None:
    aligned = drawn(HardAlign, 200)[0]
    assert aligned.log_prob is not None
    assert aligned.penalty is not None
    for t, place in enumerate(aligned.weights[0].argmax(-1).tolist()):
        assert aligned.log_prob[0, t].item() == pytest.approx(math.log(TOY[0, place]), abs=1e-5)
    entropy = -sum(p * math.log(p) for p in (0.5, 0.2, 0.3))
    assert aligned.gauges["entropy"][0, 0].item() == pytest.approx(entropy, abs=1e-5)
    assert aligned.penalty[0].tolist() == pytest.approx([-ENTROPY * entropy] * 200, abs=1e-6)


def test_nothing_is_drawn_outside_training() -> None:
    align = HardAlign(sizes()).eval()
    aligned = align(TOY.log()[None], torch.zeros(1, 1, QUERY), REAL, initial(align, REAL))
    assert aligned.weights.tolist() == [[[1.0, 0.0, 0.0, 0.0]]]
    assert aligned.log_prob is None
    assert aligned.penalty is None


REWARD = torch.tensor([1.0, -2.0, 4.0, 99.0])


def exact_gradient() -> list[float]:
    """∂/∂e_j of Σ_i α_i R_i with α = softmax(e): α_j (R_j - Σ_i α_i R_i); here Σ is 1.3."""
    return [0.5 * (1 - 1.3), 0.2 * (-2 - 1.3), 0.3 * (4 - 1.3), 0.0]


def test_reinforce_averages_to_the_exact_gradient() -> None:
    times = 40_000  # leaves a standard deviation of about 0.008
    aligned, scores = drawn(HardAlign, times)
    assert aligned.log_prob is not None
    reward = (aligned.weights @ REWARD).detach()
    (aligned.log_prob * (reward - 1.0)).sum().backward()
    assert scores.grad is not None
    assert (scores.grad.sum((0, 1)) / times).tolist() == pytest.approx(exact_gradient(), abs=0.04)


def test_straight_through_has_the_gradient_of_the_soft_weights() -> None:
    aligned, scores = drawn(StraightThroughAlign, 1)
    (aligned.weights @ REWARD).sum().backward()
    assert scores.grad is not None
    assert scores.grad[0, 0].tolist() == pytest.approx(exact_gradient(), abs=1e-5)


@pytest.mark.parametrize("kind", [HardAlign, StraightThroughAlign])
@pytest.mark.parametrize("training", [True, False])
def test_huge_scores_are_drawn_and_learned_from_with_finite_numbers(
    kind: type[Align], training: bool
) -> None:
    align = kind(sizes()).train(training)
    scores = torch.tensor([[[1e30, -1e30, 0.0, 1e38]]], requires_grad=True)
    aligned = align(scores, torch.zeros(1, 1, QUERY), REAL, initial(align, REAL))
    assert aligned.weights.tolist() == [[[1.0, 0.0, 0.0, 0.0]]]
    parts = [aligned.weights, aligned.log_prob, aligned.penalty]
    total = sum(part.sum() for part in parts if part is not None)
    assert isinstance(total, Tensor)
    assert total.isfinite()
    if total.requires_grad:
        total.backward()
        assert scores.grad is not None
        assert scores.grad.isfinite().all()


# ntm


def steered(gate: float, moves: tuple[float, float, float], sharpening: float) -> NtmAlign:
    """An ntm alignment whose control numbers are these, whatever the query."""
    align = NtmAlign(sizes())
    with torch.no_grad():
        align.control.weight.zero_()
        align.control.bias.copy_(torch.tensor([gate, *moves, sharpening]))
    return align


FIXED = -50.0  # of a sigmoid, 0; of 1 + softplus, 1; of a softmax, 0 beside 0


def looked(align: NtmAlign, scores: list[float], length: int, before: list[float]) -> Aligned:
    mask = torch.arange(len(scores))[None] < length
    state = AttentionState(torch.tensor([0]), torch.tensor([before]), torch.zeros(1, len(scores)))
    aligned: Aligned = align(torch.tensor([[scores]]), torch.zeros(1, 1, QUERY), mask, state)
    return aligned


def test_ntm_of_worked_numbers() -> None:
    """Three tokens and a pad. Content ½ ¼ ¼, before 0 0 1: half of each is ¼ ⅛ ⅝; ⅓ stays, ⅔ moves on
    by one and round the end: ½ 5/24 7/24; squared and normalised 144 25 49 of 218."""
    align = steered(0.0, (FIXED, 0.0, math.log(2.0)), math.log(math.e - 1))
    aligned = looked(align, [math.log(2.0), 0.0, 0.0, 9.0], 3, [0.0, 0.0, 1.0, 0.0])
    assert aligned.weights[0, 0].tolist() == pytest.approx([144 / 218, 25 / 218, 49 / 218, 0.0], abs=1e-6)
    gauges = {name: gauge.item() for name, gauge in aligned.gauges.items()}
    assert gauges == pytest.approx({"gate": 0.5, "moved": 2 / 3, "sharpening": 2.0})


@pytest.mark.parametrize(
    ("length", "moves", "wanted"),
    [
        (1, (0.0, 0.0, 0.0), [1.0, 0.0, 0.0]),  # round a sentence of one every way leads to where it was
        (1, (FIXED, FIXED, 0.0), [1.0, 0.0, 0.0]),
        (2, (FIXED, FIXED, 0.0), [0.0, 1.0, 0.0]),
        (2, (0.0, FIXED, FIXED), [0.0, 1.0, 0.0]),  # back from the first of two is the second as well
        (2, (0.0, FIXED, 0.0), [0.0, 1.0, 0.0]),
        (2, (0.0, 0.0, 0.0), [1 / 3, 2 / 3, 0.0]),
        (3, (0.0, FIXED, FIXED), [0.0, 0.0, 1.0]),
        (3, (0.0, 0.0, 0.0), [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_shift_goes_round_each_sentences_own_length(
    length: int, moves: tuple[float, float, float], wanted: list[float]
) -> None:
    before = [1.0, 0.0, 0.0]
    aligned = looked(steered(FIXED, moves, FIXED), [0.0] * 3, length, before)
    assert aligned.weights[0, 0].tolist() == pytest.approx(wanted, abs=1e-6)
    assert (aligned.weights[0, 0, length:] == 0).all()


def test_ntm_without_content_walks_from_the_first_position_round_and_round() -> None:
    align, mask = steered(FIXED, (FIXED, FIXED, 0.0), FIXED), torch.arange(5)[None] < 3
    steps = walk(align, torch.zeros(1, 7, 5), torch.zeros(1, 7, QUERY), mask)
    assert [aligned.weights.argmax().item() for aligned in steps] == [1, 2, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("sharpening", [-50.0, 0.0, 5.0, 500.0])
@pytest.mark.parametrize("gate", [-200.0, 0.0, 200.0])
def test_ntm_of_weights_that_are_exactly_0_has_finite_gradients(gate: float, sharpening: float) -> None:
    align = steered(gate, (-200.0, 200.0, -200.0), sharpening)
    scores = torch.tensor([[[300.0, -300.0, 0.0, 0.0]]], requires_grad=True)
    before = torch.tensor([[0.0, 1.0, 0.0, 0.0]], requires_grad=True)
    state = AttentionState(torch.tensor([0]), before, torch.zeros(1, 4))
    aligned = align(scores, torch.zeros(1, 1, QUERY), REAL, state)
    assert aligned.weights.sum().item() == pytest.approx(1.0)
    (aligned.weights @ REWARD).sum().backward()
    for part in (scores, before, *align.parameters()):
        assert part.grad is not None
        assert part.grad.isfinite().all()


def test_sharpening_of_many_small_weights_does_not_vanish() -> None:
    """A thousand weights near 1/1000 to the power 40 would each be 0 in single precision."""
    align = steered(200.0, (FIXED, 0.0, FIXED), 39.0)
    scores = [0.1] + [0.0] * 999
    weights = looked(align, scores, 1000, [1.0] + [0.0] * 999).weights[0, 0]
    assert weights.sum().item() == pytest.approx(1.0, abs=1e-5)
    assert (weights[0] / weights[1]).item() == pytest.approx(math.exp(0.1 * 40), rel=1e-3)


@pytest.mark.parametrize("name", sorted(set(ALIGNS) - {"hard", "straight-through"}))
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    torch.manual_seed(0)
    align = ALIGNS[name](sizes()).double()
    scores, query = (torch.randn(3, 1, size, dtype=torch.float64) for size in (9, QUERY))
    mask = torch.arange(9)[None] < torch.tensor([9, 2, 5])[:, None]
    before = torch.softmax(torch.randn(3, 9).double().masked_fill(~mask, -torch.inf), dim=-1)

    def weights(*inputs: Tensor) -> Tensor:
        state = AttentionState(torch.arange(3), inputs[2], before)
        return align(inputs[0], inputs[1], mask, state).weights

    assert torch.autograd.gradcheck(weights, [part.requires_grad_() for part in (scores, query, before)])
