from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import torch
from torch import Tensor

from chatbot.nn.recurrent import CELLS
from chatbot.nn.registry import NONE, SCORES
from chatbot.nn.seq2seq import PAD, Seq2Seq

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]

SOURCES = [[5], [4 + i % 7 for i in range(20)], [6, 7, 8]]
REPLIES = [[2, 4, 5, 6], [2, 9], [2, 10, 4]]

EVERY = list(product(CELLS, [*SCORES, NONE], [1, 2]))


@pytest.fixture(params=EVERY, ids=["-".join(map(str, shape)) for shape in EVERY])
def network(request: pytest.FixtureRequest, make_network: MakeNetwork) -> Seq2Seq:
    return make_network(*request.param).eval()


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-5)


def test_pads_have_no_influence_whatever_they_embed_to(network: Seq2Seq, padded: Padded) -> None:
    features, weights = network(padded(SOURCES), padded(REPLIES))
    wider, looked = network(padded(SOURCES, 50), padded(REPLIES))
    assert close(features, wider)
    assert close(weights, looked[..., :20])
    for row, source in enumerate(SOURCES):
        assert (looked[row, :, len(source) :] == 0).all()
    with torch.no_grad():
        network.src_embedding.weight[PAD].fill_(1e3)
        network.tgt_embedding.weight[PAD].fill_(1e3)
    filled, said = network(padded(SOURCES, 50), padded(REPLIES))[0], padded(REPLIES) != PAD
    assert close(features[said], filled[said])


@pytest.mark.parametrize("row", range(3))
def test_row_alone_is_as_in_its_batch(network: Seq2Seq, padded: Padded, row: int) -> None:
    features, weights = network(padded(SOURCES), padded(REPLIES))
    alone, looked = network(torch.tensor([SOURCES[row]]), torch.tensor([REPLIES[row]]))
    assert close(features[row, : len(REPLIES[row])], alone[0])
    assert close(weights[row, : len(REPLIES[row]), : len(SOURCES[row])], looked[0])


def test_shuffled_batch_gives_shuffled_outputs(network: Seq2Seq, padded: Padded) -> None:
    order = torch.tensor([1, 2, 0])
    features, weights = network(padded(SOURCES), padded(REPLIES))
    moved, looked = network(padded(SOURCES)[order], padded(REPLIES)[order])
    assert close(moved, features[order])
    assert close(looked, weights[order])


@pytest.mark.parametrize("place", [1, 2, 3])
def test_logits_hang_on_earlier_reply_tokens_alone(network: Seq2Seq, place: int) -> None:
    src, tgt = torch.tensor([SOURCES[2]]), torch.tensor([REPLIES[0]])
    before = network.logits(network(src, tgt)[0])
    tgt[0, place] = 10
    after = network.logits(network(src, tgt)[0])
    assert torch.equal(before[0, :place], after[0, :place])
    assert not torch.allclose(before[0, place], after[0, place])


def test_logits_hang_on_every_source_token(network: Seq2Seq) -> None:
    before = network(torch.tensor([[4, 5, 6]]), torch.tensor([[2]]))[0]
    for place in range(3):
        src = torch.tensor([[4, 5, 6]])
        src[0, place] = 9
        assert not torch.allclose(network(src, torch.tensor([[2]]))[0], before, atol=1e-7)


def test_attention_alone_tells_the_decoder_of_the_source(network: Seq2Seq) -> None:
    with torch.no_grad():
        for parameter in network.decoder.bridge.parameters():
            parameter.zero_()
    first, second = (network(torch.tensor([src]), torch.tensor([[2]]))[0] for src in ([4, 5, 6], [7, 8, 9]))
    assert not torch.allclose(first, second, atol=1e-4)


def test_decoding_step_by_step_is_teacher_forcing(network: Seq2Seq, padded: Padded) -> None:
    features, weights = network(padded(SOURCES), padded(REPLIES))
    memory, state = network.encode(padded(SOURCES))
    for t in range(4):
        step, looked, state = network.decode(padded(REPLIES)[:, t : t + 1], memory, state)
        assert close(step[:, 0], features[:, t])
        assert close(looked[:, 0], weights[:, t])


def test_tied_tables_are_one_tensor(make_network: MakeNetwork) -> None:
    tied, untied = make_network(tie=True), make_network(tie=False)
    assert tied.src_embedding.weight is tied.tgt_embedding.weight is tied.output.weight
    tables = {id(t) for t in (untied.src_embedding.weight, untied.tgt_embedding.weight, untied.output.weight)}
    assert len(tables) == 3
    sizes = [sum(p.numel() for p in network.parameters()) for network in (tied, untied)]
    assert sizes[1] - sizes[0] == 2 * 11 * 6


def test_tied_tables_are_one_after_training_and_moving(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network(tie=True).double()
    features, _ = network(padded(SOURCES), padded(REPLIES))
    network.logits(features).square().mean().backward()
    torch.optim.SGD(network.parameters(), lr=0.1).step()
    assert network.src_embedding.weight is network.output.weight


def test_pad_embeds_to_nothing(make_network: MakeNetwork) -> None:
    assert not make_network().src_embedding(torch.tensor([PAD])).any()


def test_dropout_acts_in_training_alone(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network(dropout=0.5)
    assert not torch.equal(*(network(padded(SOURCES), padded(REPLIES))[0] for _ in range(2)))
    network.eval()
    assert torch.equal(*(network(padded(SOURCES), padded(REPLIES))[0] for _ in range(2)))


def test_prior_is_the_share_of_each_token_and_none_is_impossible(make_network: MakeNetwork) -> None:
    network = make_network()
    network.set_prior(torch.tensor([0, 0, 0, 7, 2, 1, 0, 0, 0, 0, 0]))
    shares = torch.softmax(network.logits(torch.zeros(6)), -1)
    assert shares[[0, 3, 4, 5]].tolist() == pytest.approx([0.5 / 15.5, 7.5 / 15.5, 2.5 / 15.5, 1.5 / 15.5])
