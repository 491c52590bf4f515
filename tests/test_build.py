from __future__ import annotations

from itertools import product

import pytest
import torch

from chatbot.build import DECODERS, ENCODERS, OUTPUTS, build_network
from chatbot.config import ModelOptions, option_field
from chatbot.nn.decoder import ASKS
from chatbot.nn.recurrent import CELLS
from chatbot.nn.registry import ALIGNS, MULTI_HEAD, NONE, SCORES
from chatbot.nn.seq2seq import Seq2Seq

VOCAB = 13
SMALL = {"embed": 6, "hidden": 8}


def flat(network: Seq2Seq) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("attention", [NONE, MULTI_HEAD, *SCORES]),
        ("align", ALIGNS),
        ("cell", CELLS),
        ("ask", ASKS),
        ("encoder", ENCODERS),
        ("decoder", DECODERS),
        ("output", OUTPUTS),
    ],
)
def test_options_offer_what_the_registries_hold(option: str, names: list[str]) -> None:
    assert sorted(option_field("model", option).metadata["choices"]) == sorted(names)


@pytest.mark.parametrize(("attention", "cell"), list(product([NONE, MULTI_HEAD, *SCORES], CELLS)))
def test_every_choice_builds_a_network_that_answers(attention: str, cell: str) -> None:
    network = build_network(ModelOptions(attention=attention, cell=cell, layers=2, **SMALL), VOCAB)
    decoded, source = network(torch.tensor([[4, 5, 0], [6, 7, 8]]), torch.tensor([[2, 4], [2, 5]]))
    assert network.logits(decoded, source).shape == (4, VOCAB)
    assert decoded.weights.shape == (2, 2, 3)
    assert torch.isfinite(flat(network)).all()


def test_seed_decides_the_weights() -> None:
    first, again, other = (flat(build_network(ModelOptions(**SMALL), VOCAB, seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_building_leaves_torchs_random_numbers_alone() -> None:
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    build_network(ModelOptions(**SMALL), VOCAB)
    assert torch.equal(torch.rand(3), wanted)


def test_sizes_are_those_of_the_options() -> None:
    network = build_network(ModelOptions(embed=6, hidden=8, layers=3, dropout=0.25), VOCAB)
    assert network.src_embedding.weight.shape == (VOCAB, 6)
    assert [layer.hidden_size for layer in network.decoder.core.layers] == [8, 8, 8]
    assert len(network.encoder.forwards) == 3
    assert {m.p for m in network.modules() if isinstance(m, torch.nn.Dropout)} == {0.25}


def test_tables_are_tied_as_the_option_says() -> None:
    tied, untied = (build_network(ModelOptions(tie=tie, **SMALL), VOCAB) for tie in (True, False))
    assert tied.src_embedding.weight is tied.output.table.weight
    assert untied.src_embedding.weight is not untied.output.table.weight
