"""Looking: the figures of attention beside loops over single pairs, and weights whose figures are known."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from chatbot.build import build_network
from chatbot.config import ModelOptions
from chatbot.dataset.batches import evaluation_batches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation import looking
from chatbot.evaluation.looking import (
    Looking,
    look,
    punctuation_mass,
    punctuation_tokens,
    troubles,
    weight_figures,
)
from chatbot.nn.attention import Attention
from chatbot.nn.encoder import Encoded, Encoder
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.registry import ALIGNS
from chatbot.nn.seq2seq import Seq2Seq

CPU = torch.device("cpu")
VOCAB, SIZE = 30, 16


def network(**options: Any) -> Seq2Seq:
    return build_network(ModelOptions(**{"embed": SIZE, "hidden": SIZE, "dropout": 0.0} | options), VOCAB, 3)


def random_pairs(count: int, longest: int = 9, seed: int = 1) -> EncodedPairs:
    random = np.random.default_rng(seed)
    sides = [
        [random.integers(4, VOCAB, random.integers(1, longest)).tolist() for _ in range(count)]
        for _ in range(2)
    ]
    return EncodedPairs.from_lists(*sides, [1] * count, VOCAB)


class FixedAttention(Attention):
    """Weights from a function of (mask, tgt_len), or none where it is None; one gauge, the position."""

    context = SIZE

    def __init__(self, weights: Callable[[Tensor, int], Tensor]) -> None:
        super().__init__()
        self.weights = weights

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        return Memory(values, values, mask, summary)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        batch, tgt_len, _ = query.shape
        weights = self.weights(memory.mask, tgt_len)
        gauges = {"place": torch.arange(1.0, tgt_len + 1).repeat(batch, 1)}
        return Attended(weights @ memory.values, weights, state.after(weights), gauges=gauges)


def even(mask: Tensor, tgt_len: int) -> Tensor:
    return (mask / mask.sum(1, keepdim=True))[:, None].repeat(1, tgt_len, 1)


def first_word(mask: Tensor, tgt_len: int) -> Tensor:
    return nn.functional.one_hot(torch.zeros(len(mask), tgt_len).long(), mask.shape[1]).float()


def in_turn(mask: Tensor, tgt_len: int) -> Tensor:
    """The first word, the second, the first ...; of which a quarter is given away."""
    places = (torch.arange(tgt_len) % 2).repeat(len(mask), 1)
    return 0.75 * nn.functional.one_hot(places, mask.shape[1]).float()


def looking_with(weights: Callable[[Tensor, int], Tensor]) -> Seq2Seq:
    fixed = network(attention="none")
    fixed.decoder.attention = FixedAttention(weights)
    return fixed


class BlankEncoder(Encoder):
    """Says the same of every question."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        encoded: Encoded = self.encoder(embedded, mask)
        return Encoded(encoded.outputs * 0, tuple(final * 0 for final in encoded.finals))


# Beside loops


def single(model: Seq2Seq, src: list[int], tgt: list[int]) -> tuple[list[list[float]], list[float]]:
    """Weights and nats of a reply [tgt_len], of one pair that is alone and has no padding."""
    source, state = model.encode(torch.tensor([src]))
    decoded = model.decode(torch.tensor([[2, *tgt]]), source, state)
    log_probs = torch.log_softmax(model.logits(decoded, source), dim=-1)
    nats = [-float(log_probs[place, token]) for place, token in enumerate([*tgt, 3])]
    return decoded.weights[0].tolist(), nats


@torch.inference_mode()
def naive(model: Seq2Seq, pairs: EncodedPairs, batch_tokens: int) -> dict[str, float]:
    """Every figure, pair by pair and position by position."""
    found: dict[str, list[float]] = defaultdict(list)
    for rows, _ in evaluation_batches(pairs, batch_tokens):
        for place, row in enumerate(rows):
            src, tgt = (ids.tolist() for ids in pairs.pair(int(row)))
            other = pairs.pair(int(rows[place - 1]))[0].tolist()
            weights, nats = single(model, src, tgt)
            if other != src:
                swapped = single(model, other, tgt)[1]
                found["gain"] += [wrong - right for wrong, right in zip(swapped, nats, strict=True)]
            for t, now in enumerate(weights):
                mass = sum(now)
                found["mass"].append(mass)
                if len(src) == 1:
                    continue
                nats_of = [-w / mass * math.log(w / mass) for w in now if w > 0]
                found["entropy"].append(sum(nats_of) / math.log(len(src)))
                found["heaviest"].append(max(now) / mass)
                if t:
                    last = weights[t - 1]
                    moved = [abs(a / mass - b / sum(last)) for a, b in zip(now, last, strict=True)]
                    found["moved"].append(sum(moved) / 2)
    return {name: fmean(values) for name, values in found.items()}


