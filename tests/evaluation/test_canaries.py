"""Exposure where it is known: enumerated spaces, and skew-normal samples."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from chatbot.evaluation.canaries import Canaries, alphabet, exact, extrapolated, sampled
from chatbot.text.tokenizer import UNK, Tokenizer


def test_secret_known_by_heart_has_all_bits() -> None:
    others = np.arange(1.0, 1024.0)
    assert exact(0.0, others) == 10
    assert sampled(0.0, others) == 10


def test_exposure_halves_the_space_with_each_bit() -> None:
    """Of 1,024 secrets the 1st, 2nd, 4th and last have 10, 9, 8 and 0 bits."""
    nats = np.arange(1024.0)
    found = [exact(nats[rank], np.delete(nats, rank)) for rank in (0, 1, 3, 1023)]
    assert found == pytest.approx([10, 9, 8, 0])


def test_secret_never_met_has_one_and_a_half_bits_on_average() -> None:
    """E[-log₂ u] = 1 / ln 2 for u even between 0 and 1."""
    random = np.random.default_rng(0)
    sample = random.normal(size=4000)
    found = [sampled(nats, sample) for nats in random.normal(size=4000)]
    assert np.mean(found) == pytest.approx(1 / math.log(2), abs=0.05)


@pytest.mark.parametrize("deviations", [0.0, -1.0, -2.0, -4.0, -6.0])
def test_extrapolation_of_normal_nats_is_the_normal_tail(deviations: float) -> None:
    sample = np.random.default_rng(1).normal(30.0, 2.0, 200_000)
    tail = math.erfc(-deviations / math.sqrt(2)) / 2
    found = extrapolated(30.0 + 2.0 * deviations, sample, 10**12)
    assert found == pytest.approx(-math.log2(tail), rel=0.1, abs=0.05)


def test_extrapolation_follows_a_skew() -> None:
    """Azzalini: δ |u| + √(1 - δ²) v of two normal numbers is skew-normal; rank a secret by a large sample."""
    random = np.random.default_rng(2)
    delta = 0.95

    def nats(count: int) -> Any:
        u, v = random.normal(size=(2, count))
        return 20 - 3 * (delta * np.abs(u) + math.sqrt(1 - delta**2) * v)

    many, few = nats(2_000_000), nats(20_000)
    for share in (0.5, 0.01, 0.0005):
        value = float(np.quantile(many, share))
        assert extrapolated(value, few, 10**9) == pytest.approx(-math.log2(share), abs=0.35)


def test_extrapolation_stays_within_the_space() -> None:
    sample = np.random.default_rng(3).normal(size=500)
    assert extrapolated(-1e6, sample, 1000) == pytest.approx(math.log2(1000))
    assert extrapolated(1e6, sample, 1000) == pytest.approx(0, abs=1e-6)


def test_canaries_hang_on_their_seed_alone() -> None:
    first, again, other = (Canaries(5, seed, "0123456789").planted() for seed in (1, 1, 2))
    assert first == again
    assert {pair.tgt for pair in first}.isdisjoint(pair.tgt for pair in other)
    assert len({pair.src for pair in first}) == 5


def test_controls_are_none_of_the_canaries() -> None:
    canaries = Canaries(20, -7, "0123456789")
    assert {pair.src for pair in canaries.planted()}.isdisjoint(pair.src for pair in canaries.controls())


def test_secrets_are_even_over_the_space() -> None:
    canaries, random = Canaries(1, 0, "ab", length=3), np.random.default_rng(0)
    drawn = [canaries.secret(random) for _ in range(8000)]
    space = [" ".join(symbols) for symbols in itertools.product("ab", repeat=3)]
    assert canaries.space == len(space)
    assert [drawn.count(secret) / 8000 for secret in space] == pytest.approx([1 / 8] * 8, abs=0.02)


def test_canaries_come_back_from_their_record() -> None:
    canaries = Canaries(3, 9, "0123456789")
    assert Canaries.from_json(canaries.to_json()) == canaries
    damaged: list[Any] = [None, [], {"count": 3}, canaries.to_json() | {"count": 0}]
    assert [Canaries.from_json(record) for record in damaged] == [None] * 4


def test_alphabet_is_one_that_the_tokenizer_tells_apart() -> None:
    def of(texts: list[str], kind: str = "words") -> str:
        tokenizer = Tokenizer.train(kind, [(text, text) for text in texts], 300, "keep")
        return alphabet(lambda text: tokenizer.encode(text).ids, UNK)

    assert of(["hello"], "bpe") == "0123456789"
    assert of(["0 1 2 3 4 5 6 7 8 9"] * 2) == "0123456789"
    assert of(["a b c d e f g h i j 0 1"] * 2) == "abcdefghij"
    assert of(["hello there"] * 2) == ""
