from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chatbot.build import build_network
from chatbot.config import ModelOptions, option_field
from chatbot.errors import OptionError
from chatbot.nn.decoder import Decoded
from chatbot.nn.dropout import DROPOUTS, BatchMasked, DropConnect, InputDropout, VariationalDropout
from chatbot.nn.loss import sequence_loss
from chatbot.nn.recurrent import CELLS, build_recurrent
from chatbot.nn.seq2seq import Seq2Seq, named_tensors

MakeNetwork = Callable[..., Seq2Seq]

SRC, TGT = torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([[2, 4, 5, 6, 7], [2, 9, 4, 0, 0]])

MODELS: dict[str, dict[str, Any]] = {
    "current": {"layers": 2},
    "previous": {"layers": 2, "ask": "previous", "cell": "gru"},
    "feeding": {"layers": 2, "ask": "feeding", "encoder": "lstmn"},
    "ntm": {"decoder": "ntm", "slots": 4, "slot_size": 4},
    "snail": {"decoder": "snail"},
    "transformer": {"decoder": "transformer", "attention": "multi-head", "layers": 2, "heads": 2},
}


def test_every_kind_is_an_option() -> None:
    assert tuple(DROPOUTS) == option_field("model", "dropout_kind").metadata["choices"]


def test_variational_dropout_drops_the_same_numbers_at_all_steps_and_others_in_each_row() -> None:
    torch.manual_seed(0)
    dropout, ones = VariationalDropout(0.25), torch.ones(50, 7, 40)
    found = dropout(ones)
    assert found.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert torch.equal(found, found[:, :1].expand_as(found))
    assert (found == 0).float().mean().item() == pytest.approx(0.25, abs=0.03)
    assert not torch.equal(found[0], found[1])


def test_mask_is_kept_until_the_next_batch() -> None:
    dropout, ones = VariationalDropout(0.5), torch.ones(4, 3, 20)
    first = dropout(ones)
    assert torch.equal(dropout(ones[:, :1]), first[:, :1])
    dropout.renew()
    assert not torch.equal(dropout(ones), first)


@pytest.mark.parametrize("kind", DROPOUTS)
def test_nothing_is_dropped_outside_training_or_at_0(kind: str) -> None:
    inputs = torch.randn(4, 3, 20)
    assert torch.equal(DROPOUTS[kind](0.5).eval()(inputs), inputs)
    assert torch.equal(DROPOUTS[kind](0.0)(inputs), inputs)
    positions = torch.tensor([0, 5, 11])
    assert torch.equal(DROPOUTS[kind](0.5).eval().at(inputs, positions), inputs.flatten(0, 1)[positions])


def test_position_has_the_mask_of_its_row() -> None:
    dropout, ones = VariationalDropout(0.5), torch.ones(4, 3, 20)
    assert torch.equal(dropout.at(ones, torch.tensor([0, 5, 11])), dropout(ones)[[0, 1, 3], 0])


def test_input_dropout_is_torchs_at_the_positions_alone() -> None:
    inputs, positions = torch.randn(4, 3, 20), torch.tensor([0, 5, 11])
    torch.manual_seed(1)
    found = InputDropout(0.5).at(inputs, positions)
    torch.manual_seed(1)
    assert torch.equal(found, nn.functional.dropout(inputs.flatten(0, 1)[positions], 0.5))


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("layers", [1, 2])
def test_masked_stack_is_torchs_with_masked_weights(cell: str, layers: int) -> None:
    torch.manual_seed(0)
    masked = build_recurrent(cell, 3, 6, layers, weight_dropout=0.5)
    plain = build_recurrent(cell, 3, 6, layers)
    plain.load_state_dict(masked.state_dict())  # the same names
    inputs = torch.randn(2, 5, 3)
    assert torch.equal(masked.eval()(inputs)[0], plain.eval()(inputs)[0])
    found, state = masked.train()(inputs)
    drop = masked.drop
    assert isinstance(drop, DropConnect)
    with torch.no_grad():
        for name, weight in plain.named_parameters():
            if name.startswith("weight_hh"):
                mask = drop(name, torch.ones_like(weight))
                assert set(mask.unique().tolist()) == {0.0, 2.0}
                weight.mul_(mask)
    wanted, after = plain(inputs)
    assert torch.allclose(found, wanted, atol=1e-6)
    if cell == "lstm":
        assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(state, after, strict=True))
        again, _ = masked(inputs, state)
        assert torch.allclose(again, plain(inputs, after)[0], atol=1e-6)
    else:
        assert torch.allclose(state, after, atol=1e-6)
        assert torch.allclose(masked(inputs, state)[0], plain(inputs, after)[0], atol=1e-6)


