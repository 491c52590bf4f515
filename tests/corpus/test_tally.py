"""Tally against collections.Counter."""

from __future__ import annotations

import sys
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.tally import Tally, fingerprint

LARGEST = 2**64 - 1
few = st.lists(st.sampled_from([0, 1, 1024, 2048, 2**63, LARGEST]))
any_number = st.lists(st.integers(0, LARGEST))
texts = st.lists(st.text(max_size=5), max_size=4)


@given(few | any_number)
def test_tally_counts_as_a_counter_does(fingerprints: list[int]) -> None:
    tally, counter = Tally(), Counter[int]()
    for number in fingerprints:
        counter[number] += 1
        assert tally.add(number) == counter[number]
    assert len(tally) == len(counter)
    assert {number: tally.count(number) for number in counter} == counter


def test_tally_counts_nothing_of_what_never_came() -> None:
    tally = Tally()
    tally.add(1)
    assert (tally.count(0), tally.count(1 + 2**32), len(tally)) == (0, 0, 1)


def test_tally_remembers_through_growing() -> None:
    numbers = [fingerprint(str(number)) for number in range(20_000)]
    tally = Tally()
    for number in [*numbers, *numbers[::3]]:
        tally.add(number)
    assert len(tally) == 20_000
    assert [tally.count(number) for number in numbers] == [2 - bool(at % 3) for at in range(20_000)]


def test_tally_counts_what_wraps_past_the_last_slot() -> None:
    """All belong into the last slot."""
    numbers = [LARGEST - (number << 20) for number in range(2_000)]
    tally = Tally()
    assert [tally.add(number) for number in numbers + numbers] == [1] * 2_000 + [2] * 2_000


def test_tally_counts_beyond_a_byte() -> None:
    tally = Tally()
    assert [tally.add(7) for _ in range(1_000)] == list(range(1, 1_001))
    assert tally.count(7) == 1_000
    for number in range(5_000):
        tally.add(fingerprint(str(number)))
    assert tally.add(7) == 1_001


def test_tally_takes_less_than_31_bytes_for_each() -> None:
    tally = Tally()
    for number in range(10_000):
        tally.add(fingerprint(str(number)))
        if number > 1_000:
            assert sys.getsizeof(tally._keys) + sys.getsizeof(tally._counts) < 31 * len(tally)


@given(texts, texts)
def test_fingerprints_are_equal_where_the_texts_are(one: list[str], other: list[str]) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)


def test_fingerprint_tells_where_a_text_ends() -> None:
    cases = [("a", "b"), ("ab",), ("ab", ""), ("", "ab"), (), ("",), ("1:a", ""), ("1:", "a")]
    assert len({fingerprint(*case) for case in cases}) == len(cases)


def test_fingerprint_is_the_same_everywhere() -> None:
    """What ``printf '5:h\\303\\251j!2:ok' | b2sum -l 64`` gives."""
    assert fingerprint("héj!", "ok").to_bytes(8, "little").hex() == "f7a443757ba98ecf"


def test_fingerprint_takes_halves_of_surrogate_pairs() -> None:
    assert fingerprint("\ud800") != fingerprint("\ud801")
