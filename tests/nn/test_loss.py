from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from chatbot.nn.loss import real_positions, reply_nats, sequence_loss
from chatbot.nn.seq2seq import Seq2Seq

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]

SRC = [[4, 5], [6, 7, 8, 9]]
LONG = [4, 5, 6, 7, 8, 9, 10, 4]


@pytest.fixture
def batch(padded: Padded) -> tuple[Tensor, Tensor, Tensor]:
    """Replies of 1 token (an EOS alone) and of 9."""
    return padded(SRC), padded([[2], [2, *LONG]]), padded([[3], [*LONG, 3]])


def logits_of(network: Seq2Seq, src: Tensor, tgt_in: Tensor) -> Tensor:
    return network.logits(*network(src, tgt_in)).view(*tgt_in.shape, -1)


def test_real_positions_are_those_of_no_pad() -> None:
    assert real_positions(torch.tensor([[5, 3, 0], [0, 0, 3]])).tolist() == [0, 1, 5]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_objective_is_torchs_cross_entropy_over_real_tokens(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], smoothing: float
) -> None:
    network = make_network()
    src, tgt_in, tgt_out = batch
    loss = sequence_loss(network, src, tgt_in, tgt_out, smoothing)
    wanted = nn.functional.cross_entropy(
        logits_of(network, src, tgt_in).flatten(0, 1),
        tgt_out.flatten(),
        ignore_index=0,
        label_smoothing=smoothing,
    )
    assert loss.objective.item() == pytest.approx(wanted.item(), rel=1e-5)
    assert loss.tokens == 10


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_nats_are_the_sum_without_smoothing(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], smoothing: float
) -> None:
    network = make_network()
    loss = sequence_loss(network, *batch, smoothing)
    assert loss.nats.item() == pytest.approx(reply_nats(network, *batch).sum().item(), rel=1e-5)
    assert not loss.nats.requires_grad


def gradient(network: Seq2Seq, objective: Tensor) -> Tensor:
    return torch.cat([g.flatten() for g in torch.autograd.grad(objective, list(network.parameters()))])


def test_gradient_is_that_of_all_nats_over_all_tokens(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor]
) -> None:
    network = make_network()
    src, _, _ = batch
    got = gradient(network, sequence_loss(network, *batch, 0.0).objective)
    total = torch.zeros(())
    for row, reply in enumerate(([], LONG)):
        for place, token in enumerate([*reply, 3]):
            said = torch.tensor([[2, *reply[:place]]])
            logits = logits_of(network, src[row : row + 1, : len(SRC[row])], said)[0, -1]
            total = total - torch.log_softmax(logits, 0)[token]
    assert torch.allclose(got, gradient(network, total / 10), atol=1e-6)
    assert got.abs().max() > 1e-3


def test_more_padding_changes_neither_loss_nor_gradient(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network()
    found = []
    for width in (0, 30):
        batch = (padded(SRC, width), padded([[2], [2, *LONG]], width), padded([[3], [*LONG, 3]], width))
        loss = sequence_loss(network, *batch, 0.1)
        found.append((loss.objective.item(), gradient(network, loss.objective)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    assert torch.allclose(found[0][1], found[1][1], atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_of_logits_of_200_is_finite(
    make_network: MakeNetwork, batch: tuple[Tensor, Tensor, Tensor], smoothing: float
) -> None:
    network = make_network(tie=False)
    with torch.no_grad():
        network.output.table.weight.zero_()
        network.output.bias.copy_(torch.tensor([200.0, -200.0] * 5 + [200.0]))
    loss = sequence_loss(network, *batch, smoothing)
    # 200 for even tokens, of which there are six: tokens 4 6 8 10 4 cost ln 6 each, tokens 3 3 5 7 9 400 more
    assert loss.nats.item() == pytest.approx(10 * math.log(6) + 5 * 400, rel=1e-6)
    assert math.isfinite(loss.objective.item())
    assert torch.isfinite(gradient(network, loss.objective)).all()


def test_nats_of_a_reply_are_its_tokens_nats_end_included(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network()
    batch = padded(SRC), padded([[2], [2, *LONG]]), padded([[3], [*LONG, 3]])
    log_probs = torch.log_softmax(logits_of(network, batch[0], batch[1]).detach(), -1)
    wanted = [-log_probs[0, 0, 3], -sum(log_probs[1, t, token] for t, token in enumerate([*LONG, 3]))]
    assert reply_nats(network, *batch).tolist() == pytest.approx([float(nats) for nats in wanted], rel=1e-5)


def test_untrained_network_knows_no_more_than_the_vocabulary(make_network: MakeNetwork) -> None:
    network = make_network(tie=False)
    nn.init.zeros_(network.output.table.weight)
    nats = reply_nats(network, torch.tensor([[4]]), torch.tensor([[2, 5]]), torch.tensor([[5, 3]]))
    assert nats.item() == pytest.approx(2 * math.log(11))
