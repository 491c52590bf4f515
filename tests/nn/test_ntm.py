from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.nn.core import Core, RnnCore
from chatbot.nn.ntm import FeedForwardController, NtmCore, NtmState
from chatbot.nn.recurrent import CELLS

INPUT, HIDDEN, SLOTS, SLOT, STEPS = 3, 5, 4, 2, 6
CONTROLLERS = (*CELLS, "feed-forward")

Vector = list[float]

every = pytest.mark.parametrize("kind", CONTROLLERS)


def controller_of(kind: str, size: int, hidden: int) -> Core:
    return FeedForwardController(size, hidden) if kind not in CELLS else RnnCore(kind, size, hidden, 1, 0.0)


def core_of(kind: str) -> NtmCore:
    """A core whose parameters are far from 0, so that no part of it is idle."""
    torch.manual_seed(0)
    core = NtmCore(controller_of(kind, INPUT + SLOT, HIDDEN), HIDDEN, SLOTS, SLOT)
    with torch.no_grad():
        for parameter in core.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return core


def finals(batch: int = 3) -> tuple[Tensor, ...]:
    return (torch.randn(3, HIDDEN, generator=torch.Generator().manual_seed(1))[:batch],)


def inputs() -> Tensor:
    return torch.randn(3, STEPS, INPUT, generator=torch.Generator().manual_seed(2))


def parts(state: NtmState) -> list[Tensor]:
    return [state.memory, state.read, state.reader.weights, state.writer.weights]


def same(left: NtmState, right: NtmState) -> bool:
    pairs = zip(parts(left), parts(right), strict=True)
    return all(torch.allclose(one, other, atol=1e-5) for one, other in pairs)


# the machine as a loop over numbers


def dot(left: Vector, right: Vector) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def linear(layer: Any, vector: Vector) -> Vector:
    return [
        dot(row, vector) + bias for row, bias in zip(layer.weight.tolist(), layer.bias.tolist(), strict=True)
    ]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def softmax(scores: Vector) -> Vector:
    return [math.exp(score) / sum(math.exp(each) for each in scores) for score in scores]


def softplus(x: float) -> float:
    return math.log(1 + math.exp(x))


def addressed(head: Any, output: Vector, memory: list[Vector], before: Vector) -> Vector:
    """Graves et al. 2014, equations 5 to 9, slot by slot."""
    key = linear(head.key, output)
    sharpness = softplus(linear(head.score.beta, key)[0])
    lengths = [math.sqrt(dot(slot, slot) + 1e-6) for slot in [key, *memory]]
    cosines = [dot(key, slot) / (lengths[0] * lengths[1 + i]) for i, slot in enumerate(memory)]
    content = softmax([sharpness * cosine for cosine in cosines])
    gate, *moves, power = linear(head.align.control, output)
    mixed = [sigmoid(gate) * c + (1 - sigmoid(gate)) * b for c, b in zip(content, before, strict=True)]
    back, stay, on = softmax(moves)
    slots = len(memory)
    moved = [
        stay * mixed[i] + on * mixed[(i - 1) % slots] + back * mixed[(i + 1) % slots] for i in range(slots)
    ]
    raised = [weight ** (1 + softplus(power)) for weight in moved]
    return [weight / sum(raised) for weight in raised]


