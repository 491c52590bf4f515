from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.build import build_network
from chatbot.config import ModelOptions, TrainingOptions
from chatbot.errors import OptionError
from chatbot.training.freezing import PARTS, freeze, frozen_parts
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun
from chatbot.training.stepping import build_optimizer
from chatbot.training.trainer import Trainer, own_weights

MakeTrainer = Callable[..., Trainer]
MakeRequest = Callable[..., Request]

SOME = ["embeddings", "encoder", "decoder", "output", "embeddings,encoder", " decoder , output,decoder"]


def weights_of(trainer: Trainer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in own_weights(trainer._network).items()}


@pytest.mark.parametrize("names", SOME)
def test_frozen_parts_are_bit_equal_after_training_and_the_others_learned(
    make_trainer: MakeTrainer, names: str
) -> None:
    trainer = make_trainer(freeze=names, weight_decay=0.5)
    before = weights_of(trainer)
    list(trainer.run())
    changed = {name.partition(".")[0] for name, w in weights_of(trainer).items() if not w.equal(before[name])}
    of_part = {"embeddings": "src_embedding", "encoder": "encoder", "decoder": "decoder", "output": "output"}
    frozen = {of_part[name.strip()] for name in names.split(",")}
    assert changed - {"baseline"} == set(of_part.values()) - frozen


def test_frozen_encoder_with_spectral_norms_does_not_move() -> None:
    network = build_network(ModelOptions(embed=8, hidden=8, self_attention=True), 12).train()
    freeze(network, ["encoder"])
    before = {name: weight.clone() for name, weight in own_weights(network).items()}
    network(torch.tensor([[4, 5, 6]]), torch.tensor([[2, 4]]))
    assert all(weight.equal(before[name]) for name, weight in own_weights(network).items())


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("output", ["softmax", "pointer-generator"])
def test_every_parameter_is_of_one_part(tie: bool, output: str) -> None:
    options = ModelOptions(embed=4, hidden=4, tie=tie, output=output)
    frozen: list[str] = []
    for part in PARTS:
        network = build_network(options, 12)
        freeze(network, [part])
        frozen += [name for name, parameter in network.named_parameters() if not parameter.requires_grad]
    names = [name for name, _ in build_network(options, 12).named_parameters()]
    assert sorted(frozen) == sorted(names)


def test_frozen_weights_are_not_in_the_optimiser() -> None:
    network = build_network(ModelOptions(embed=4, hidden=4), 12)
    freeze(network, ["embeddings", "encoder"])
    optimizer = build_optimizer(network, TrainingOptions())
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    there = {names[id(p)].partition(".")[0] for group in optimizer.param_groups for p in group["params"]}
    assert there == {"decoder", "output"}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("encodr", "--freeze: no part 'encodr'; name some of embeddings, encoder, decoder, output"),
        ("encoder,", "--freeze: no part ''; name some of embeddings, encoder, decoder, output"),
        (",".join(PARTS), "--freeze: leaves nothing to learn; leave one of the parts out"),
    ],
)
def test_what_is_no_part_is_refused_before_any_data_is_read(
    make_request: MakeRequest, names: str, told: str
) -> None:
    request = make_request(freeze=names)
    with pytest.raises(OptionError) as caught:
        list(TrainingRun(request).events())
    assert str(caught.value) == told
    assert not request.folder.exists()


def test_any_parts_but_all_may_be_frozen() -> None:
    assert frozen_parts("") == ()
    for count in (1, 2, 3):
        for parts in combinations(PARTS, count):
            assert frozen_parts(",".join(parts)) == parts


def test_resumed_run_goes_on_with_its_parts_frozen(make_trainer: MakeTrainer, saves: Any) -> None:
    whole = make_trainer(freeze="encoder,output")
    list(whole.run())
    for event in make_trainer(freeze="encoder,output").run():
        if event.step == 11:
            break
    trainer = make_trainer(freeze="encoder,output")
    trainer.restore(*saves.kept[-1])
    list(trainer.run())
    wanted = weights_of(whole)
    assert all(weight.equal(wanted[name]) for name, weight in weights_of(trainer).items())
