"""Confidence: the formula, and what is stored of it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.decoding.hypothesis import Hypothesis
from chatbot.errors import CheckpointError
from chatbot.trust.confidence import Confidence, Logistic, sigmoid
from chatbot.trust.features import ALONE, SEVERAL


def logistic(names: tuple[str, ...], bias: float = 0.0, weight: float = 1.0) -> Logistic:
    size = len(names)
    return Logistic(names, (0.0,) * size, (1.0,) * size, (weight,) * size, bias)


def reply(log_prob: float) -> tuple[str, Hypothesis]:
    return "yes", Hypothesis((4, 3), log_prob, log_prob, np.zeros((2, 1), np.float32))


def test_probability_by_hand() -> None:
    model = Logistic(("a", "b"), (1.0, 0.0), (2.0, 1.0), (0.5, -1.0), 0.25)
    assert model.of({"b": 0.5, "a": 2.0}) == pytest.approx(1 / (1 + math.exp(-(0.25 + 0.25 - 0.5))))


def test_feature_far_out_counts_as_three_deviations() -> None:
    model = logistic(("a",))
    assert model.of({"a": 1e9}) == model.of({"a": 3.0})
    assert model.of({"a": -1e9}) == model.of({"a": -3.0})


@given(st.floats(-1e6, 1e6))
def test_sigmoid_is_a_probability_and_its_mirror(x: float) -> None:
    up, down = sigmoid(np.array([x, -x]))
    assert 0 <= up <= 1
    assert up + down == pytest.approx(1)


def test_reply_found_alone_has_a_regression_of_its_own() -> None:
    confidence = Confidence(logistic(SEVERAL, 5.0, 0.0), logistic(ALONE, -5.0, 0.0), "hit")
    assert confidence.of([reply(-1)], 1.0) < 0.01
    assert confidence.of([reply(-1), reply(-2)], 1.0) > 0.99
    assert Confidence(None, confidence.alone, "hit").of([reply(-1), reply(-2)], 1.0) < 0.01


@pytest.mark.parametrize("several", [None, logistic(SEVERAL, 0.1, 0.3)])
def test_what_is_stored_is_read_back(several: Logistic | None) -> None:
    confidence = Confidence(several, logistic(ALONE, -1.0 / 3), "exact")
    assert Confidence.from_bytes(confidence.to_bytes(), "confidence.json") == confidence


def changed(**changes: object) -> bytes:
    record = json.loads(Confidence(logistic(SEVERAL), logistic(ALONE), "hit").to_bytes())
    return json.dumps(record | changes).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b"{}",
        changed(alone={}),
        changed(alone=None),
        changed(several={"bias": 1, "features": {}}),
        changed(alone={"bias": "x", "features": logistic(ALONE).to_json()["features"]}),
        changed(alone=logistic(ALONE, math.inf).to_json()),
        changed(alone={"bias": 0, "features": {n: {"mean": 0, "scale": 0, "weight": 0} for n in ALONE}}),
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CheckpointError, match=r"confidence\.json: cannot be read"):
        Confidence.from_bytes(data, "confidence.json")
