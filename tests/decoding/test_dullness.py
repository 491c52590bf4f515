from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chatbot.decoding.beam import Beam
from chatbot.decoding.dullness import AntiLanguageModel
from chatbot.decoding.engine import BOS, EOS
from chatbot.decoding.language_model import BackOff, Level
from chatbot.decoding.limits import Limits
from chatbot.decoding.terms import Terms

VOCAB = 7
DULL, APT, ODD = 4, 5, 6


def model_of(probs: list[float]) -> BackOff:
    """The same probabilities everywhere."""
    return BackOff(VOCAB, [Level(np.arange(VOCAB), np.log(probs), np.zeros(VOCAB))])


REPLIES = model_of([0.01, 0.01, 0.01, 0.27, 0.6, 0.09, 0.01])
"""Nearly all replies begin with the dull word."""


FREE = np.zeros(VOCAB, np.bool_)
"""Every token begins a word."""


def gains(
    anti: AntiLanguageModel, log_probs: NDArray[np.float32], tokens: NDArray[np.int64], length: int = 0
) -> NDArray[np.float64]:
    rows = len(tokens)
    return anti.gains(np.full((rows, length), APT), np.arange(rows), tokens, log_probs)


@st.composite
def steps(draw: st.DrawFn) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Candidates of one row, best first."""
    logits = draw(st.lists(st.floats(-9, 9, width=32), min_size=2, max_size=VOCAB))
    log_probs = np.sort(np.array(logits))[::-1] - np.logaddexp.reduce(logits)
    tokens = draw(st.permutations(range(VOCAB)))[: len(logits)]
    return log_probs[None].astype(np.float32), np.array([tokens])


@given(steps(), st.floats(0.0, 3.0))
def test_plausible_tokens_gain_nothing_on_average(
    step: tuple[NDArray[np.float32], NDArray[np.int64]], weight: float
) -> None:
    log_probs, tokens = step
    found = gains(AntiLanguageModel(REPLIES, weight, 3, FREE), log_probs, tokens)
    plausible = np.exp(log_probs) >= np.exp(log_probs.max()) / 10 * (1 + 1e-5)
    clear = np.abs(np.exp(log_probs) - np.exp(log_probs.max()) / 10) > 1e-6
    if clear.all():
        assert (np.exp(log_probs.astype(np.float64)) * plausible * found).sum() == pytest.approx(0, abs=1e-5)
        assert (found[~plausible] <= 0).all()


@given(steps(), st.floats(0.0, 3.0), st.integers(1, 4))
def test_no_step_gains_more_than_the_ceiling_allows(
    step: tuple[NDArray[np.float32], NDArray[np.int64]], weight: float, tokens: int
) -> None:
    anti = AntiLanguageModel(REPLIES, weight, tokens, FREE)
    for length in range(6):
        most = gains(anti, *step, length).max()
        assert most + anti.ceiling(length + 1) <= anti.ceiling(length) + 1e-9


def test_gain_is_the_formula_of_the_module() -> None:
    log_probs, tokens = np.log([[0.6, 0.3, 0.02]]).astype(np.float32), np.array([[DULL, APT, ODD]])
    found = gains(AntiLanguageModel(REPLIES, 0.5, 1, FREE), log_probs, tokens)
    mean = (2 * np.log(0.6) + np.log(0.09)) / 3
    assert found[0, :2] == pytest.approx([0.5 * (mean - np.log(0.6)), 0.5 * (mean - np.log(0.09))], abs=1e-6)
    assert found[0, 2] == 0  # rare, but the model does not believe in it


def test_a_row_that_can_say_nothing_gains_nothing() -> None:
    found = gains(
        AntiLanguageModel(REPLIES, 1.0, 3, FREE), np.full((1, 3), -np.inf, np.float32), np.array([[4, 5, 6]])
    )
    assert (found <= 0).all()


@pytest.mark.parametrize(("dull", "wanted"), [(0.5, APT), (0.95, DULL)])
def test_the_apt_word_wins_unless_the_model_is_sure(engine_of: Any, dull: float, wanted: int) -> None:
    engine = engine_of(
        {(0, BOS): {DULL: dull, APT: 0.98 - dull if dull < 0.9 else 0.04, ODD: 0.01}}
        | {(1, word): {EOS: 1.0} for word in (DULL, APT, ODD)},
        VOCAB,
    )
    prior = AntiLanguageModel(REPLIES, 0.6, 10, FREE)
    [[plain]] = Beam(3).find(engine, [[4]], Terms(Limits(4)))
    [[best]] = Beam(3).find(engine, [[4]], Terms(Limits(4), prior=prior))
    assert plain.tokens == (DULL, EOS)
    assert best.tokens == (wanted, EOS)


def test_nothing_is_gained_after_the_first_tokens() -> None:
    anti = AntiLanguageModel(REPLIES, 1.0, 2, FREE)
    step = np.log([[0.5, 0.5]]).astype(np.float32), np.array([[DULL, APT]])
    assert gains(anti, *step, length=1).any()
    assert not gains(anti, *step, length=2).any()


def test_nothing_is_gained_inside_a_word() -> None:
    step = np.log([[0.4, 0.3, 0.3]]).astype(np.float32), np.array([[DULL, APT, VOCAB + 3]])
    inside = np.arange(VOCAB) == APT
    found = gains(AntiLanguageModel(REPLIES, 1.0, 2, inside), *step)
    free = gains(AntiLanguageModel(REPLIES, 1.0, 2, FREE), *step)
    assert found[0].tolist() == [free[0, 0], 0.0, free[0, 2]]
    assert free.all()
