from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.encoder import Encoded, RnnEncoder
from chatbot.nn.lstmn import LstmnLayer

SIZE, HIDDEN = 5, 8
LENGTHS = (3, 11, 1)


def sentence(row: int) -> Tensor:
    return torch.randn(LENGTHS[row], SIZE, generator=torch.Generator().manual_seed(row))


def encode(encoder: RnnEncoder, rows: tuple[int, ...], extra: int = 0, pad: float = 0.0) -> Encoded:
    """Encode sentences, with more padding than needed and ``pad`` in it."""
    lengths = [LENGTHS[row] for row in rows]
    embedded = torch.full((len(rows), max(lengths) + extra, SIZE), pad)
    for place, row in enumerate(rows):
        embedded[place, : LENGTHS[row]] = sentence(row)
    encoded: Encoded = encoder(
        embedded, torch.arange(embedded.shape[1])[None] < torch.tensor(lengths)[:, None]
    )
    return encoded


def encoder_of(
    layers: int = 1, dropout: float = 0.0, *, both: bool = True, residual: bool = False
) -> RnnEncoder:
    torch.manual_seed(0)
    return RnnEncoder("lstmn", SIZE, HIDDEN, layers, dropout, bidirectional=both, residual=residual)


def twin(layer: LstmnLayer, inputs: Tensor) -> Tensor:
    """The equations for one sentence, one number of the tape after the other."""
    hidden, cell = torch.zeros(layer.hidden), torch.zeros(layer.hidden)
    tape: list[tuple[Tensor, Tensor]] = []
    for x in inputs:
        if tape:
            scores = [
                layer.v @ torch.tanh(layer.key(h) + layer.asked(x) + layer.found(hidden)) for h, _ in tape
            ]
            total = sum(score.exp() for score in scores)
            weights = [score.exp() / total for score in scores]
            hidden = sum(weight * h for weight, (h, _) in zip(weights, tape, strict=True))
            cell = sum(weight * c for weight, (_, c) in zip(weights, tape, strict=True))
        i, f, new, o = (layer.read(x) + layer.recall(hidden)).chunk(4)
        c = f.sigmoid() * cell + i.sigmoid() * new.tanh()
        tape.append((o.sigmoid() * c.tanh(), c))
    return torch.stack([h for h, _ in tape])


@pytest.mark.parametrize("row", range(len(LENGTHS)))
def test_layers_are_the_equations_sentence_by_sentence(row: int) -> None:
    encoder, read = encoder_of(layers=2, both=False), sentence(row)
    encoded = encode(encoder, (0, 1, 2))
    for layer, final in zip(encoder.forwards, encoded.finals, strict=True):
        assert isinstance(layer, LstmnLayer)
        read = twin(layer, read)
        assert torch.allclose(final[row], read[-1], atol=1e-6)
    assert torch.allclose(encoded.outputs[row, : len(read)], read, atol=1e-6)


@pytest.mark.parametrize("row", range(len(LENGTHS)))
def test_backward_half_reads_the_sentence_turned_round(row: int) -> None:
    encoder, read = encoder_of(), sentence(row)
    ahead, back = twin(encoder.forwards[0], read), twin(encoder.backwards[0], read.flip(0))
    encoded = encode(encoder, (0, 1, 2))
    wanted = torch.cat([ahead, back.flip(0)], dim=-1)
    assert torch.allclose(encoded.outputs[row, : len(read)], wanted, atol=1e-6)
    assert torch.allclose(encoded.finals[0][row], torch.cat([ahead[-1], back[-1]]), atol=1e-6)


def test_two_words_are_read_as_torchs_lstm_reads_them() -> None:
    """With one state on the tape there is nothing to choose from."""
    layer, lstm = LstmnLayer(SIZE, HIDDEN), nn.LSTM(SIZE, HIDDEN, batch_first=True)
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(layer.read.weight)
        lstm.weight_hh_l0.copy_(layer.recall.weight)
        lstm.bias_ih_l0.copy_(layer.read.bias)
        lstm.bias_hh_l0.zero_()
    outputs, wanted = (read(sentence(0)[None])[0] for read in (layer, lstm))
    assert torch.allclose(outputs[:, :2], wanted[:, :2], atol=1e-6)
    assert not torch.allclose(outputs[:, 2], wanted[:, 2], atol=1e-4)


@pytest.mark.parametrize("both", [True, False])
def test_sentence_is_encoded_alone_as_among_others_however_padded(both: bool) -> None:
    encoder = encoder_of(layers=2, both=both)
    among = encode(encoder, (0, 1, 2), extra=6, pad=1e3)
    for row, length in enumerate(LENGTHS):
        alone = encode(encoder, (row,))
        assert torch.allclose(among.outputs[row, :length], alone.outputs[0], atol=1e-6)
        for a, b in zip(among.finals, alone.finals, strict=True):
            assert torch.allclose(a[row], b[0], atol=1e-6)


def test_residual_adds_a_layers_input_from_the_second_on() -> None:
    plain, added = encoder_of(layers=2, both=False), encoder_of(layers=2, both=False, residual=True)
    below = twin(plain.forwards[0], sentence(1))
    assert torch.allclose(encode(added, (1,)).outputs[0], encode(plain, (1,)).outputs[0] + below, atol=1e-6)


def test_odd_size_is_shared_between_the_directions() -> None:
    encoded = encode(RnnEncoder("lstmn", SIZE, 7, 2, 0.0), (0, 1, 2))
    assert encoded.outputs.shape == (3, 11, 7)
    assert [final.shape for final in encoded.finals] == [(3, 7), (3, 7)]


def test_dropout_acts_between_layers_in_training_alone() -> None:
    encoder = encoder_of(layers=2, dropout=0.5)
    first, second = encode(encoder, (1,)), encode(encoder, (1,))
    assert torch.equal(first.finals[0], second.finals[0])
    assert not torch.equal(first.finals[1], second.finals[1])
    encoder.eval()
    assert torch.equal(encode(encoder, (1,)).finals[1], encode(encoder, (1,)).finals[1])


def test_gradient_reaches_every_parameter() -> None:
    encoder = encoder_of(layers=2)
    encode(encoder, (0, 1, 2)).outputs.square().sum().backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert (parameter.grad != 0).any(), name
