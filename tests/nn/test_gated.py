from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.errors import OptionError
from chatbot.nn.encoder import Encoder, RnnEncoder
from chatbot.nn.gated import GatedEncoder, GatedSelfAttention
from chatbot.nn.loss import sequence_loss
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.adamw import AdamW
from chatbot.training.stepping import build_optimizer
from chatbot.training.trainer import load_weights, own_weights

SIZE, VOCAB = 16, 11
LENGTHS = torch.tensor([3, 9, 1])
MASK = torch.arange(9)[None] < LENGTHS[:, None]
CPU = torch.device("cpu")


def layer_of(gamma: float, size: int = SIZE) -> GatedSelfAttention:
    torch.manual_seed(0)
    layer = GatedSelfAttention(size)
    torch.nn.init.constant_(layer.gamma, gamma)
    return layer.eval()


def values_of(extra: int = 0, pad: float = 1e3, size: int = SIZE) -> Tensor:
    values = torch.full((3, 9 + extra, size), pad)
    for row, length in enumerate(LENGTHS.tolist()):
        values[row, :length] = torch.randn(length, size, generator=torch.Generator().manual_seed(row))
    return values


@pytest.mark.parametrize("size", [SIZE, 5])
def test_layer_is_the_equations_in_a_loop(size: int) -> None:
    layer, values = layer_of(0.7, size), values_of(size=size)
    outputs = layer(values, MASK)
    f, g, h, v = (part.weight for part in (layer.f, layer.g, layer.h, layer.v))
    assert f.shape == (max(1, size // 8), size)
    for row, length in enumerate(LENGTHS.tolist()):
        for j, x in enumerate(values[row, :length]):
            scores = [((f @ values[row, i]) @ (g @ x)).exp() for i in range(length)]
            found = sum(score / sum(scores) * (h @ values[row, i]) for i, score in enumerate(scores))
            assert torch.allclose(outputs[row, j], 0.7 * (v @ found) + x, atol=1e-5)


@pytest.mark.parametrize("pad", [0.0, 1e3, -1e3])
def test_padding_weighs_exactly_0_and_changes_nothing(pad: float) -> None:
    layer, mask = layer_of(1.0), torch.arange(14)[None] < LENGTHS[:, None]
    weights = layer.weights(values_of(5, pad), mask)
    assert (weights.masked_select(~mask[:, None]) == 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(3, 14))
    tight, loose = layer(values_of(), MASK), layer(values_of(5, pad), mask)
    assert torch.allclose(tight[MASK], loose[:, :9][MASK], atol=1e-6)


def test_sentence_alone_is_changed_as_in_its_batch() -> None:
    layer = layer_of(1.0)
    among = layer(values_of(), MASK)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = layer(values_of()[row : row + 1, :length], MASK[row : row + 1, :length])
        assert torch.allclose(among[row, :length], alone[0], atol=1e-6)


def test_after_some_training_calls_no_matrix_stretches_anything() -> None:
    layer = layer_of(1.0).train()
    with torch.no_grad():
        for part in (layer.f, layer.g, layer.h, layer.v):
            part.parametrizations.weight.original.normal_(std=3.0)
    for _ in range(100):
        layer(values_of(), MASK)
    for part in (layer.f, layer.g, layer.h, layer.v):
        assert torch.linalg.svdvals(part.weight)[0].item() == pytest.approx(1.0, abs=1e-3)
        original = part.parametrizations.weight.original
        stretch = torch.linalg.svdvals(original)[0]
        assert stretch > 2
        assert torch.allclose(part.weight, original / stretch, atol=1e-3)


def test_evaluation_leaves_the_power_iteration_where_it_was() -> None:
    layer = layer_of(1.0)
    before = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    layer(values_of(), MASK)
    assert len(before) == 8  # two vectors a matrix
    assert all(torch.equal(before[name], buffer) for name, buffer in layer.named_buffers())


def test_gate_starts_shut_and_has_a_gradient() -> None:
    torch.manual_seed(0)
    encoder: Encoder = RnnEncoder("gru", 6, SIZE, 2, 0.0)
    gated, embedded = GatedEncoder(encoder, SIZE), torch.randn(3, 9, 6)
    before, after = encoder(embedded, MASK), gated(embedded, MASK)
    assert torch.equal(before.outputs, after.outputs)
    assert all(torch.equal(a, b) for a, b in zip(before.finals, after.finals, strict=True))
    after.outputs[MASK].square().sum().backward()
    assert gated.look.gamma.grad is not None
    assert gated.look.gamma.grad != 0


def test_open_gate_lets_gradient_reach_every_parameter() -> None:
    layer = layer_of(0.5).train()
    layer(values_of(), MASK)[MASK].square().sum().backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name


SRC, TGT = torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0]]), torch.tensor([[2, 5, 9], [2, 8, 0]])


def network_of(seed: int) -> tuple[Seq2Seq, AdamW]:
    network = build_network(ModelOptions(self_attention=True, embed=6, hidden=SIZE, dropout=0.0), VOCAB, seed)
    return network, build_optimizer(network, TrainingOptions(lr=0.05))


def train(network: Seq2Seq, optimizer: AdamW, steps: int) -> None:
    for _ in range(steps):
        objective: Any = sequence_loss(network.train(), SRC, TGT, TGT, 0.0).objective
        objective.backward()
        optimizer.step()
        optimizer.zero_grad()


def kept(network: Seq2Seq) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in own_weights(network).items()}


def test_loaded_weights_give_the_same_outputs() -> None:
    (trained, optimizer), (other, _) = network_of(0), network_of(1)
    train(trained, optimizer, 5)
    weights = kept(trained)
    assert sum(name.endswith(("._u", "._v")) for name in weights) == 8
    load_weights(other, weights)
    assert torch.equal(trained.eval()(SRC, TGT)[0].features, other.eval()(SRC, TGT)[0].features)


def test_resumed_training_is_bit_for_bit_the_uninterrupted_one() -> None:
    (straight, optimizer), (resumed, fresh) = network_of(0), network_of(1)
    train(straight, optimizer, 3)
    weights = kept(straight)
    moments = {name: tensor.clone() for name, tensor in optimizer.tensors().items()}
    train(straight, optimizer, 3)
    load_weights(resumed, weights)
    fresh.restore(moments)
    train(resumed, fresh, 3)
    ended = own_weights(straight)
    assert not torch.equal(ended["encoder.look.gamma"], weights["encoder.look.gamma"])
    assert all(torch.equal(ended[name], tensor) for name, tensor in own_weights(resumed).items())


def test_having_no_attention_leaves_the_gate_nothing_to_do() -> None:
    with pytest.raises(OptionError, match="none"):
        build_network(ModelOptions(self_attention=True, attention="none"), VOCAB)
