"""Statistics against numbers counted by hand."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.statistics import reply_statistics, script_of, statistics_of, words_of

Talk = Callable[..., Conversation]


def test_distinct_counts_words_and_runs_of_two() -> None:
    """Words: the cat sat the cat ran (4 of 6 differ); runs: the-cat cat-sat the-cat cat-ran (3 of 4)."""
    found = reply_statistics(["The cat sat", "the cat ran"])
    assert (found.distinct1, found.distinct2) == (4 / 6, 3 / 4)


def test_commonest_replies_come_with_their_share() -> None:
    found = reply_statistics(["Yes", "no", "yes ", "YES"])
    assert [(reply.name, reply.count, reply.share) for reply in found.commonest] == [
        ("yes", 3, 0.75),
        ("no", 1, 0.25),
    ]


def test_no_reply_is_no_division() -> None:
    found = reply_statistics([])
    assert (found.count, found.distinct1, found.distinct2, found.commonest) == (0, 0, 0, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm fine, thanks.", ["I'm", "fine,", "thanks."]),
        ("我很好 ok吗", ["我", "很", "好", "ok", "吗"]),
        ("ひらカタ", ["ひ", "ら", "カ", "タ"]),
        ("да\u00a0нет", ["да", "нет"]),
        (" ", []),
    ],
)
def test_words_are_white_space_words_or_unspaced_characters(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("hello да", "Latin script"),
        ("привет ok", "Cyrillic script"),
        ("你好 hi 吗", "Han script"),
        ("नमस्ते", "Devanagari script"),
        ("12 :)", "no letters"),
    ],
)
def test_script_is_what_most_letters_are_of(text: str, script: str) -> None:
    assert script_of(text) == script


def test_statistics_of_a_small_corpus(talk: Talk) -> None:
    talks = [
        talk("Hi", "Hello you", "Bye", language="en"),
        talk("hi", "hello you", id="b", language="en"),
        talk("привет", id="c"),
    ]
    found = statistics_of(talks)
    assert (found.cleaning.conversations, found.cleaning.turns, found.cleaning.one_turn) == (3, 6, 1)
    assert (found.cleaning.pairs, found.cleaning.kept, found.replies.count) == (3, 2, 2)
    assert [(share.name, share.count) for share in found.languages] == [("en", 2), ("Cyrillic script", 1)]
    assert found.words_per_turn == 8 / 6
    assert {(pair.src[0], pair.tgt) for pair in found.examples} == {("Hi", "Hello you"), ("Hello you", "Bye")}


def test_examples_do_not_hang_on_the_order(talk: Talk) -> None:
    talks = [talk(f"question {at}", f"answer {at}", id=str(at)) for at in range(200)]
    there, back = statistics_of(talks), statistics_of(talks[::-1])
    assert len(there.examples) == 5
    assert there.examples == back.examples


def test_statistics_are_plain_json(talk: Talk) -> None:
    record = json.loads(json.dumps(statistics_of([talk("Hi", "Hello")]).to_json()))
    assert record["cleaning"]["pairs"] == 1
    assert record["examples"] == [{"src": ["Hi"], "tgt": "Hello", "conversation": "talk", "own": []}]
