"""The numbers of an answer, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chatbot.decoding.hypothesis import Hypothesis
from chatbot.trust.features import ALONE, FEW, SEVERAL, features


def found(*replies: tuple[str, float, int]) -> list[tuple[str, Hypothesis]]:
    weights = np.zeros((0, 0), np.float32)
    return [(text, Hypothesis((4,) * length, p, p, weights)) for text, p, length in replies]


def test_features_of_one_reply() -> None:
    values = features(found(("yes", -3.0, 2)), 0.75)
    assert tuple(values) == ALONE
    assert values == {"log_prob": -1.5, "length": pytest.approx(math.log(2)), "known": 0.75}


def test_features_of_several_replies_by_hand() -> None:
    values = features(found(("abcd", math.log(0.3), 1), ("abce", math.log(0.1), 1)), 1.0)
    assert set(values) == set(SEVERAL)
    assert values["mass"] == pytest.approx(0.4)
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert values["entropy"] == pytest.approx(entropy / math.log(2))
    assert values["agreement"] == pytest.approx(2 / 4)  # of " ab abc bcd cd " and " ab abc bce ce "


def test_equal_replies_have_an_entropy_of_one() -> None:
    assert features(found(*[("a", -2.0, 1)] * 3), 1.0)["entropy"] == pytest.approx(1)


def test_more_candidates_change_no_feature() -> None:
    replies = found(*[(f"reply {n}", -1.0 - n, 3) for n in range(FEW + 5)])
    assert features(replies, 1.0) == features(replies[:FEW], 1.0)


def test_reply_of_no_token_and_no_letter_has_features() -> None:
    values = features(found(("", -50.0, 0), ("", -700.0, 1)), 0.0)
    assert all(math.isfinite(value) for value in values.values())
