"""The split hangs on a conversation's id and on nothing else."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.split import is_held_out

ids = st.sets(st.text(max_size=12), max_size=30)
shares = st.floats(0, 1)


def held_out(corpus: list[str], share: float) -> list[str]:
    return [name for name in corpus if is_held_out(name, share)]


@given(ids, ids, shares)
def test_adding_conversations_moves_no_other(old: set[str], new: set[str], share: float) -> None:
    before = set(held_out(sorted(old), share))
    after = set(held_out(sorted(old | new), share))
    assert after & old == before


@given(ids, shares, shares)
def test_larger_share_holds_out_what_a_smaller_one_does(corpus: set[str], one: float, other: float) -> None:
    small, large = sorted([one, other])
    assert set(held_out(sorted(corpus), small)) <= set(held_out(sorted(corpus), large))


@given(st.text())
def test_nothing_and_everything_are_held_out_at_the_ends(name: str) -> None:
    assert not is_held_out(name, 0.0)
    assert is_held_out(name, 1.0)


def test_share_is_kept_on_average() -> None:
    names = [f"talk-{number}" for number in range(20_000)]
    assert 0.045 < len(held_out(names, 0.05)) / len(names) < 0.055


def test_split_is_the_documented_hash() -> None:
    first = int(hashlib.sha256(b"greetings-1a2b").hexdigest()[:16], 16) / 2**64
    assert not is_held_out("greetings-1a2b", first * 0.999)
    assert is_held_out("greetings-1a2b", first * 1.001)
