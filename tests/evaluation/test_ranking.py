from __future__ import annotations

import numpy as np
import pytest

from chatbot.evaluation.ranking import CANDIDATES, drawn, hits


def test_hits_worked_out_by_hand() -> None:
    """The true reply comes first: it is the best, the third, and one of two second ones."""
    scores = np.array([[3.0, 1, 2, 0], [1.0, 3, 2, 0], [2.0, 3, 2, 0]])
    assert hits(scores, 1).tolist() == [1, 0, 0]
    assert hits(scores, 2).tolist() == [1, 0, 0.5]
    assert hits(scores, 3).tolist() == [1, 1, 1]


def test_ties_are_hit_as_often_as_by_lot() -> None:
    random = np.random.default_rng(0)
    scores = random.integers(0, 4, (30, CANDIDATES)).astype(float)
    broken = np.mean([hits(scores + random.random(scores.shape) * 1e-6, 5) for _ in range(3000)], axis=0)
    assert hits(scores, 5) == pytest.approx(broken, abs=0.04)


def test_who_finds_all_alike_hits_by_chance() -> None:
    assert hits(np.zeros((7, CANDIDATES)), 5) == pytest.approx(5 / CANDIDATES)


def test_candidates_are_the_true_reply_and_others_that_read_otherwise() -> None:
    replies = [f"Reply {number % 30}" for number in range(50)] + ["reply  0", "REPLY 1"]
    found = drawn(replies, seed=4)
    assert found is not None
    assert found.shape == (len(replies), CANDIDATES)
    for row, places in enumerate(found):
        texts = [" ".join(replies[place].casefold().split()) for place in places]
        assert places[0] == row
        assert len(set(texts)) == CANDIDATES


def test_draw_is_even_over_the_other_replies() -> None:
    replies = [str(number) for number in range(25)]
    counts = np.zeros((25, 25))
    for seed in range(400):
        found = drawn(replies, seed)
        assert found is not None
        for row, places in enumerate(found):
            counts[row, places[1:]] += 1
    others = counts[~np.eye(25, dtype=bool)] / 400
    assert others == pytest.approx(19 / 24, abs=0.12)


def test_draw_replays_with_its_seed() -> None:
    replies = [str(number) for number in range(40)]
    assert np.array_equal(drawn(replies, 1), drawn(replies, 1))  # type: ignore[arg-type]
    assert not np.array_equal(drawn(replies, 1), drawn(replies, 2))  # type: ignore[arg-type]


def test_too_few_replies_give_no_candidates() -> None:
    assert drawn(["same"] * 100, 0) is None
    assert drawn([str(number) for number in range(CANDIDATES - 1)], 0) is None
