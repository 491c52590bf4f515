from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chatbot.nn import scheduled as module
from chatbot.nn.loss import sequence_loss
from chatbot.nn.scheduled import sampled_loss, sampled_pass
from chatbot.nn.seq2seq import Seq2Seq

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]

SRC = [[4, 5], [6, 7, 8, 9]]
LONG = [4, 5, 6, 7, 8, 9, 10, 4]

MODELS: dict[str, dict[str, Any]] = {
    "current": {},
    "previous": {"ask": "previous", "attention": "additive", "cell": "gru"},
    "feeding": {"ask": "feeding", "layers": 2, "align": "local-p"},
    "coverage": {"attention": "additive", "coverage": True},
    "ntm": {"decoder": "ntm", "slots": 4, "slot_size": 4},
    "snail": {"decoder": "snail", "encoder": "snail"},
    "transformer": {"decoder": "transformer", "attention": "multi-head", "layers": 2, "heads": 2},
    "pointer": {"output": "pointer"},
    "pointer-generator": {"output": "pointer-generator", "ask": "previous"},
    "location": {"attention": "location"},
}


@pytest.fixture
def batch(padded: Padded) -> tuple[Tensor, Tensor, Tensor]:
    """Replies of 1 token (an EOS alone) and of 9."""
    return padded(SRC), padded([[2], [2, *LONG]]), padded([[3], [*LONG, 3]])


def fed_words(network: Seq2Seq, src: Tensor, tgt_in: Tensor, share: float) -> Tensor:
    """What the decoder is fed, [batch, tgt_len]."""
    decode, fed = network.decode, []

    def note(tgt: Tensor, *rest: Any) -> Any:
        fed.append(tgt)
        return decode(tgt, *rest)

    network.decode = note  # type: ignore[method-assign]
    try:
        sampled_pass(network, src, tgt_in, share)
    finally:
        network.decode = decode  # type: ignore[method-assign]
    return torch.cat(fed, dim=1)


def says(network: Seq2Seq, word: int) -> Seq2Seq:
    """The network made to say one word whatever it is told."""
    network.logits = lambda decoded, source, index: torch.full((len(index), 11), -99.0).index_fill_(  # type: ignore[method-assign]
        1, torch.tensor([word]), 99.0
    )
    return network


def test_share_0_is_teacher_forcing_bit_for_bit_and_never_steps(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "sampled_pass", lambda *_: pytest.fail("stepping"))
    network = make_network(dropout=0.5)
    torch.manual_seed(1)
    found, after = sampled_loss(network, *batch, 0.1, 0.0), torch.rand(1)
    torch.manual_seed(1)
    wanted = sequence_loss(network, *batch, 0.1)
    assert torch.equal(found.objective, wanted.objective)
    assert torch.equal(after, torch.rand(1))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_share_1_never_sees_gold_after_bos(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], model: dict[str, Any]
) -> None:
    """The network says 10 and nothing else, a word that no gold reply has."""
    network = says(make_network(**model), 10)
    tgt_in = batch[1].masked_fill(batch[1] == 10, 4)
    fed = fed_words(network, batch[0], tgt_in, 1.0)
    assert fed.tolist() == [[2, *[0] * 8], [2, *[10] * 8]]  # padding stays padding


def test_coin_falls_for_each_token_by_itself(make_network: MakeNetwork) -> None:
    network = says(make_network(), 10)
    tgt_in = torch.cat([torch.full((400, 1), 2), torch.full((400, 5), 4)], dim=1)
    torch.manual_seed(0)
    own = fed_words(network, torch.full((400, 2), 5), tgt_in, 0.3)[:, 1:] == 10
    assert own.float().mean(0).tolist() == pytest.approx([0.3] * 5, abs=0.07)  # three deviations
    pairs = torch.corrcoef(own.float().T)
    assert (pairs - torch.eye(5)).abs().max() < 0.17  # neither a reply nor a step has a coin of its own
    assert len({tuple(row) for row in own.tolist()}) > 16


def test_word_is_drawn_from_what_the_decoder_says_there(make_network: MakeNetwork) -> None:
    network = make_network()
    with torch.no_grad():
        network.output.bias.uniform_(-1, 1)  # type: ignore[union-attr, operator]
    src, tgt_in = torch.tensor([[5, 6]]).expand(4000, 2), torch.tensor([[2, 4]]).expand(4000, 2)
    torch.manual_seed(0)
    drawn = fed_words(network, src, tgt_in, 1.0)[:, 1]
    found = torch.bincount(drawn, minlength=11) / 4000
    wanted = torch.softmax(network.logits(*network(src[:1], tgt_in[:1, :1]))[0], -1)
    wanted[[0, 2, 3]] = 0.0  # no padding, no start, no end
    assert torch.allclose(found, wanted / wanted.sum(), atol=0.025)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_loss_is_that_of_teacher_forcing_with_the_words_that_were_fed(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], model: dict[str, Any]
) -> None:
    """The gradient as well: none goes through the draw."""
    network, (src, tgt_in, tgt_out) = make_network(**model), batch
    if model.get("output") == "pointer":
        src = torch.tensor([[*range(4, 11)] * 2] * 2)
    torch.manual_seed(3)
    fed = fed_words(network, src, tgt_in, 0.5)
    assert not torch.equal(fed, tgt_in)
    parameters = list(network.parameters())

    def gradient(objective: Tensor) -> Tensor:
        found = torch.autograd.grad(objective, parameters, allow_unused=True)
        return torch.cat([g.flatten() for g in found if g is not None])

    torch.manual_seed(3)
    found = sampled_loss(network, src, tgt_in, tgt_out, 0.1, 0.5)
    wanted = sequence_loss(network, src, fed, tgt_out, 0.1)
    assert found.objective.item() == pytest.approx(wanted.objective.item(), rel=1e-5)
    assert found.nats.item() == pytest.approx(wanted.nats.item(), rel=1e-5)
    assert torch.allclose(gradient(found.objective), gradient(wanted.objective), atol=1e-5)


def test_hard_attention_learns_from_its_draws_too(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor]
) -> None:
    network = make_network(attention="additive", align="hard", ask="previous")
    loss = sampled_loss(network, *batch, 0.0, 0.5)
    loss.objective.backward()  # type: ignore[no-untyped-call]
    assert "reward variance" in loss.gauges
    assert all(torch.isfinite(p.grad).all() for p in network.parameters() if p.grad is not None)


def test_drawing_hangs_on_the_seed_alone(make_network: MakeNetwork, batch: tuple[Tensor, ...]) -> None:
    network = make_network(dropout=0.3)
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(fed_words(network, batch[0], batch[1], 0.5).tolist())
    assert found[0] == found[1] != found[2]


def test_words_that_only_the_question_has_are_drawn_and_fed(make_network: MakeNetwork) -> None:
    network = make_network(output="pointer")
    src, tgt_in = torch.tensor([[11, 12, 12]]).expand(50, 3), torch.tensor([[2, 4, 4]]).expand(50, 3)
    fed = fed_words(network, src, tgt_in, 1.0)
    assert set(fed[:, 1:].flatten().tolist()) == {11, 12}


def test_pointer_without_a_question_is_fed_something(make_network: MakeNetwork) -> None:
    """Nothing but the end can be said there."""
    network = make_network(output="pointer")
    fed = fed_words(network, torch.tensor([[0], [5]]), torch.tensor([[2, 4], [2, 4]]), 1.0)
    assert fed.shape == (2, 2)
