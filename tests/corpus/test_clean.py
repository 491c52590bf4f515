"""Each pair once, no reply too often, everything counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.clean import Cleaner, clean
from chatbot.corpus.conversation import Conversation, Turn

Talk = Callable[..., Conversation]


def numbered(pairs: list[tuple[str, str]]) -> list[Conversation]:
    return [
        Conversation(f"c{at}", "test", (Turn("A", src), Turn("B", tgt)))
        for at, (src, tgt) in enumerate(pairs)
    ]


def test_copies_of_ten_pairs_are_ten_pairs(talk: Talk) -> None:
    talks = [talk(f"question {at % 10}", f"answer {at % 10}", id=f"c{at}") for at in range(1050)]
    pairs, cleaning = clean(talks)
    assert [pair.conversation for pair in pairs] == [f"c{at}" for at in range(10)]
    assert (cleaning.kept, cleaning.duplicates, cleaning.pairs) == (10, 1040, 1050)


def test_case_white_space_and_spelled_accents_make_no_difference() -> None:
    pairs, cleaning = clean(numbered([("Café?", "Yes, I do"), ("cafe\u0301?", " yes,\tI  DO ")]))
    assert [pair.tgt for pair in pairs] == ["Yes, I do"]
    assert cleaning.duplicates == 1


def test_punctuation_and_other_replies_make_a_difference() -> None:
    pairs, _ = clean(numbered([("Hi", "Yes"), ("Hi", "Yes."), ("Hi!", "Yes"), ("Hi", "No")]))
    assert len(pairs) == 4


def test_reply_cap_keeps_the_first_and_counts_the_rest() -> None:
    pairs, cleaning = clean(numbered([(f"q{at}", "I don't know") for at in range(9)]), reply_cap=2)
    assert [pair.src for pair in pairs] == [("q0",), ("q1",)]
    assert (cleaning.kept, cleaning.capped) == (2, 7)


def test_counts_of_conversations_turns_blanks_and_echoes(talk: Talk) -> None:
    talks = [talk("Hello"), talk("Hi", "hi "), talk("a", " ", "b", "c", id="x"), talk("\u200b", id="y")]
    _, cleaning = clean(talks)
    assert (cleaning.conversations, cleaning.turns) == (4, 8)
    assert (cleaning.one_turn, cleaning.blank, cleaning.echo) == (2, 2, 1)
    assert cleaning.kept == 2


def test_pair_of_an_earlier_corpus_is_a_duplicate_but_replies_are_counted_anew() -> None:
    cleaner = Cleaner(reply_cap=1)
    first = list(cleaner.pairs(numbered([("Hi", "Hello"), ("Hey", "Hello")])))
    second = list(cleaner.pairs(numbered([("hi", "hello"), ("Good day", "Hello")])))
    assert [pair.src[0] for pair in first + second] == ["Hi", "Good day"]
    assert (cleaner.cleaning.duplicates, cleaner.cleaning.capped) == (1, 1)


def test_cleaner_does_not_read_ahead(talk: Talk) -> None:
    read: list[str] = []

    def stream() -> object:
        for name in "abc":
            read.append(name)
            yield talk(name, f"reply to {name}", id=name)

    next(Cleaner().pairs(stream()))
    assert read == ["a"]


few = st.lists(st.tuples(st.sampled_from(["Hi", "hi", "Why"]), st.sampled_from(["Yes", "yes", "No"])))


@given(few, st.integers(0, 3))
def test_clean_agrees_with_a_naive_twin(said: list[tuple[str, str]], cap: int) -> None:
    seen: list[tuple[str, str]] = []
    replies: Counter[str] = Counter()
    expected = []
    for src, tgt in said:
        key = (src.lower(), tgt.lower())
        if key not in seen:
            seen.append(key)
            replies[key[1]] += 1
            if not cap or replies[key[1]] <= cap:
                expected.append(((src,), tgt))
    pairs, cleaning = clean(numbered(said), reply_cap=cap)
    assert [(pair.src, pair.tgt) for pair in pairs] == expected
    assert cleaning.pairs == len(said)


@pytest.mark.parametrize("context", [1, 2])
def test_same_words_after_another_turn_are_a_duplicate_only_without_context(context: int, talk: Talk) -> None:
    _, cleaning = clean([talk("a", "b", "c"), talk("x", "b", "c", id="y")], context)
    assert cleaning.duplicates == {1: 1, 2: 0}[context]
