from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.decoding.forced import forced
from chatbot.engines.gaze import Gaze
from chatbot.engines.torch_engine import TorchEngine
from chatbot.errors import OptionError
from chatbot.nn.attention import Attention
from chatbot.nn.seq2seq import Seq2Seq

SOURCE, REPLY = [5, 6, 7, 4], [4, 7, 5, 3]
CPU = torch.device("cpu")


def network_of(**options: Any) -> Seq2Seq:
    shape = {"attention": "multi-head", "heads": 2, "embed": 6, "hidden": 8, "dropout": 0.0}
    return build_network(ModelOptions(**{**shape, **options}), 9, seed=3)


TRANSFORMER = {"encoder": "transformer", "decoder": "transformer", "layers": 3}


def looked(network: Seq2Seq, gaze: Gaze | None = None) -> np.ndarray[Any, Any]:
    return forced(TorchEngine(network, 9, CPU, gaze), [SOURCE], [REPLY])[0].weights


def layer_weights(network: Seq2Seq) -> list[np.ndarray[Any, Any]]:
    """What each attention module gives under teacher forcing, seen from outside."""
    caught: list[torch.Tensor] = []
    modules = [each for each in network.decoder.modules() if isinstance(each, Attention)]
    hooks = [m.register_forward_hook(lambda _m, _i, out: caught.append(out.weights[0])) for m in modules]
    with torch.no_grad():
        network.eval()(torch.tensor([SOURCE]), torch.tensor([[2, *REPLY[:-1]]]))
    for hook in hooks:
        hook.remove()
    return [weights.numpy() for weights in caught]


@pytest.mark.parametrize("attention", ["multi-head", "general"])
def test_each_layer_is_seen_by_its_number_and_the_last_one_by_none(attention: str) -> None:
    network = network_of(**TRANSFORMER, attention=attention)
    layers = layer_weights(network)
    assert len(layers) == 3
    for number, weights in enumerate(layers, start=1):
        np.testing.assert_allclose(looked(network, Gaze(layer=number)), weights, atol=1e-6)
    np.testing.assert_allclose(looked(network), layers[-1], atol=1e-6)
    assert not np.allclose(layers[0], layers[-1], atol=1e-3)


@pytest.mark.parametrize("options", [TRANSFORMER, {}, {"ask": "feeding"}, {"decoder": "snail"}])
def test_heads_differ_and_their_mean_is_what_is_shown_unasked(options: dict[str, Any]) -> None:
    network = network_of(**options)
    heads = [looked(network, Gaze(head=number)) for number in (1, 2)]
    for head in heads:
        np.testing.assert_allclose(head.sum(1), 1.0, atol=1e-6)
    assert not np.allclose(*heads, atol=1e-6, rtol=0)
    np.testing.assert_allclose(np.mean(heads, axis=0), looked(network), atol=1e-6)


@pytest.mark.parametrize(
    ("options", "gaze", "told"),
    [
        ({}, Gaze(head=3), "--head: 3, but this checkpoint looks with 2 heads; say 1 to 2, or leave it out"),
        (
            {"attention": "dot"},
            Gaze(head=2),
            "--head: 2, but this checkpoint looks with 1 head; leave it out",
        ),
        ({}, Gaze(layer=2), "--layer: 2, but this checkpoint looks with 1 layer; leave it out"),
        (TRANSFORMER, Gaze(layer=4, head=1), "--layer: 4, but this checkpoint looks with 3 layers"),
    ],
)
def test_layer_or_head_that_is_not_there_is_refused(options: dict[str, Any], gaze: Gaze, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        TorchEngine(network_of(**options), 9, CPU, gaze)


def test_gaze_changes_no_reply() -> None:
    network = network_of(**TRANSFORMER, output="pointer-generator")
    plain, through = (
        forced(TorchEngine(network, 9, CPU, gaze), [SOURCE], [REPLY])[0] for gaze in (None, Gaze(1, 2))
    )
    assert plain.log_prob == through.log_prob
