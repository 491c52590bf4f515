from __future__ import annotations

from itertools import pairwise

import pytest

from chatbot.corpus.conversation import Pair
from chatbot.evaluation.material import Material, Memory, chosen


def pairs(*texts: tuple[str, str]) -> list[Pair]:
    return [Pair((question,), reply, "talk") for question, reply in texts]


def numbered(count: int) -> list[Pair]:
    return pairs(*((f"question {n}", f"reply {n}") for n in range(count)))


def test_all_pairs_that_fit_are_chosen_where_there_is_no_limit() -> None:
    material = Material((("a", numbered(10)), ("b", numbered(5))), (), True)
    found = chosen(material, lambda some: [not pair.tgt.endswith("3") for pair in some], 0)
    assert (len(found.pairs), found.left_out, found.passed_over) == (13, 2, 0)
    assert found.corpora == ("a",) * 9 + ("b",) * 4


@pytest.mark.parametrize("most", [1, 7, 100, 9000])
def test_chosen_pairs_are_spread_over_all_that_fit(most: int) -> None:
    material = Material((("a", numbered(9001)),), (), True)  # more than a chunk
    found = chosen(material, lambda some: [int(pair.tgt.split()[1]) % 2 == 0 for pair in some], most)
    numbers = [int(pair.tgt.split()[1]) for pair in found.pairs]
    assert len(numbers) == len(set(numbers)) == min(most, 4501)
    assert found.passed_over == 4501 - len(numbers)
    assert all(number % 2 == 0 for number in numbers)
    gaps = [after - before for before, after in pairwise(numbers)]
    assert all(abs(gap - 9001 / len(numbers)) <= 4 for gap in gaps)


def test_nothing_fits_and_nothing_is_chosen() -> None:
    found = chosen(Material((("a", numbered(3)),), (), True), lambda some: [False] * len(some), 5)
    assert (found.pairs, found.left_out) == ((), 3)


def test_memory_knows_training_replies_whatever_their_case_and_space() -> None:
    memory = Memory(Material((), (pairs(("hi", "Good  day")),), True))
    assert memory.knows("good day")
    assert not memory.knows("good days")


def test_memory_looks_replies_up_and_falls_back_on_the_commonest() -> None:
    train = pairs(("are you there", "yes"), ("what is it", "rain"), ("do you hear", "Yes"), ("why", "no"))
    memory = Memory(Material((), (train[:2], train[2:]), True))
    assert memory.commonest == "yes"
    assert memory.look_up("What is it?") == "rain"
    assert memory.look_up("zebra") == "yes"
