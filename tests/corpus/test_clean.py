"""Each pair once, no reply too often, everything counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.clean import REASONS, Cleaner, clean
from chatbot.corpus.conversation import Conversation, Pair, Turn
from chatbot.corpus.options import DataOptions
from chatbot.errors import OptionError

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
    said = numbered([("Hi", "Yes"), ("Hi", "Yes."), ("Hi!", "Yes"), ("Hi", "No")])
    pairs, _ = clean(said, DataOptions(near_duplicates=True))
    assert len(pairs) == 4


def test_near_duplicates_are_left_out_unless_they_are_wanted() -> None:
    said = numbered([("Are you ok?", "Yes I am"), ("are you ok ??", "yes, I am!"), ("Are you ok?", "No")])
    pairs, cleaning = clean(said)
    assert [pair.tgt for pair in pairs] == ["Yes I am", "No"]
    assert cleaning.near_duplicates == 1


def test_reply_cap_keeps_the_first_and_counts_the_rest() -> None:
    pairs, cleaning = clean(
        numbered([(f"q{at}", "I don't know") for at in range(9)]), DataOptions(reply_cap=2)
    )
    assert [pair.src for pair in pairs] == [("q0",), ("q1",)]
    assert (cleaning.kept, cleaning.capped) == (2, 7)


def test_counts_of_conversations_turns_blanks_and_echoes(talk: Talk) -> None:
    talks = [talk("Hello"), talk("Hi", "hi "), talk("a", " ", "b", "c", id="x"), talk("\u200b", id="y")]
    _, cleaning = clean(talks)
    assert (cleaning.conversations, cleaning.turns) == (4, 8)
    assert (cleaning.one_turn, cleaning.blank, cleaning.echo) == (2, 2, 1)
    assert cleaning.kept == 2


def test_pair_of_an_earlier_corpus_is_a_duplicate_but_replies_are_counted_anew() -> None:
    cleaner, options = Cleaner(), DataOptions(reply_cap=1)
    first = list(cleaner.pairs(numbered([("Hi", "Hello"), ("Hey", "Hello")]), options))
    second = list(cleaner.pairs(numbered([("hi", "hello"), ("Good day", "Hello")]), options))
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
    pairs, cleaning = clean(numbered(said), DataOptions(reply_cap=cap))
    assert [(pair.src, pair.tgt) for pair in pairs] == expected
    assert cleaning.pairs == len(said)


@pytest.mark.parametrize("context", [0, 1])
def test_same_words_after_another_turn_are_a_duplicate_only_without_context(context: int, talk: Talk) -> None:
    _, cleaning = clean([talk("a", "b", "c"), talk("x", "b", "c", id="y")], DataOptions(context=context))
    assert cleaning.duplicates == {0: 1, 1: 0}[context]


LONG = "where did you put the keys of the car"


@pytest.mark.parametrize(
    ("options", "src", "tgt", "reason"),
    [
        (DataOptions(min_words=2), "how are you", "fine", "short"),
        (DataOptions(min_words=2), "how", "fine thanks", "short"),
        (DataOptions(max_words=3), "how are you", "I am very well", "long"),
        (DataOptions(max_words=3), "你好吗朋友", "好", "long"),
        (DataOptions(scripts="Latin"), "как дела", "fine", "script"),
        (DataOptions(scripts="latin,cyrillic"), "как дела", "fine", "kept"),
        (
            DataOptions(languages="en"),
            "how are you doing this morning",
            "ganz gut, und wie geht es dir heute",
            "language",
        ),
        (
            DataOptions(languages="en,de"),
            "how are you doing this morning",
            "ganz gut, und wie geht es dir",
            "kept",
        ),
        (DataOptions(), LONG, LONG.upper(), "echoed"),
        (DataOptions(echoes=True), LONG, LONG.upper(), "kept"),
        (DataOptions(), "good morning", "Good morning", "kept"),
    ],
)
def test_filter_leaves_out_what_it_is_for_and_says_why(
    options: DataOptions, src: str, tgt: str, reason: str
) -> None:
    rejected: list[tuple[Pair, str]] = []
    cleaner = Cleaner()
    kept = list(cleaner.pairs(numbered([(src, tgt)]), options, lambda *both: rejected.append(both)))
    assert (len(kept), [why for _, why in rejected]) == ((1, []) if reason == "kept" else (0, [reason]))
    assert getattr(cleaner.cleaning, reason) == 1
    assert list(cleaner.cleaning.left_out()) == ([] if reason == "kept" else [REASONS[reason]])


@pytest.mark.parametrize("options", [DataOptions(scripts="Latn?"), DataOptions(languages="english?")])
def test_unknown_script_or_language_is_an_option_error(options: DataOptions) -> None:
    with pytest.raises(OptionError):
        clean(numbered([("a", "b")]), options)
