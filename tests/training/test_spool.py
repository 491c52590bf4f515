"""Pairs in a file come out as they went in, as often as they are asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Pair
from chatbot.training import spool as module
from chatbot.training.spool import Each, Spool

TEXTS = st.text(max_size=9)
PAIRS = st.builds(
    Pair,
    st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    TEXTS,
    TEXTS,
    st.lists(st.booleans(), max_size=3).map(tuple),
)


def filled(folder: Path, pairs: list[Pair]) -> Spool:
    spool = Spool(folder)
    for pair in pairs:
        spool.append(pair)
    return spool


@given(pairs=st.lists(PAIRS, max_size=9), together=st.integers(1, 4))
def test_pairs_come_out_as_they_went_in(
    pairs: list[Pair], together: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", together)
        with filled(tmp_path_factory.mktemp("spool"), pairs) as spool:
            assert len(spool) == len(pairs)
            assert list(spool) == list(spool) == pairs


@given(first=st.lists(PAIRS, max_size=5), more=st.lists(PAIRS, max_size=5))
def test_pairs_may_be_added_after_reading(
    first: list[Pair], more: list[Pair], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with filled(tmp_path_factory.mktemp("spool"), first) as spool:
        assert list(spool) == first
        for pair in more:
            spool.append(pair)
        assert list(spool) == first + more
        assert len(spool) == len(first) + len(more)


def test_two_readers_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOGETHER", 2)
    pairs = [Pair((str(number),), "", "") for number in range(7)]
    with filled(tmp_path, pairs) as spool:
        assert list(zip(spool, spool, strict=True)) == list(zip(pairs, pairs, strict=True))


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    """Not even while a spool is open, where files may be without a name."""
    with filled(tmp_path, [Pair(("private",), "", "")]) as spool:
        list(spool)
        assert os.name != "posix" or not list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_function_is_applied_to_every_pair_each_time(tmp_path: Path) -> None:
    with (
        filled(tmp_path, [Pair(("a",), "b", "")]) as one,
        filled(tmp_path, []) as none,
        filled(tmp_path, [Pair(("c",), "d", "")]) as other,
    ):
        replies = Each([one, none, other], lambda pair: pair.tgt)
        assert list(replies) == list(replies) == ["b", "d"]