@pytest.mark.parametrize("cell", CELLS)
def test_dropped_weights_learn_nothing_and_the_others_do(cell: str) -> None:
    torch.manual_seed(0)
    stack = build_recurrent(cell, 3, 6, weight_dropout=0.5)
    stack(torch.randn(2, 5, 3))[0].square().sum().backward()
    assert isinstance(stack.drop, DropConnect)
    mask = stack.drop("weight_hh_l0", torch.ones_like(stack.weight_hh_l0))
    assert torch.equal(stack.weight_hh_l0.grad != 0, mask != 0)
    assert (stack.weight_ih_l0.grad != 0).all()


def features_of(network: Seq2Seq, stepwise: bool) -> Tensor:
    """In training, of one batch, whose masks are drawn by whoever comes first."""
    source, state = network.encode(SRC)
    decoded: Decoded = network.decode(TGT, source, state)
    if not stepwise:
        return decoded.features
    steps = []
    for t in range(TGT.shape[1]):
        steps.append(network.decode(TGT[:, t : t + 1], source, state))
        state = steps[-1].state
    assert torch.allclose(Decoded.join(steps).features, decoded.features, atol=1e-5)
    return decoded.features


@pytest.mark.parametrize("weights", [0.0, 0.5])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_step_by_step_is_all_at_once_under_the_masks_of_a_batch(
    make_network: MakeNetwork, model: dict[str, Any], weights: float
) -> None:
    network = make_network(**model | {"dropout": 0.5}, dropout_kind="variational", weight_dropout=weights)
    first = features_of(network.train(), stepwise=True)
    assert not torch.equal(features_of(network, stepwise=False), first)  # another batch, other masks
    network.eval()
    assert torch.equal(*(features_of(network, stepwise=False) for _ in range(2)))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_place_of_dropout_is_variational(make_network: MakeNetwork, model: dict[str, Any]) -> None:
    plain, network = (make_network(**model | {"dropout": 0.5}, dropout_kind=kind) for kind in DROPOUTS)
    places = [m for m in plain.modules() if isinstance(m, nn.Dropout)]
    found = [m for m in network.modules() if isinstance(m, VariationalDropout)]
    assert len(found) == len(places) >= 3
    assert not [m for m in network.modules() if isinstance(m, nn.Dropout)]
    assert {m.p for m in found} == {0.5}
    sequence_loss(network.train(), SRC, TGT[:, :-1], TGT[:, 1:], 0.0).objective.backward()  # type: ignore[no-untyped-call]
    assert all(m._mask is not None for m in found)
    assert len({id(m._mask) for m in found}) == len(found)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_kinds_of_dropout_are_no_part_of_the_weights(
    make_network: MakeNetwork, model: dict[str, Any]
) -> None:
    plain = make_network(**model)
    dropping = make_network(**model, dropout_kind="variational", weight_dropout=0.5)
    assert [(n, t.shape) for n, t in named_tensors(plain)] == [
        (n, t.shape) for n, t in named_tensors(dropping)
    ]
    for ours, theirs in zip(plain.parameters(), dropping.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_masks_of_every_layer_are_renewed_with_each_batch(make_network: MakeNetwork) -> None:
    network = make_network(layers=2, dropout=0.5, dropout_kind="variational", weight_dropout=0.5).train()
    masked = [m for m in network.modules() if isinstance(m, BatchMasked)]
    recurrent = [m for m in network.modules() if isinstance(m, nn.LSTM)]
    assert len([m for m in masked if isinstance(m, DropConnect)]) == len(recurrent) == 6
    renewed: list[BatchMasked] = []
    for each in masked:
        each.renew = lambda each=each: renewed.append(each)  # type: ignore[method-assign, misc]
    network(SRC, TGT)
    assert renewed == masked


@pytest.mark.parametrize(("encoder", "fits"), [("transformer", False), ("snail", False), ("lstmn", True)])
def test_weights_are_dropped_of_recurrent_layers_alone(encoder: str, fits: bool) -> None:
    options = ModelOptions(
        encoder=encoder, decoder="transformer", attention="multi-head", embed=8, hidden=8, weight_dropout=0.5
    )
    if fits:
        build_network(options, 12)
        return
    with pytest.raises(OptionError, match=f"neither --encoder {encoder} nor --decoder transformer has one"):
        build_network(options, 12)
