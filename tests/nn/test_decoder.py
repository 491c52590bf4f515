from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.core import Bridge, RnnCore
from chatbot.nn.decoder import ASKS, CoreDecoder, Decoded
from chatbot.nn.encoder import Encoded, RnnEncoder
from chatbot.nn.memory import Memory
from chatbot.nn.registry import build_attention
from chatbot.nn.sizes import AttentionSizes

EMBED, HIDDEN, LENGTHS = 5, 8, (6, 1, 3)


def decoder_of(ask: str, cell: str, layers: int = 1, attention: str = "general") -> CoreDecoder:
    torch.manual_seed(0)
    looks = build_attention(attention, "global", AttentionSizes.square(HIDDEN))
    core = RnnCore(cell, ASKS[ask].input_size(EMBED, HIDDEN), HIDDEN, layers, 0.0)
    return ASKS[ask](core, looks, EMBED, HIDDEN)


def started(decoder: CoreDecoder, layers: int) -> tuple[tuple[Memory, ...], Any]:
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(3, 6, HIDDEN, generator=generator)
    mask = torch.arange(6)[None] < torch.tensor(LENGTHS)[:, None]
    encoded = Encoded(values, tuple(torch.randn(3, HIDDEN, generator=generator) for _ in range(layers)))
    memories = decoder.prepare(encoded, mask)
    return memories, decoder.start(encoded, memories)


def replies(tgt_len: int = 4) -> Tensor:
    return torch.randn(3, tgt_len, EMBED, generator=torch.Generator().manual_seed(2))


def looked_at(memory: Memory, row: int, query: Tensor) -> Tensor:
    """Dot attention over one row's real positions, by loops."""
    scores = torch.stack([query @ memory.values[row, j] for j in range(LENGTHS[row])])
    weights = torch.exp(scores) / torch.exp(scores).sum()
    context = torch.zeros(HIDDEN)
    for j in range(LENGTHS[row]):
        context = context + weights[j] * memory.values[row, j]
    return context


SHAPES = [(ask, cell, layers) for ask in ASKS for cell in ("lstm", "gru") for layers in (1, 2)]


@pytest.mark.parametrize(("ask", "cell", "layers"), SHAPES)
def test_step_by_step_is_all_at_once(ask: str, cell: str, layers: int) -> None:
    decoder = decoder_of(ask, cell, layers)
    memories, state = started(decoder, layers)
    whole: Decoded = decoder(replies(), memories, state)
    for t in range(4):
        step: Decoded = decoder(replies()[:, t : t + 1], memories, state)
        assert torch.allclose(step.features[:, 0], whole.features[:, t], atol=1e-6)
        assert torch.allclose(step.weights[:, 0], whole.weights[:, t], atol=1e-6)
        state = step.state
    assert torch.allclose(state.output, whole.state.output, atol=1e-6)  # type: ignore[attr-defined]


@pytest.mark.parametrize("ask", ASKS)
def test_features_are_as_the_equations_have_them(ask: str) -> None:
    """Every word of every row through torch's own cell, asking when the paper asks."""
    decoder = decoder_of(ask, "gru", attention="dot")
    memories, state = started(decoder, 1)
    found: Decoded = decoder(replies(), memories, state)
    gru = nn.GRUCell(decoder.core.layers[0].input_size, HIDDEN)
    for name, parameter in decoder.core.layers[0].named_parameters():
        gru.get_parameter(name.removesuffix("_l0")).data.copy_(parameter)
    for row in range(3):
        hidden, features = state.output[row], torch.zeros(EMBED)
        for t in range(4):
            word = replies()[row, t]
            before = looked_at(memories[0], row, hidden)
            read = {"current": [word], "previous": [word, before], "feeding": [word, features]}[ask]
            hidden = gru(torch.cat(read)[None], hidden[None])[0]
            context = before if ask == "previous" else looked_at(memories[0], row, hidden)
            features = torch.tanh(decoder.combine(torch.cat([context, hidden, word])))
            assert torch.allclose(found.features[row, t], features, atol=1e-6)


@pytest.mark.parametrize("ask", ASKS)
def test_what_was_looked_at_changes_later_words_where_it_is_fed_back(ask: str) -> None:
    decoder = decoder_of(ask, "lstm")
    memories, state = started(decoder, 1)
    before: Decoded = decoder(replies(), memories, state)
    moved = Memory(memories[0].keys, memories[0].values + 1.0, memories[0].mask, memories[0].summary)
    after: Decoded = decoder(replies(), (moved,), state)
    outputs = [each.state.output for each in (before, after)]  # type: ignore[attr-defined]
    assert torch.allclose(*outputs) != decoder.feeds_back


@pytest.mark.parametrize("layers", [2, 3])
def test_residual_layers_add_their_input_from_the_second_on(layers: int) -> None:
    torch.manual_seed(0)
    core = RnnCore("gru", EMBED, HIDDEN, layers, 0.0, residual=True)
    _, state = core.start(tuple(torch.randn(3, HIDDEN) for _ in range(layers)))
    wanted = core.layers[0](replies(), state.hidden[0][None])[0]
    for layer in range(1, layers):
        wanted = wanted + core.layers[layer](wanted, state.hidden[layer][None])[0]
    assert torch.allclose(core(replies(), state)[0], wanted, atol=1e-6)


@pytest.mark.parametrize("direction", ["forwards", "backwards"])
@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_first_state_hangs_on_each_encoder_layer_and_direction(cell: str, layer: int, direction: str) -> None:
    torch.manual_seed(0)
    encoder, bridge = RnnEncoder(cell, EMBED, HIDDEN, 2, 0.0), Bridge(cell, HIDDEN, 2)
    embedded, mask = replies(6), torch.arange(6)[None] < torch.tensor(LENGTHS)[:, None]
    before = bridge(encoder(embedded, mask).finals)
    with torch.no_grad():
        for parameter in getattr(encoder, direction)[layer].parameters():
            parameter.mul_(1.5)
    after = bridge(encoder(embedded, mask).finals)
    assert (before.hidden[layer] != after.hidden[layer]).any(1).all()  # layer i starts from encoder layer i
    assert layer == 0 or torch.equal(before.hidden[0], after.hidden[0])
    if cell == "lstm":
        assert (before.cell[layer] != after.cell[layer]).any(1).all()
    else:
        assert before.cell == ()


def test_decoder_layers_the_encoder_has_not_start_from_its_last() -> None:
    bridge, finals = Bridge("gru", 2, 3), (torch.tensor([[0.5, -1.0]]), torch.tensor([[1.0, 2.0]]))
    state = bridge(finals)
    for layer, final in enumerate((finals[0], finals[1], finals[1])):
        assert torch.equal(state.hidden[layer], torch.tanh(bridge.hidden[layer](final)))


def test_bridge_is_a_tanh_layer_of_both_directions() -> None:
    bridge = Bridge("lstm", 2, 1)
    with torch.no_grad():
        for layer in (bridge.hidden[0], bridge.cell[0]):
            layer.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
            layer.bias.zero_()
    state = bridge((torch.tensor([[0.5, -1.0]]),))
    assert state.hidden[0][0].tolist() == pytest.approx([-0.7615942, -0.4621172])  # tanh -1, tanh -0.5
    assert state.cell[0][0].tolist() == pytest.approx([-1.0, -0.5])
