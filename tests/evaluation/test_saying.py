"""Figures of replies worked out by hand."""

from __future__ import annotations

import math

import pytest

from chatbot.evaluation.bleu import bleu, bleu_sums, chrf, chrf_sums
from chatbot.evaluation.resampling import Sums
from chatbot.evaluation.saying import PEOPLE, Said, commonest_share, entropy, figures

REPLIES = ["I see", "i  see", "yes of course", "what now"]
QUESTIONS = ["hello", "I SEE", "ready", "what next"]
REFERENCES = ["I see it", "no", "yes of course", "nothing at all here"]


def figure(name: str, said: Said, **others: list[str]) -> tuple[float | None, dict[str, float]]:
    found = next(each for each in figures(said, others, seed=0) if each.name == name)
    return found.value, dict(found.baselines)


@pytest.mark.parametrize(
    ("name", "value", "people"),
    [
        ("distinct_1", 7 / 9, 1.0),  # "i" and "see" are there twice
        ("distinct_2", 4 / 5, 1.0),
        ("reply_entropy", 1.5, 2.0),  # ½ · 1 + 2 · ¼ · 2
        ("commonest_reply", 0.5, 0.25),
        ("question_copied", 0.25, 0.0),
    ],
)
def test_figure_worked_out_by_hand(name: str, value: float, people: float) -> None:
    found, baselines = figure(name, Said(REPLIES, QUESTIONS, REFERENCES))
    assert found == pytest.approx(value)
    assert baselines[PEOPLE] == pytest.approx(people)


def test_length_ratio_is_of_all_words() -> None:
    assert figure("length_ratio", Said(REPLIES, QUESTIONS, REFERENCES))[0] == pytest.approx(9 / 11)


def test_copies_of_training_replies_are_counted_where_those_are_known() -> None:
    said = Said(REPLIES, QUESTIONS, REFERENCES, lambda text: text.casefold().split() == ["i", "see"])
    value, beside = figure("training_copied", said, lookup=["I see"] * 4)
    assert (value, beside) == (0.5, {"lookup": 1.0, PEOPLE: 0.0})
    names = [each.name for each in figures(Said(REPLIES, QUESTIONS, REFERENCES), {}, 0)]
    assert "training_copied" not in names


def test_entropy_is_between_one_reply_for_all_and_one_each() -> None:
    assert entropy(["yes"] * 8) == 0
    assert entropy([str(number) for number in range(8)]) == pytest.approx(math.log2(8))
    assert commonest_share(["a", "b", "A "]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("whole", "summed"), [(bleu, bleu_sums), (chrf, chrf_sums)])
def test_overlap_made_of_sums_is_sacrebleus(whole: object, summed: object) -> None:
    replies = ["the cat sat on the mat", "it is raining again today", "no", ""]
    references = ["the cat is on the mat", "it is raining cats today", "no", "hello there"]
    found: Sums = summed(replies, references)  # type: ignore[operator]
    assert found.value == pytest.approx(whole(replies, references).score)  # type: ignore[operator]
    some = [2, 0, 0, 1]
    chosen = Sums(found.parts[some], found.score)
    again = whole([replies[row] for row in some], [references[row] for row in some])  # type: ignore[operator]
    assert chosen.value == pytest.approx(again.score)