def machine(core: NtmCore, words: list[Vector]) -> list[Vector]:
    """The outputs of a feed-forward core, by sections 3.1 and 3.2 of the paper."""
    memory = [[1e-6] * SLOT for _ in range(SLOTS)]
    read, writing, reading = [0.0] * SLOT, [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    outputs = []
    for word in words:
        hidden = [math.tanh(x) for x in linear(core.controller.w, word + read)]
        erase = [sigmoid(x) for x in linear(core.erase, hidden)]
        add = [math.tanh(x) for x in linear(core.add, hidden)]
        writing = addressed(core.writer, hidden, memory, writing)
        for i, j in itertools.product(range(SLOTS), range(SLOT)):
            memory[i][j] = memory[i][j] * (1 - writing[i] * erase[j]) + writing[i] * add[j]
        reading = addressed(core.reader, hidden, memory, reading)
        read = [sum(reading[i] * memory[i][j] for i in range(SLOTS)) for j in range(SLOT)]
        outputs.append(linear(core.combine, hidden + read))
    return outputs


def test_outputs_are_those_of_the_machine_in_loops() -> None:
    core = core_of("feed-forward")
    found, _ = core(inputs(), core.start(finals())[1])
    for row in range(3):
        wanted = machine(core, inputs()[row].tolist())
        for t in range(STEPS):
            assert found[row, t].tolist() == pytest.approx(wanted[t], abs=1e-4)


@pytest.mark.parametrize("kind", CELLS)
def test_recurrent_controller_reads_the_input_and_what_was_read_last(kind: str) -> None:
    core = core_of(kind)
    _, state = core.start(finals())
    _, controlled = core.controller.start(finals())
    for t in range(STEPS):
        reading = torch.cat([inputs()[:, t], state.read], dim=-1)[:, None]
        hidden, controlled = core.controller(reading, controlled)
        output, state = core(inputs()[:, t : t + 1], state)
        assert torch.allclose(
            output, core.combine(torch.cat([hidden, state.read[:, None]], dim=-1)), atol=1e-6
        )
        assert torch.equal(state.controller.hidden[0], hidden[:, 0])


@every
def test_step_by_step_is_all_at_once(kind: str) -> None:
    core = core_of(kind)
    whole, after = core(inputs(), core.start(finals())[1])
    state = core.start(finals())[1]
    for t in range(STEPS):
        output, state = core(inputs()[:, t : t + 1], state)
        assert torch.allclose(output[:, 0], whole[:, t], atol=1e-5)
    assert same(state, after)


@every
def test_batch_of_one_is_batch_of_many(kind: str) -> None:
    core = core_of(kind)
    among, _ = core(inputs(), core.start(finals())[1])
    alone, _ = core(inputs()[:1], core.start(finals(1))[1])
    assert torch.allclose(alone[0], among[0], atol=1e-5)


@every
def test_selected_rows_are_what_those_rows_give(kind: str) -> None:
    core, rows = core_of(kind), torch.tensor([2, 0, 2, 1])
    _, state = core(inputs(), core.start(finals())[1])
    outputs, after = core(inputs(), state)
    chosen, chosen_after = core(inputs()[rows], state.select(rows))
    assert torch.allclose(chosen, outputs[rows], atol=1e-5)
    assert same(chosen_after, after.select(rows))


@every
def test_gradients_are_finite_and_reach_every_part(kind: str) -> None:
    core = core_of(kind)
    output, state = core.start(finals())
    outputs, _ = core(inputs(), state)
    (output.square().sum() + outputs.square().sum()).backward()
    for parameter in core.parameters():
        assert parameter.grad is not None
        assert torch.isfinite(parameter.grad).all()
        assert parameter.grad.any()


@every
def test_long_run_on_huge_inputs_stays_finite(kind: str) -> None:
    core = core_of(kind)
    many = 1e3 * inputs().repeat(1, 8, 1)
    outputs, state = core(many, core.start(finals())[1])
    outputs.square().mean().backward()
    assert torch.isfinite(outputs).all()
    assert torch.isfinite(state.memory).all()
    assert all(torch.isfinite(parameter.grad).all() for parameter in core.parameters())


def stays_near_single(kind: str, device: str, dtype: torch.dtype) -> None:
    core, first, shown = core_of(kind).to(device), (finals()[0].to(device),), inputs().to(device)
    wanted, _ = core(shown, core.start(first)[1])
    with torch.autocast(device, dtype=dtype):
        found, state = core(shown, core.start(first)[1])
    assert torch.allclose(found.float(), wanted, atol=0.25)
    for weights in (state.reader.weights, state.writer.weights):
        assert torch.allclose(weights.float().sum(-1).cpu(), torch.ones(3), atol=1e-2)


@every
def test_half_precision_stays_near_single(kind: str) -> None:
    stays_near_single(kind, "cpu", torch.bfloat16)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
@every
def test_half_precision_on_a_gpu_stays_near_single(kind: str, dtype: torch.dtype) -> None:
    stays_near_single(kind, "cuda", dtype)


SURE, NEVER = 60.0, -60.0


def steer(head: Any, gate: float, moves: list[float], key: Tensor) -> None:
    """A head that looks for ``key`` of the controller's output, gated and moved as said, and sharply so."""
    head.key.weight.copy_(key)
    head.score.beta.bias.fill_(SURE)
    head.align.control.bias.copy_(torch.tensor([gate, *moves, NEVER]))


@torch.no_grad()
def test_what_was_written_is_found_by_content_and_read_as_it_was() -> None:
    """Two vectors of three signs go to slots 1 and 2; two of the three signs find each again.

    The controller passes on three numbers to write and three to look for. The writer goes on by a slot a
    step, erases it and adds the first three; the reader looks for the last three.
    """
    core = NtmCore(FeedForwardController(9, 6), hidden=6, slots=4, slot_size=3)
    for parameter in core.parameters():
        parameter.zero_()
    core.controller.w.weight.copy_(SURE * torch.eye(6, 9))  # signs stay themselves, 0 stays 0
    core.add.weight.copy_(SURE * torch.eye(3, 6))
    core.erase.bias.fill_(SURE)
    steer(core.writer, NEVER, [NEVER, NEVER, SURE], torch.zeros(3, 6))
    steer(core.reader, SURE, [NEVER, SURE, NEVER], torch.eye(6)[3:])
    first, second = [1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]
    shown = torch.tensor([[[*first, 0.0, 0.0, 0.0], [*second, 0.0, 0.0, 0.0]]])
    _, state = core(shown, core.start((torch.zeros(1, 6),))[1])
    assert torch.allclose(state.memory[0], torch.tensor([[0.0] * 3, first, second, [0.0] * 3]), atol=1e-5)
    for asked, found in (([1.0, 0.0, 1.0], first), ([-1.0, 0.0, -1.0], second), ([0.0, -1.0, 1.0], first)):
        _, after = core(torch.tensor([[[0.0, 0.0, 0.0, *asked]]]), state)
        assert after.read[0].tolist() == pytest.approx(found, abs=1e-4)


@torch.no_grad()
def test_erasing_half_and_adding_of_worked_numbers() -> None:
    core = core_of("gru")
    core.erase.weight.zero_()
    core.erase.bias.zero_()  # sigmoid 0: half
    core.add.weight.zero_()
    core.add.bias.copy_(torch.tensor([math.atanh(0.8), 0.0]))
    memory = torch.tensor([[[0.4, 0.4], [0.4, 0.4]]])
    written = core._written(torch.zeros(1, HIDDEN), memory, torch.tensor([[[0.5], [0.0]]]))
    wanted = [0.4 * (1 - 0.5 * 0.5) + 0.5 * 0.8, 0.4 * (1 - 0.5 * 0.5), 0.4, 0.4]
    assert written.flatten().tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("ask", ["current", "previous", "feeding"])
def test_options_build_a_decoder_with_a_memory(ask: str) -> None:
    shape = ModelOptions(decoder="ntm", ask=ask, embed=6, hidden=8, slots=5, slot_size=3, dropout=0.0)
    network = build_network(shape, 11)
    decoded, _ = network(torch.tensor([[4, 5, 0], [6, 7, 8]]), torch.tensor([[2, 4], [2, 5]]))
    core = decoded.state.core
    assert isinstance(core, NtmState)
    assert core.memory.shape == (2, 5, 3)
    decoded.features.sum().backward()
    assert all(p.grad.isfinite().all() for p in network.decoder.parameters() if p.grad is not None)


# learning


class Copier(nn.Module):
    """Shown vectors of bits and an end, says them again."""

    BITS = 4

    def __init__(self) -> None:
        super().__init__()
        self.core = NtmCore(FeedForwardController(self.BITS + 1 + 16, 64), 64, slots=32, slot_size=16)
        self.said = nn.Linear(64, self.BITS)

    def forward(self, bits: Tensor) -> Tensor:
        batch, length, _ = bits.shape
        shown = torch.zeros(batch, 2 * length + 1, self.BITS + 1)
        shown[:, :length, : self.BITS] = bits
        shown[:, length, self.BITS] = 1.0
        outputs, _ = self.core(shown, self.core.start((torch.zeros(batch, 64),))[1])
        logits: Tensor = self.said(outputs[:, length + 1 :])
        return logits


def bits_of(batch: int, length: int) -> Tensor:
    return torch.randint(0, 2, (batch, length, Copier.BITS)).float()


@pytest.mark.slow
def test_machine_learns_to_copy_and_goes_on_to_longer_sequences() -> None:
    torch.manual_seed(0)
    copier, steps = Copier(), 600
    optimizer = torch.optim.Adam(copier.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.01 * min(1.0, (step + 1) / 50, 2 * (1 - step / steps))
        bits = bits_of(16, 1 + step % 5)
        loss = nn.functional.binary_cross_entropy_with_logits(copier(bits), bits)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(copier.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        for length in (1, 3, 5, 8):
            bits = bits_of(100, length)
            assert ((copier(bits) > 0) == bits.bool()).float().mean() > 0.99
