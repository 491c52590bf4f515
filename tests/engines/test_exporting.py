"""What is written of a network, and what is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import ENCODER, STEP, WEIGHTS, weights_file
from chatbot.config import ModelOptions
from chatbot.engines import exporting
from chatbot.engines.exporting import NotExportedError, export
from chatbot.engines.graph import stored_tensors
from chatbot.engines.runtime import open_session
from chatbot.errors import CheckpointError
from chatbot.nn.seq2seq import Seq2Seq, named_tensors

MakeBoth = Callable[..., Any]


def small(**options: Any) -> tuple[Seq2Seq, bytes]:
    network = build_network(ModelOptions(embed=8, hidden=8, **options), 2000, seed=1)
    return network, weights_file({name: each.detach().numpy() for name, each in named_tensors(network)})


def test_graphs_hold_no_weights_but_point_at_them() -> None:
    network, weights = small()
    stored = {name: each.offset for name, each in stored_tensors(weights).items()}
    for data in export(network, 2000, weights).values():
        assert len(data) < len(weights) / 2
        graph = onnx.load_from_string(data).graph
        places = [
            {entry.key: entry.value for entry in each.external_data}
            for each in graph.initializer
            if each.external_data
        ]
        assert places
        assert {place["location"] for place in places} == {WEIGHTS}
        assert {int(place["offset"]) for place in places} <= set(stored.values())


def test_step_takes_and_gives_only_what_replies_depend_on(make_both: MakeBoth) -> None:
    both = make_both(cell="lstm", attention="general", ask="current")
    step = onnx.load(str(both.folder / STEP), load_external_data=False).graph
    states = [each.name for each in step.input if each.name.startswith("state.")]
    assert len(states) == 2  # hidden and cell; neither last features nor what was looked at
    assert len([each.name for each in step.output if each.name.startswith("next.")]) == 2


def test_network_is_left_as_it_was() -> None:
    network, weights = small(self_attention=True)
    network.train()
    before = copy.deepcopy(network)
    src = torch.tensor([[4, 5, 6]])
    export(network, 2000, weights)
    assert network.training
    assert all(parameter.requires_grad for parameter in network.parameters())
    for one, other in zip(named_tensors(network), named_tensors(before), strict=True):
        assert one[0] == other[0]
        assert torch.equal(one[1], other[1])
    one, other = (each.eval()(src, src)[0].features for each in (network, before))
    assert torch.equal(one, other)


def test_network_that_cannot_be_traced_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    network, weights = small()

    def look(self: Any, query: Any, memory: Any, state: Any) -> Any:
        raise RuntimeError("no such operator\nand a page of the graph")

    monkeypatch.setattr(type(network.decoder.attention), "forward", look)
    with pytest.raises(NotExportedError) as refusal:
        export(network, 2000, weights)
    assert str(refusal.value) == (
        "the network: cannot be written as ONNX (no such operator); torch will answer instead"
    )
    assert capfd.readouterr() == ("", "")


def test_graphs_that_say_something_else_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network, weights = small()
    traced = exporting.trace

    def wrong(given: Seq2Seq) -> tuple[bytes, bytes]:
        reading, step = (onnx.load_from_string(each) for each in traced(given))
        for node in step.graph.node:
            if node.op_type == "Sigmoid":
                node.op_type = "Tanh"
        return reading.SerializeToString(), step.SerializeToString()

    monkeypatch.setattr(exporting, "trace", wrong)
    with pytest.raises(NotExportedError, match="log-probabilities would be off by"):
        export(network, 2000, weights)


@pytest.mark.parametrize("damage", [b"", b"no graph at all"])
def test_damaged_graph_is_told_in_one_line(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / ENCODER).write_bytes(damage)
    with pytest.raises(CheckpointError, match=r"encoder\.onnx: cannot be run .*checkpoint export") as error:
        open_session(tmp_path / ENCODER)
    assert "\n" not in str(error.value)
