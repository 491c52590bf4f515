from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention
from chatbot.nn.decoder import Bridge, DecoderState, RnnDecoder
from chatbot.nn.encoder import RnnEncoder
from chatbot.nn.memory import Memory
from chatbot.nn.registry import build_attention

EMBED, HIDDEN, BATCH = 5, 8, 3


def decoder_of(cell: str, layers: int = 1, attention: str = "general") -> RnnDecoder:
    torch.manual_seed(0)
    return RnnDecoder(cell, EMBED, HIDDEN, layers, 0.0, build_attention(attention, "global", HIDDEN, HIDDEN))


def started(decoder: RnnDecoder, layers: int) -> tuple[Memory, DecoderState]:
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(BATCH, 6, HIDDEN, generator=generator)
    mask = torch.arange(6)[None] < torch.tensor([6, 1, 3])[:, None]
    finals = tuple(torch.randn(BATCH, HIDDEN, generator=generator) for _ in range(layers))
    memory = decoder.attention.prepare(values, mask, finals[-1])
    return memory, decoder.start(finals, memory)


def replies(tgt_len: int = 4) -> Tensor:
    return torch.randn(BATCH, tgt_len, EMBED, generator=torch.Generator().manual_seed(2))


SHAPES = [("lstm", 1), ("gru", 1), ("lstm", 2), ("gru", 2)]


@pytest.mark.parametrize(("cell", "layers"), SHAPES)
def test_step_by_step_is_all_at_once(cell: str, layers: int) -> None:
    decoder = decoder_of(cell, layers)
    memory, state = started(decoder, layers)
    features, weights, after = decoder(replies(), memory, state)
    for t in range(4):
        step_features, step_weights, state = decoder(replies()[:, t : t + 1], memory, state)
        assert torch.allclose(step_features[:, 0], features[:, t], atol=1e-6)
        assert torch.allclose(step_weights[:, 0], weights[:, t], atol=1e-6)
    assert torch.allclose(state.hidden, after.hidden, atol=1e-6)
    assert (state.cell is None) == (cell == "gru")


def test_features_are_as_the_equations_have_them() -> None:
    decoder = decoder_of("gru", attention="dot")
    memory, state = started(decoder, 1)
    features, weights, _ = decoder(replies(1), memory, state)
    gru = nn.GRUCell(EMBED, HIDDEN)
    for name, parameter in decoder.recurrent.named_parameters():
        gru.get_parameter(name.removesuffix("_l0")).data.copy_(parameter)
    hidden = gru(replies(1)[:, 0], state.hidden[0])
    for row, length in enumerate((6, 1, 3)):
        scores = torch.stack([hidden[row] @ memory.values[row, j] for j in range(length)])
        looked = torch.exp(scores) / torch.exp(scores).sum()
        context = sum(looked[j] * memory.values[row, j] for j in range(length))
        wanted = torch.tanh(decoder.combine(torch.cat([context, hidden[row], replies(1)[row, 0]])))
        assert torch.allclose(weights[row, 0, :length], looked, atol=1e-6)
        assert torch.allclose(features[row, 0], wanted, atol=1e-6)


@pytest.mark.parametrize(("cell", "layers"), SHAPES)
def test_selected_rows_go_on_as_those_rows(cell: str, layers: int) -> None:
    decoder, rows = decoder_of(cell, layers), torch.tensor([2, 2, 0])
    memory, state = started(decoder, layers)
    state = decoder(replies(), memory, state)[2]
    features, weights, _ = decoder(replies(1), memory, state)
    chosen, looked, _ = decoder(replies(1)[rows], memory.select(rows), state.select(rows))
    assert torch.allclose(chosen, features[rows], atol=1e-6)
    assert torch.allclose(looked, weights[rows], atol=1e-6)


@pytest.mark.parametrize("direction", ["forwards", "backwards"])
@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_first_state_hangs_on_each_encoder_layer_and_direction(cell: str, layer: int, direction: str) -> None:
    torch.manual_seed(0)
    encoder, bridge = RnnEncoder(cell, EMBED, HIDDEN, 2, 0.0), Bridge(cell, HIDDEN, 2)
    embedded, lengths = replies(6), torch.tensor([6, 1, 3])
    before, before_cell = bridge(encoder(embedded, lengths).finals)
    with torch.no_grad():
        for parameter in getattr(encoder, direction)[layer].parameters():
            parameter.mul_(1.5)
    after, after_cell = bridge(encoder(embedded, lengths).finals)
    assert (before[layer] != after[layer]).any(1).all()  # decoder layer i starts from encoder layer i
    assert layer == 0 or torch.equal(before[0], after[0])
    if cell == "lstm":
        assert (before_cell[layer] != after_cell[layer]).any(1).all()
    else:
        assert before_cell is None


def test_bridge_is_a_tanh_layer_of_both_directions() -> None:
    bridge = Bridge("lstm", 2, 1)
    with torch.no_grad():
        for layer in (bridge.hidden[0], bridge.cell[0]):
            layer.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            layer.bias.zero_()
    hidden, cell = bridge((torch.tensor([[0.5, -1.0]]),))
    assert hidden[0, 0].tolist() == pytest.approx([-0.7615942, -0.4621172])  # tanh -1, tanh -0.5
    assert cell[0, 0].tolist() == pytest.approx([-1.0, -0.5])


def test_gradient_reaches_every_parameter() -> None:
    decoder = decoder_of("lstm", 2, "additive")
    assert isinstance(decoder.attention, Attention)
    memory, state = started(decoder, 2)
    decoder(replies(), memory, state)[0].square().sum().backward()
    for name, parameter in decoder.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name
