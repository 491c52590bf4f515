"""Pairs cross speakers, overlap, and have no blank side."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.pairs import is_blank, pairs_of

Talk = Callable[..., Conversation]


def sides(conversation: Conversation, context: int = 1) -> list[tuple[tuple[str, ...], str]]:
    return [(pair.src, pair.tgt) for pair in pairs_of(conversation, context)]


def test_messages_of_one_speaker_in_a_row_are_one_turn() -> None:
    turns = tuple(Turn(speaker, f"{speaker}{at}") for at, speaker in enumerate("ABBBAA"))
    assert sides(Conversation("x", "test", turns)) == [(("A0",), "B1 B2 B3"), (("B1 B2 B3",), "A4 A5")]


def test_odd_number_of_turns_gives_overlapping_pairs(talk: Talk) -> None:
    assert sides(talk("A1", "B1", "A2")) == [(("A1",), "B1"), (("B1",), "A2")]


def test_single_turn_gives_no_pair(talk: Talk) -> None:
    assert sides(talk("A1")) == []


def test_context_is_the_turns_before_the_reply_oldest_first(talk: Talk) -> None:
    assert sides(talk("1", "2", "3", "4"), context=2) == [
        (("1",), "2"),
        (("1", "2"), "3"),
        (("2", "3"), "4"),
    ]


def test_pair_knows_its_conversation(talk: Talk) -> None:
    assert [pair.conversation for pair in pairs_of(talk("a", "b", id="x7"))] == ["x7"]


@pytest.mark.parametrize("blank", ["", " \t", "\u200b", "\ufeff", "\u2028", "\u202a\u202c", "\a"])
def test_blank_turn_is_as_if_never_said(blank: str, talk: Talk) -> None:
    assert sides(talk("one", blank, "more of one", "two")) == [(("one more of one",), "two")]


@pytest.mark.parametrize("text", ["a", "😀", "好", ".", "\u0301", "👩\u200d👧"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)


speakers_and_texts = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["hi", "you", " ", ""])))


@given(speakers_and_texts, st.integers(1, 4))
def test_every_turn_but_the_first_is_a_reply_once(said: list[tuple[str, str]], context: int) -> None:
    pairs = sides(Conversation("x", "test", tuple(Turn(*turn) for turn in said)), context)
    heard = [speaker for speaker, text in said if text.strip()]
    runs = sum(one != other for one, other in pairwise(heard))
    assert len(pairs) == runs
    assert all(tgt.strip() and all(text.strip() for text in src) for src, tgt in pairs)
    assert all(len(src) == min(context, at) for at, (src, _) in enumerate(pairs, start=1))
