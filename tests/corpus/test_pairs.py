"""Pairs cross speakers, overlap, and have no blank side."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import NOBODY, Conversation, Turn
from chatbot.corpus.pairs import is_blank, pairs_of

Talk = Callable[..., Conversation]


def sides(conversation: Conversation, context: int = 0) -> list[tuple[tuple[str, ...], str]]:
    return [(pair.src, pair.tgt) for pair in pairs_of(conversation, context)]


def test_messages_of_one_speaker_in_a_row_are_one_turn() -> None:
    turns = tuple(Turn(speaker, f"{speaker}{at}") for at, speaker in enumerate("ABBBAA"))
    assert sides(Conversation("x", "test", turns)) == [(("A0",), "B1 B2 B3"), (("B1 B2 B3",), "A4 A5")]


def test_odd_number_of_turns_gives_overlapping_pairs(talk: Talk) -> None:
    assert sides(talk("A1", "B1", "A2")) == [(("A1",), "B1"), (("B1",), "A2")]


def test_single_turn_gives_no_pair(talk: Talk) -> None:
    assert sides(talk("A1")) == []


def test_context_is_the_turns_before_the_question_oldest_first(talk: Talk) -> None:
    assert sides(talk("1", "2", "3", "4"), context=1) == [
        (("1",), "2"),
        (("1", "2"), "3"),
        (("2", "3"), "4"),
    ]


def test_pair_knows_its_conversation(talk: Talk) -> None:
    assert [pair.conversation for pair in pairs_of(talk("a", "b", id="x7"))] == ["x7"]


def test_turns_that_have_a_time_stay_as_they_were_read() -> None:
    turns = Turn("A", "one", "2024-01-01"), Turn("A", "two", "2024-01-02"), Turn("B", "three", "2024-01-03")
    assert sides(Conversation("x", "test", turns)) == [(("two",), "three")]


def test_only_replies_of_one_speaker_are_wanted() -> None:
    talk = Conversation(
        "x", "test", tuple(Turn(speaker, speaker + str(at)) for at, speaker in enumerate("ABCB"))
    )
    assert [(pair.src, pair.tgt) for pair in pairs_of(talk, me="B")] == [(("A0",), "B1"), (("C2",), "B3")]


def test_turn_answers_the_turn_it_names_and_context_follows() -> None:
    turns = (
        Turn("A", "tea?"),
        Turn("B", "news?"),
        Turn("C", "yes", to=0),
        Turn("D", "none", to=1),
        Turn("A", "here you are", to=2),
        Turn("B", "who asks?", to=NOBODY),
    )
    assert sides(Conversation("x", "test", turns), context=2) == [
        (("tea?",), "news?"),
        (("tea?",), "yes"),
        (("tea?", "news?"), "none"),
        (("tea?", "yes"), "here you are"),
    ]


def test_pair_knows_which_turns_are_the_repliers_own(talk: Talk) -> None:
    assert [pair.own for pair in pairs_of(talk("a", "b", "c"), context=1)] == [(), (True, False)]


@pytest.mark.parametrize("blank", ["", " \t", "\u200b", "\ufeff", "\u2028", "\u202a\u202c", "\a"])
def test_blank_turn_is_as_if_never_said(blank: str, talk: Talk) -> None:
    assert sides(talk("one", blank, "more of one", "two")) == [(("one more of one",), "two")]


@pytest.mark.parametrize("text", ["a", "😀", "好", ".", "\u0301", "👩\u200d👧"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)


speakers_and_texts = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["hi", "you", " ", ""])))


@given(speakers_and_texts, st.integers(0, 3))
def test_every_turn_but_the_first_is_a_reply_once(said: list[tuple[str, str]], context: int) -> None:
    pairs = sides(Conversation("x", "test", tuple(Turn(*turn) for turn in said)), context)
    heard = [speaker for speaker, text in said if text.strip()]
    runs = sum(one != other for one, other in pairwise(heard))
    assert len(pairs) == runs
    assert all(tgt.strip() and all(text.strip() for text in src) for src, tgt in pairs)
    assert all(len(src) == min(context + 1, at) for at, (src, _) in enumerate(pairs, start=1))