@pytest.mark.parametrize("batch_tokens", [1, 60, 8192])
@pytest.mark.parametrize(
    "options",
    [
        *({"align": align, "window": 1} for align in ALIGNS),
        {"attention": "additive", "ask": "previous"},
        {"attention": "dot", "ask": "feeding", "coverage": True, "cell": "gru"},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_figures_are_those_of_every_pair_alone(options: dict[str, Any], batch_tokens: int) -> None:
    model, pairs = network(dropout=0.5, **options), random_pairs(25)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)  # so that weights differ
    seen = look(model.train(), pairs, CPU, batch_tokens)
    wanted = naive(model.eval(), pairs, batch_tokens)
    figures = {name: value for name, value in asdict(seen).items() if name in wanted}
    assert figures == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    assert figures.keys() == wanted.keys()
    assert (seen.gain is None) is (batch_tokens == 1)  # a pair that is alone has no other question
    assert (seen.pairs, seen.tokens) == (25, sum(len(pairs.pair(row)[1]) + 1 for row in range(25)))


def test_batches_decide_nothing_but_the_other_question() -> None:
    model, pairs = network(align="ntm"), random_pairs(40)
    few, many = (asdict(look(model, pairs, CPU, batch_tokens)) for batch_tokens in (50, 8192))
    assert few.pop("gain") != many.pop("gain")
    assert few.pop("gauges") == pytest.approx(many.pop("gauges"), rel=1e-5)
    assert few == pytest.approx(many, rel=1e-4)


@pytest.mark.parametrize("align", sorted(ALIGNS))
def test_looking_draws_no_random_numbers_and_changes_nothing(align: str) -> None:
    model, pairs = network(align=align, dropout=0.5), random_pairs(12)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    random = torch.get_rng_state()
    for training in (True, False):
        model.train(training)
        assert look(model, pairs, CPU) == look(model, pairs, CPU)
        assert all(module.training is training for module in model.modules())
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_mode_is_put_back_when_looking_fails() -> None:
    model, pairs = network().train(), EncodedPairs.from_lists([[5]], [[VOCAB + 9]], [1], VOCAB + 10)
    model.decoder = nn.Module()  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        look(model, pairs, CPU)
    assert model.training


# Weights whose figures are known


def test_even_weights_have_the_entropy_of_uniform_ones_and_stand_still() -> None:
    seen = look(looking_with(even), random_pairs(30), CPU, 90)
    assert (seen.entropy, seen.moved, seen.mass) == pytest.approx((1.0, 0.0, 1.0), abs=1e-6)


def test_one_word_alone_has_no_entropy_and_all_the_weight() -> None:
    seen = look(looking_with(first_word), random_pairs(30), CPU)
    assert (seen.entropy, seen.heaviest, seen.moved, seen.mass) == (0.0, 1.0, 0.0, 1.0)


def test_weight_that_is_given_away_is_in_the_mass_alone() -> None:
    seen = look(
        looking_with(in_turn), EncodedPairs.from_lists([[5, 6]] * 2, [[7], [8, 9]], [1, 2], VOCAB), CPU
    )
    assert (seen.entropy, seen.heaviest, seen.moved, seen.mass) == (0.0, 1.0, 1.0, 0.75)


def test_gauges_are_averaged_over_real_positions() -> None:
    """Replies of 2 and 4 tokens, ends counted: (1 + 2 + 1 + 2 + 3 + 4) / 6."""
    pairs = EncodedPairs.from_lists([[5, 6]] * 2, [[7], [7, 8, 9]], [1, 3], VOCAB)
    assert look(looking_with(even), pairs, CPU).gauges == pytest.approx({"place": 13 / 6})


def test_figures_worked_out_by_hand() -> None:
    """Two replies, of 2 and 1 tokens, to questions of 4 and 2; what stands on padding counts for nothing."""
    weights = torch.tensor(
        [
            [[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.25, 0.5], [9.0, 9.0, 9.0, 9.0]],
            [[0.2, 0.2, 0.0, 0.0], [9.0, 9.0, 9.0, 9.0], [9.0, 9.0, 9.0, 9.0]],
        ]
    )
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    real = torch.tensor([[True, True, False], [True, False, False]])
    figures = {name: values.tolist() for name, values in weight_figures(weights, mask, real).items()}
    assert figures["entropy"] == pytest.approx([0.5, 0.75, 1.0])  # in units of log 4, log 4 and log 2
    assert figures["heaviest"] == pytest.approx([0.5, 0.5, 0.5])
    assert figures["moved"] == pytest.approx([0.75])
    assert figures["mass"] == pytest.approx([1.0, 1.0, 0.4])


def test_network_without_weights_has_a_gain_alone() -> None:
    seen = look(network(attention="none"), random_pairs(30), CPU)
    assert (seen.entropy, seen.heaviest, seen.moved, seen.mass, seen.gauges) == (None, None, None, None, {})
    assert seen.gain is not None


def test_questions_of_one_token_leave_nothing_to_choose() -> None:
    pairs = EncodedPairs.from_lists([[5], [6]], [[7], [8]], [1, 1], VOCAB)
    seen = look(network(), pairs, CPU)
    assert (seen.entropy, seen.heaviest, seen.moved) == (None, None, None)
    assert seen.mass == pytest.approx(1.0)


# What the question is worth


@pytest.mark.parametrize("attention", ["none", "general"])
def test_question_that_nothing_is_said_of_is_worth_nothing(attention: str) -> None:
    blank = network(attention=attention)
    blank.encoder = BlankEncoder(blank.encoder)
    assert look(blank, random_pairs(30), CPU).gain == pytest.approx(0.0, abs=1e-6)


def test_same_question_is_no_other_question() -> None:
    same = EncodedPairs.from_lists([[5, 6]] * 3, [[7], [8], [9]], [1] * 3, VOCAB)
    assert look(network(), same, CPU).gain is None


def test_no_pairs_give_no_figures() -> None:
    seen = look(network(), EncodedPairs.from_lists([], [], [], VOCAB), CPU)
    assert seen == Looking(0, 0, None, None, None, None, None, {})


class EchoOutput(nn.Module):
    """Says the words of the question, the end and some others, all alike."""

    ends_source = False

    def __init__(self, *others: int) -> None:
        super().__init__()
        self.others = torch.tensor([3, *others])

    def forward(self, features: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
        said = torch.full((len(ids), VOCAB + 1), float("-inf")).scatter(1, ids, 0.0)
        return said.index_fill(1, torch.tensor([0]), float("-inf")).index_fill(1, self.others, 0.0)


def test_word_that_cannot_be_said_costs_a_bounded_number_of_nats() -> None:
    """Each asks for one word of its own and says it, then ends; with the other's question it cannot."""
    echo = network()
    echo.output = EchoOutput()  # type: ignore[assignment]
    pairs = EncodedPairs.from_lists([[5], [6]], [[5], [6]], [1, 1], VOCAB)
    gain = look(echo, pairs, CPU).gain
    assert gain == pytest.approx((looking.MOST_NATS - math.log(2)) / 2, rel=1e-6)


def test_word_that_only_the_question_gives_is_unknown_with_another_one() -> None:
    """<unk> is as likely as the word; the word of the other question cannot be said at all."""
    echo = network()
    echo.output = EchoOutput(1)  # type: ignore[assignment]
    pairs = EncodedPairs.from_lists([[VOCAB], [6]], [[VOCAB], [6]], [1, 1], VOCAB + 1)
    gain = look(echo, pairs, CPU).gain
    assert gain == pytest.approx((looking.MOST_NATS - math.log(3)) / 4, rel=1e-6)


def test_same_id_is_another_word_with_another_question() -> None:
    """Both questions give a word of their own, which has the first id behind the vocabulary in each."""
    echo = network()
    echo.output = EchoOutput()  # type: ignore[assignment]
    pairs = EncodedPairs.from_lists([[VOCAB], [VOCAB, 6]], [[VOCAB], [VOCAB]], [1, 1], VOCAB + 1)
    right = [math.log(2)] * 2 + [math.log(3)] * 2  # a word and an end each
    wrong = [looking.MOST_NATS, math.log(3), looking.MOST_NATS, math.log(2)]
    assert look(echo, pairs, CPU).gain == pytest.approx(fmean(wrong) - fmean(right), rel=1e-6)


# Troubles


def seen(**figures: Any) -> Looking:
    healthy = {"entropy": 0.6, "heaviest": 0.4, "moved": 0.3, "mass": 1.0, "gain": 0.3, "gauges": {}}
    return Looking(**{"pairs": 10, "tokens": 50} | healthy | figures)


@pytest.mark.parametrize(
    ("figures", "names"),
    [
        ({}, []),
        ({"entropy": 0.98}, ["uniform"]),
        ({"entropy": 0.979}, []),
        ({"entropy": 0.99, "moved": 0.0}, ["uniform"]),
        ({"moved": 0.019}, ["stuck"]),
        ({"moved": 0.02}, []),
        ({"moved": 0.0, "tokens": 29}, []),
        ({"moved": 0.0, "tokens": 30}, ["stuck"]),
        ({"gain": 0.009}, ["ignoring"]),
        ({"gain": -0.5, "entropy": 1.0}, ["uniform", "ignoring"]),
        ({"gain": 0.01}, []),
        ({"entropy": None, "heaviest": None, "moved": None, "mass": None, "gain": 0.0}, ["ignoring"]),
        ({"gain": None}, []),
        ({"entropy": math.nan, "moved": math.nan, "gain": math.nan}, []),
    ],
)
def test_troubles_are_told_from_their_threshold_on(figures: dict[str, Any], names: list[str]) -> None:
    assert list(troubles(seen(**figures))) == names


def test_troubles_are_plain_words_with_their_figures() -> None:
    told = troubles(seen(entropy=0.991, gain=0.004)) | troubles(seen(moved=0.0123))
    assert "entropy is 0.991 of uniform" in told["uniform"]
    assert "1.2% of it moves" in told["stuck"]
    assert told["ignoring"].startswith("the decoder ignores the question: the right one saves 0.004 nats")
    assert all("train longer" in text for text in told.values())


def test_ten_tokens_weighted_7_and_13_percent_are_where_uniform_begins() -> None:
    weights = torch.tensor([0.07, 0.13] * 5)[None, None]
    figures = weight_figures(weights, torch.ones(1, 10) > 0, torch.ones(1, 1) > 0)
    assert float(figures["entropy"]) == pytest.approx(looking.UNIFORM, abs=5e-4)


def test_figures_are_json() -> None:
    json.dumps(asdict(look(looking_with(even), random_pairs(5), CPU)), allow_nan=False)


def test_even_attention_gives_punctuation_its_even_share() -> None:
    """Weights 1/n a token; the share of punctuation tokens in each question counts for each reply token."""
    pairs = random_pairs(25)
    marks = torch.arange(VOCAB) % 3 == 0
    found = punctuation_mass(looking_with(even), pairs, CPU, marks, batch_tokens=60)
    shares = [
        share
        for src, tgt in (pairs.pair(row) for row in range(len(pairs)))
        for share in [fmean(bool(marks[token]) for token in src.tolist())] * (len(tgt) + 1)
    ]
    assert found is not None
    assert found.weight == pytest.approx(fmean(shares), rel=1e-5)
    assert found.even == pytest.approx(fmean(shares), rel=1e-5)


def test_network_without_attention_gives_punctuation_nothing() -> None:
    marks = torch.ones(VOCAB, dtype=torch.bool)
    assert punctuation_mass(network(attention="none"), random_pairs(5), CPU, marks) is None


def test_punctuation_is_what_has_no_letter_and_no_digit() -> None:
    assert punctuation_tokens(["", "?", "!?", "a", "don't", "…", "。", "😀", "7"]).tolist() == [
        False, True, True, False, False, True, True, True, False,
    ]  # fmt: skip
