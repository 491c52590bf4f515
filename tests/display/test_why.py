"""Where a reply comes from, in words."""

from __future__ import annotations

from dataclasses import replace

from chatbot.display.record import json_line, reply_record
from chatbot.display.why import why_lines
from chatbot.reply import Reply
from chatbot.trust.nearest import Nearest
from chatbot.trust.why import Why

PAIR = Nearest("how\x1b[2J are\nyou", "fine\u202e", 0.931)
REPLY = Reply("hi", "hello", confidence=0.456, why=Why((PAIR,), verbatim=False))


def test_lines_say_how_sure_whether_word_for_word_and_what_is_near() -> None:
    assert why_lines(REPLY) == [
        "  confidence 0.46",
        "  not word for word a reply of the training data",
        "   0.93  how[2J are you  ->  fine",
    ]


def test_line_of_the_fallback_says_which_it_is() -> None:
    unsure = replace(REPLY, fallback=True, why=Why((), verbatim=False))
    assert why_lines(unsure)[1] == "  the fallback: the confidence is below the threshold"
    unmet = replace(unsure, confidence=None)
    assert why_lines(unmet) == ["  the fallback: no word of the question was met in training"]


def test_checkpoint_that_keeps_nothing_says_so() -> None:
    empty = Reply("hi", "hello", why=Why((), verbatim=None))
    assert why_lines(empty) == ["  this checkpoint keeps nothing of its training data"]


def test_nothing_is_shown_that_was_not_asked_for_or_for_no_reply() -> None:
    assert why_lines(replace(REPLY, why=None)) == []
    assert why_lines(replace(REPLY, text="")) == []


def test_record_holds_confidence_always_and_why_where_asked_for() -> None:
    record = reply_record(REPLY, checkpoint="", seed=0)
    assert record["confidence"] == 0.456
    assert record["why"]["verbatim"] is False
    assert record["why"]["pairs"][0]["similarity"] == 0.931
    assert "\x1b" not in json_line(record)
    assert reply_record(Reply("hi", "ho"), checkpoint="", seed=0)["confidence"] is None
