from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS
from chatbot.decoding.language_model import BackOff, Level

VOCAB = 8
A, B = 4, 5


def level(keys: list[int], probs: list[float], backoffs: list[float]) -> Level:
    return Level(np.array(keys), np.log(probs), np.log(backoffs))


def hand_made() -> BackOff:
    """a after BOS; b after a, and after BOS a; the numbers are powers of e, which are stored exactly."""
    unigrams = [math.exp(-float(token)) for token in range(VOCAB)]
    backoffs = [math.exp(-1.0 if token == A else -2.0) for token in range(VOCAB)]
    ones = level(list(range(VOCAB)), unigrams, backoffs)
    twos = level([BOS * VOCAB + A, A * VOCAB + B], [math.exp(-0.5), math.exp(-0.25)], [math.exp(-3.0), 1.0])
    threes = level([0 * VOCAB + B], [math.exp(-0.125)], [1.0])
    return BackOff(VOCAB, [ones, twos, threes])


@pytest.mark.parametrize(
    ("said", "token", "log_prob"),
    [
        ((), A, -0.5),  # BOS a is held
        ((), B, -2.0 - B),  # BOS is known, BOS b is not
        ((A,), B, -0.125),  # BOS a b is held
        ((A,), A, -3.0 - 1.0 - A),  # neither BOS a a nor a a: both contexts are known
        ((B, A), B, -0.25),  # b a is no context, so nothing is paid for it; a b is held
        ((A, B), A, -2.0 - A),  # a b is known and has b = 1; b a is not held
        ((B, B), A, -2.0 - A),
        ((A,), 99, -3.0 - 1.0 - 1.0),  # what is not in the vocabulary is <unk>
    ],
)
def test_probability_is_that_of_the_longest_run_held_or_backed_off(
    said: tuple[int, ...], token: int, log_prob: float
) -> None:
    prefixes = np.array([said], np.int64).reshape(1, len(said))
    found = hand_made().log_probs(prefixes, np.array([[token]]))
    assert found[0, 0] == pytest.approx(log_prob)


def test_rows_and_tokens_are_answered_as_one_by_one() -> None:
    model = hand_made()
    prefixes, tokens = np.array([[A, B], [B, A], [B, B]]), np.array([[A, B], [B, A], [A, A]])
    together = model.log_probs(prefixes, tokens)
    for row in range(3):
        for column in range(2):
            alone = model.log_probs(prefixes[row : row + 1], tokens[row : row + 1, column : column + 1])
            assert together[row, column] == alone[0, 0]


def test_no_two_tokens_differ_by_more_than_the_span() -> None:
    model = hand_made()
    every = np.arange(VOCAB)[None]
    found = np.concatenate([model.log_probs(np.array([[a, b]]), every) for a in range(8) for b in range(8)])
    assert (found.max(1) - found.min(1)).max() <= model.span


def test_arrays_give_the_model_back() -> None:
    model = hand_made()
    again = BackOff.of(model.arrays(), VOCAB)
    for before, after in zip(model.levels, again.levels, strict=True):
        assert before.keys.tolist() == after.keys.tolist()
        assert after.log_probs == pytest.approx(before.log_probs)
    every = np.arange(VOCAB)[None]
    for said in ([], [A], [A, B]):
        prefixes = np.array([said], np.int64).reshape(1, len(said))
        assert again.log_probs(prefixes, every) == pytest.approx(model.log_probs(prefixes, every))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("log_probs1", np.zeros(3, np.uint8)),
        ("log_probs1", np.zeros(VOCAB, np.float32)),
        ("log_probs2", np.zeros((2, 1), np.uint8)),
        ("followers1", np.full(VOCAB, 60_000, np.uint16)),
        ("followers1", np.array([-1, 1, 1, 0, 1, 0, 0, 0], np.int8)),
        ("tokens2", np.array([60_000, 60_000], np.uint16)),
        ("tokens3", np.zeros(2, np.uint16)),
    ],
)
def test_arrays_of_no_model_are_refused(name: str, array: NDArray[Any]) -> None:
    arrays = hand_made().arrays() | {name: array}
    with pytest.raises(ValueError, match=r"holds|fit"):
        BackOff.of(arrays, VOCAB)


def test_a_model_of_another_vocabulary_or_none_is_refused() -> None:
    with pytest.raises(ValueError, match="fit"):
        BackOff.of(hand_made().arrays(), VOCAB + 1)
    with pytest.raises(ValueError, match="no language model"):
        BackOff.of({}, VOCAB)
