"""When a reply is good: chrF against sacrebleu's, and what both meanings call good."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from chatbot.evaluation.goodness import (
    EXACT,
    HIT,
    MEANINGS,
    OTHERS,
    character_f,
    good_replies,
    grams_of,
    meaning,
)
from chatbot.trust.seen import Sightings

TRUTHS = [
    "I live in a small town by the sea",
    "pizza, with olives",
    "yes, two cats and a dog",
    "no idea, ask my boss",
    "at seven in the evening",
    "Thursday works for me",
    "we watched an old movie",
    "my brother is a nurse",
    "it rained all day",
    "blue, like the sky",
    "never heard of it",
    "that costs ten euros",
]


@given(st.text("ab cd.", max_size=12), st.text("ab cd.", max_size=12))
def test_character_f_is_that_of_sacrebleu(one: str, other: str) -> None:
    assume(one.strip() and other.strip())
    expected = CHRF().sentence_score(one, [other]).score / 100
    assert character_f(grams_of(one), grams_of(other)) == pytest.approx(expected, abs=1e-4)


def test_reply_like_its_own_truth_is_a_hit() -> None:
    replies = ["a small town by the sea", "olives on pizza", *["what do you mean?"] * 10]
    good = good_replies(replies, TRUTHS, HIT)
    assert good[:2].all()
    assert good.tolist() == good_replies(replies, TRUTHS, HIT).tolist()


def test_true_replies_are_good_in_either_meaning() -> None:
    for meant in MEANINGS:
        assert good_replies(TRUTHS, TRUTHS, meant).all()


def test_reply_like_nothing_or_the_same_to_all_is_no_hit() -> None:
    assert not good_replies(["###"] * len(TRUTHS), TRUTHS, HIT).any()
    assert not good_replies(["yes"] * 3, ["yes"] * 3, HIT).any()  # nothing to tell it from


def test_one_reply_to_everything_hits_as_chance_does() -> None:
    random = np.random.default_rng(3)
    letters = list("abcdefghij ")
    truths = ["".join(random.choice(letters, 30)) for _ in range(1000)]
    share = good_replies(["abcdefghij"] * len(truths), truths, HIT).mean()
    assert share == pytest.approx(1 / (OTHERS + 1), abs=0.03)


def test_exact_is_the_same_but_for_case_spaces_and_the_end() -> None:
    truths = ["At seven.", "At seven.", "At seven.", "你好。"]
    replies = ["at  seven", "AT SEVEN!", "at eleven.", "你好"]
    assert good_replies(replies, truths, EXACT).tolist() == [True, True, False, True]


@pytest.mark.parametrize(("known", "meant"), [(10, EXACT), (8, EXACT), (7, HIT), (0, HIT)])
def test_closed_set_of_answers_is_judged_exactly(known: int, meant: str) -> None:
    sightings = Sightings()
    for truth in TRUTHS[:known]:
        sightings.add(["?"], truth)
    assert meaning(TRUTHS[:10], sightings.seen()) == meant
