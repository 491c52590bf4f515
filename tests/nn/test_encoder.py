from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from chatbot.nn.encoder import Encoded, Encoder, ReversedEncoder, RnnEncoder
from chatbot.nn.recurrent import CELLS

SIZE, HIDDEN = 5, 8
LENGTHS = torch.tensor([3, 20, 1])


def encode(encoder: Encoder, embedded: Tensor, lengths: Tensor = LENGTHS) -> Encoded:
    encoded: Encoded = encoder(embedded, torch.arange(embedded.shape[1])[None] < lengths[:, None])
    return encoded


def encoder_of(cell: str, layers: int = 1) -> RnnEncoder:
    torch.manual_seed(0)
    return RnnEncoder(cell, SIZE, HIDDEN, layers, dropout=0.0)


def twin_of(encoder: RnnEncoder, cell: str, layers: int) -> nn.LSTM | nn.GRU:
    """torch's own bidirectional stack with the same weights."""
    twin = CELLS[cell](SIZE, HIDDEN // 2, layers, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for layer in range(layers):
            for stacks, ending in ((encoder.forwards, ""), (encoder.backwards, "_reverse")):
                for name, parameter in stacks[layer].named_parameters():
                    twin.get_parameter(name.replace("_l0", f"_l{layer}{ending}")).copy_(parameter)
    return twin


def random_input(pad: float = 0.0, extra: int = 0) -> Tensor:
    embedded = torch.full((3, 20 + extra, SIZE), pad)
    for row, length in enumerate(LENGTHS.tolist()):
        embedded[row, :length] = torch.randn(length, SIZE, generator=torch.Generator().manual_seed(row))
    return embedded


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", CELLS)
def test_encoder_equals_torchs_packed_bidirectional_stack(cell: str, layers: int) -> None:
    encoder = encoder_of(cell, layers)
    encoded = encode(encoder, random_input(pad=7.0))
    packed = pack_padded_sequence(random_input(), LENGTHS, batch_first=True, enforce_sorted=False)
    outputs, finals = twin_of(encoder, cell, layers)(packed)
    hidden = finals[0] if cell == "lstm" else finals  # [layers * 2, batch, hidden / 2]
    wanted = pad_packed_sequence(outputs, batch_first=True)[0]
    real = torch.arange(20)[None] < LENGTHS[:, None]
    assert torch.allclose(encoded.outputs[real], wanted[real], atol=1e-6)
    for layer, final in enumerate(encoded.finals):
        assert torch.allclose(final, torch.cat([hidden[2 * layer], hidden[2 * layer + 1]], dim=-1), atol=1e-6)


@pytest.mark.parametrize("cell", CELLS)
def test_padding_changes_neither_outputs_nor_final_states(cell: str) -> None:
    encoder = encoder_of(cell, 2)
    tight, loose = encode(encoder, random_input()), encode(encoder, random_input(pad=1e3, extra=9))
    for row, length in enumerate(LENGTHS.tolist()):
        assert torch.allclose(tight.outputs[row, :length], loose.outputs[row, :length], atol=1e-6)
    for a, b in zip(tight.finals, loose.finals, strict=True):
        assert torch.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("row", range(3))
def test_sentence_alone_is_encoded_as_in_its_batch(row: int) -> None:
    encoder, length = encoder_of("lstm", 2), int(LENGTHS[row])
    alone = encode(encoder, random_input()[row : row + 1, :length], LENGTHS[row : row + 1])
    among = encode(encoder, random_input())
    assert torch.allclose(alone.outputs[0], among.outputs[row, :length], atol=1e-6)
    assert torch.allclose(alone.finals[-1][0], among.finals[-1][row], atol=1e-6)


def test_shuffled_batch_gives_shuffled_outputs() -> None:
    encoder, order = encoder_of("gru", 2), torch.tensor([2, 0, 1])
    before, after = encode(encoder, random_input()), encode(encoder, random_input()[order], LENGTHS[order])
    assert torch.allclose(after.outputs, before.outputs[order], atol=1e-6)
    assert torch.allclose(after.finals[-1], before.finals[-1][order], atol=1e-6)


def test_first_output_has_read_the_whole_sentence_backwards() -> None:
    encoder, embedded = encoder_of("lstm"), random_input()
    before = encode(encoder, embedded)
    embedded[1, 19] += 1.0
    after = encode(encoder, embedded)
    assert torch.equal(before.outputs[1, 0, : HIDDEN // 2], after.outputs[1, 0, : HIDDEN // 2])
    assert not torch.allclose(
        before.outputs[1, 0, HIDDEN // 2 :], after.outputs[1, 0, HIDDEN // 2 :], atol=1e-9
    )


def test_odd_size_is_shared_between_the_directions() -> None:
    encoded = encode(RnnEncoder("gru", SIZE, 7, 2, dropout=0.0), random_input())
    assert encoded.outputs.shape == (3, 20, 7)
    assert [final.shape for final in encoded.finals] == [(3, 7), (3, 7)]


def test_dropout_acts_between_layers_in_training_alone() -> None:
    torch.manual_seed(0)
    encoder = RnnEncoder("lstm", SIZE, HIDDEN, 2, dropout=0.5)
    first, second = (encode(encoder, random_input()) for _ in range(2))
    assert torch.equal(first.finals[0], second.finals[0])
    assert not torch.equal(first.finals[1], second.finals[1])
    encoder.eval()
    first, second = (encode(encoder, random_input()) for _ in range(2))
    assert torch.equal(first.finals[1], second.finals[1])


def test_one_direction_is_torchs_stack() -> None:
    encoder = RnnEncoder("gru", SIZE, HIDDEN, 1, 0.0, bidirectional=False)
    outputs, _ = encoder.forwards[0](random_input())
    encoded = encode(encoder, random_input())
    assert torch.equal(encoded.outputs, outputs)
    for row, length in enumerate(LENGTHS.tolist()):
        assert torch.equal(encoded.finals[0][row], outputs[row, length - 1])


def test_residual_layers_add_their_input_from_the_second_on() -> None:
    torch.manual_seed(0)
    encoder = RnnEncoder("gru", SIZE, HIDDEN, 3, 0.0, bidirectional=False, residual=True)
    wanted = encoder.forwards[0](random_input())[0]
    for layer in encoder.forwards[1:]:
        wanted = wanted + layer(wanted)[0]
    assert torch.allclose(encode(encoder, random_input()).outputs, wanted, atol=1e-6)


def test_reversed_source_is_read_from_its_end_and_comes_out_where_it_stood() -> None:
    torch.manual_seed(0)
    inner = RnnEncoder("lstm", SIZE, HIDDEN, 1, 0.0, bidirectional=False)
    encoded = encode(ReversedEncoder(inner), random_input(pad=9.0))
    for row, length in enumerate(LENGTHS.tolist()):
        turned = random_input()[row : row + 1, :length].flip(1)
        alone = encode(inner, turned, LENGTHS[row : row + 1])
        assert torch.allclose(encoded.outputs[row, :length], alone.outputs[0].flip(0), atol=1e-6)
        assert torch.allclose(encoded.finals[0][row], alone.finals[0][0], atol=1e-6)
