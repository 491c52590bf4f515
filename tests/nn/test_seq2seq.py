from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import torch
from torch import Tensor

from chatbot.nn.recurrent import CELLS
from chatbot.nn.registry import NONE
from chatbot.nn.seq2seq import PAD, Seq2Seq

MakeNetwork = Callable[..., Seq2Seq]
Padded = Callable[..., Tensor]

SOURCES = [[5], [4 + i % 7 for i in range(20)], [6, 7, 8]]
REPLIES = [[2, 4, 5, 6], [2, 9], [2, 10, 4]]

EVERY = [
    *product(CELLS, ["general", "additive", NONE], [1, 2], ["current"]),
    *product(CELLS, ["general", NONE], [2], ["previous", "feeding"]),
]


@pytest.fixture(params=EVERY, ids=["-".join(map(str, shape)) for shape in EVERY])
def network(request: pytest.FixtureRequest, make_network: MakeNetwork) -> Seq2Seq:
    return make_network(*request.param).eval()


def run(network: Seq2Seq, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
    """Features and weights under teacher forcing."""
    decoded, _ = network(src, tgt)
    return decoded.features, decoded.weights


def logits_of(network: Seq2Seq, src: Tensor, tgt: Tensor) -> Tensor:
    return network.logits(*network(src, tgt)).view(*tgt.shape, -1)


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=1e-5)


def test_pads_have_no_influence_whatever_they_embed_to(network: Seq2Seq, padded: Padded) -> None:
    features, weights = run(network, padded(SOURCES), padded(REPLIES))
    wider, looked = run(network, padded(SOURCES, 50), padded(REPLIES))
    assert close(features, wider)
    assert close(weights, looked[..., :20])
    for row, source in enumerate(SOURCES):
        assert (looked[row, :, len(source) :] == 0).all()
    with torch.no_grad():
        network.src_embedding.weight[PAD].fill_(1e3)
        network.tgt_embedding.weight[PAD].fill_(1e3)
    filled, said = run(network, padded(SOURCES, 50), padded(REPLIES))[0], padded(REPLIES) != PAD
    assert close(features[said], filled[said])


@pytest.mark.parametrize("row", range(3))
def test_row_alone_is_as_in_its_batch(network: Seq2Seq, padded: Padded, row: int) -> None:
    features, weights = run(network, padded(SOURCES), padded(REPLIES))
    alone, looked = run(network, torch.tensor([SOURCES[row]]), torch.tensor([REPLIES[row]]))
    assert close(features[row, : len(REPLIES[row])], alone[0])
    assert close(weights[row, : len(REPLIES[row]), : len(SOURCES[row])], looked[0])


def test_shuffled_batch_gives_shuffled_outputs(network: Seq2Seq, padded: Padded) -> None:
    order = torch.tensor([1, 2, 0])
    features, weights = run(network, padded(SOURCES), padded(REPLIES))
    moved, looked = run(network, padded(SOURCES)[order], padded(REPLIES)[order])
    assert close(moved, features[order])
    assert close(looked, weights[order])


@pytest.mark.parametrize("place", [1, 2, 3])
def test_logits_hang_on_earlier_reply_tokens_alone(network: Seq2Seq, place: int) -> None:
    src, tgt = torch.tensor([SOURCES[2]]), torch.tensor([REPLIES[0]])
    before = logits_of(network, src, tgt)
    tgt[0, place] = 10
    after = logits_of(network, src, tgt)
    assert torch.equal(before[0, :place], after[0, :place])
    assert not torch.allclose(before[0, place], after[0, place])


def test_logits_hang_on_every_source_token(network: Seq2Seq) -> None:
    before = run(network, torch.tensor([[4, 5, 6]]), torch.tensor([[2]]))[0]
    for place in range(3):
        src = torch.tensor([[4, 5, 6]])
        src[0, place] = 9
        assert not torch.allclose(run(network, src, torch.tensor([[2]]))[0], before, atol=1e-7)


