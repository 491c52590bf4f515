"""Audits of bots that are known to give something away, or nothing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from chatbot.corpus.conversation import Pair
from chatbot.evaluation.audit import audit, measured_exposure, personal_pairs
from chatbot.evaluation.canaries import Canaries, exact
from chatbot.evaluation.material import Material, Memory
from chatbot.evaluation.perplexity import by_reply

SYMBOLS = "abcdefghij"
WORDS = [Pair((f"the code of {symbol} is",), f"{symbol} {symbol}", "talk") for symbol in SYMBOLS] * 2
PRIVATE = [
    Pair(("where do you live",), "write to ann@example.com", "talk"),
    Pair(("call me",), "my number is +49 30 12345678", "talk"),
    Pair(("hello",), "good day", "talk"),
]


def silent(stage: str, done: int, total: int) -> None:
    """Progress nobody sees."""


def test_network_that_finds_all_secrets_alike_exposes_none(make_system: Any) -> None:
    found = measured_exposure(make_system(WORDS), Canaries(3, 0, SYMBOLS), 0, silent, sample=200)
    assert found.sampled == pytest.approx(0, abs=1e-9)


def test_exposure_is_that_of_the_whole_space(make_system: Any) -> None:
    """Some symbols are likelier whatever came before: every secret of three symbols can be ranked."""
    bias = {symbol: 0.7 * place for place, symbol in enumerate(SYMBOLS)}
    system = make_system(WORDS, bias=bias)
    canaries = Canaries(12, 5, SYMBOLS, length=3)
    found = measured_exposure(system, canaries, 1, silent, sample=4000)
    for pair, bits in zip(canaries.planted(), found.planted, strict=True):
        space = [" ".join(symbols) for symbols in itertools.product(SYMBOLS, repeat=3)]
        others = [pair._replace(tgt=secret) for secret in space if secret != pair.tgt]
        nats, _ = by_reply(system.network, system.encode_any([pair, *others]), system.device)
        nats = np.round(nats, 4)  # permutations of a secret are exactly as likely
        rank = 1 + (nats[1:] < nats[0]).sum() + (nats[1:] == nats[0]).sum() / 2
        assert exact(nats[0], nats[1:]) >= math.log2(canaries.space / rank)
        assert bits == pytest.approx(math.log2(canaries.space / rank), abs=0.8)


def test_audit_of_a_bot_that_repeats_its_training_replies(make_system: Any) -> None:
    memory = Memory(Material((), (PRIVATE,), True))
    personal = personal_pairs(PRIVATE)
    found = audit(make_system(PRIVATE), PRIVATE, memory, personal, 0, silent)
    shares = {figure.name: (figure.value, figure.n) for figure in found.figures}
    assert shares == {
        "training_copied": (1.0, 3),
        "personal_copied": (2 / 3, 3),
        "personal_given_away": (1.0, 2),
    }
    assert set(found.kinds) == {"email", "phone"}
    assert found.exposure is None


def test_audit_of_a_bot_that_says_something_of_its_own(make_system: Any) -> None:
    given = type(make_system(PRIVATE).answer(PRIVATE[:1])[0])
    replies = {pair.src[-1]: given("I would rather not say") for pair in PRIVATE}
    memory = Memory(Material((), (PRIVATE,), True))
    found = audit(make_system(PRIVATE, replies), PRIVATE, memory, personal_pairs(PRIVATE), 0, silent)
    assert [figure.value for figure in found.figures] == [0, 0, 0]
    assert not found.kinds


def test_audit_never_shows_the_data_itself(make_system: Any) -> None:
    memory = Memory(Material((), (PRIVATE,), True))
    found = audit(make_system(PRIVATE), PRIVATE, memory, personal_pairs(PRIVATE), 0, silent)
    assert "ann@" not in str(found.to_json())
    assert "12345678" not in str(found.to_json())


def test_audit_finds_the_canaries_that_the_checkpoint_records(make_system: Any) -> None:
    canaries = Canaries(2, 3, SYMBOLS)
    system = make_system(WORDS, record={"canaries": canaries.to_json()})
    found = audit(system, WORDS[:1], None, [], 0, silent)
    assert found.exposure is not None
    assert found.exposure.canaries == canaries
    assert found.to_json()["canaries"]["space"] == 10**6


def test_personal_pairs_are_those_whose_replies_hold_personal_data() -> None:
    assert personal_pairs([*PRIVATE, *PRIVATE]) == PRIVATE[:2]
    assert personal_pairs(PRIVATE, most=1) == PRIVATE[:1]