def test_attention_alone_tells_the_decoder_of_the_source(network: Seq2Seq) -> None:
    with torch.no_grad():
        for parameter in network.decoder.core.bridge.parameters():
            parameter.zero_()
    first, second = (
        run(network, torch.tensor([src]), torch.tensor([[2]]))[0] for src in ([4, 5, 6], [7, 8, 9])
    )
    assert not torch.allclose(first, second, atol=1e-4)


def test_decoding_step_by_step_is_teacher_forcing(network: Seq2Seq, padded: Padded) -> None:
    features, weights = run(network, padded(SOURCES), padded(REPLIES))
    source, state = network.encode(padded(SOURCES))
    for t in range(4):
        step = network.decode(padded(REPLIES)[:, t : t + 1], source, state)
        state = step.state
        assert close(step.features[:, 0], features[:, t])
        assert close(step.weights[:, 0], weights[:, t])


def test_selected_rows_go_on_as_those_rows(network: Seq2Seq, padded: Padded) -> None:
    rows, tgt = torch.tensor([2, 2, 0]), padded(REPLIES)
    source, state = network.encode(padded(SOURCES))
    state = network.decode(tgt[:, :2], source, state).state
    after = network.decode(tgt[:, 2:], source, state)
    chosen = network.decode(tgt[rows, 2:], source.select(rows), state.select(rows))
    assert close(chosen.features, after.features[rows])
    assert close(chosen.weights, after.weights[rows])


def test_gradient_reaches_every_parameter(network: Seq2Seq, padded: Padded) -> None:
    logits_of(network, padded(SOURCES), padded(REPLIES)).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name


def test_ids_beyond_the_vocabulary_are_read_as_unknown(make_network: MakeNetwork) -> None:
    network, tgt = make_network(), torch.tensor([[2]])
    known, unknown = (run(network, torch.tensor([[4, word, 5]]), tgt)[0] for word in (1, 11))
    assert torch.equal(known, unknown)


def test_tied_tables_are_one_tensor(make_network: MakeNetwork) -> None:
    tied, untied = make_network(tie=True), make_network(tie=False)
    tables = [
        {id(t.weight) for t in (network.src_embedding, network.tgt_embedding, network.output.table)}
        for network in (tied, untied)
    ]
    assert [len(found) for found in tables] == [1, 3]
    sizes = [sum(p.numel() for p in network.parameters()) for network in (tied, untied)]
    assert sizes[1] - sizes[0] == 2 * 11 * 6


def test_tied_tables_are_one_after_training_and_moving(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network(tie=True).double()
    logits_of(network, padded(SOURCES), padded(REPLIES)).square().mean().backward()
    torch.optim.SGD(network.parameters(), lr=0.1).step()
    assert network.src_embedding.weight is network.output.table.weight


def test_pad_embeds_to_nothing(make_network: MakeNetwork) -> None:
    assert not make_network().src_embedding(torch.tensor([PAD])).any()


def test_dropout_acts_in_training_alone(make_network: MakeNetwork, padded: Padded) -> None:
    network = make_network(dropout=0.5)
    assert not torch.equal(*(run(network, padded(SOURCES), padded(REPLIES))[0] for _ in range(2)))
    network.eval()
    assert torch.equal(*(run(network, padded(SOURCES), padded(REPLIES))[0] for _ in range(2)))


def test_prior_is_the_share_of_each_token_and_none_is_impossible(make_network: MakeNetwork) -> None:
    network = make_network()
    network.output.set_prior(torch.tensor([0, 0, 0, 7, 2, 1, 0, 0, 0, 0, 0]))
    nothing = torch.zeros(1, 6), torch.zeros(1, 2), torch.zeros(1, 2, dtype=torch.long)
    shares = torch.softmax(network.output(*nothing)[0], -1)
    assert shares[[0, 3, 4, 5]].tolist() == pytest.approx([0.5 / 15.5, 7.5 / 15.5, 2.5 / 15.5, 1.5 / 15.5])
