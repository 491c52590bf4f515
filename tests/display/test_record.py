from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from chatbot.display.record import json_line, reply_record
from chatbot.reply import Attention, Candidate, Reply, Word

REPLY = Reply(
    question="how are you",
    text="I'm\x07 fine",
    score=-1.2345678,
    truncated=True,
    candidates=(Candidate("I'm\x07 fine", -1.2345678), Candidate("ok", -2.0)),
    attention=Attention(
        source=(Word("how", 0, 3), Word("are", 4, 7), Word("you", 8, 11)),
        reply=(Word("I'm\x07", 0, 4), Word("fine", 5, 9)),
        weights=((0.1, 0.2, 0.7), (1 / 3, 1 / 3, 1 / 3)),
    ),
)


def test_record_holds_the_documented_names_in_order() -> None:
    record = reply_record(REPLY, checkpoint="tiny", seed=7, candidates=True, attention=True)
    names = "question reply score confidence fallback truncated candidates attention checkpoint seed"
    assert list(record) == names.split()
    assert list(record["attention"]) == ["source", "reply", "weights"]
    assert (record["checkpoint"], record["seed"], record["truncated"], record["fallback"]) == (
        "tiny",
        7,
        True,
        False,
    )


def test_record_leaves_out_what_was_not_asked_for() -> None:
    record = reply_record(REPLY, checkpoint="tiny", seed=0)
    assert "candidates" not in record
    assert "attention" not in record


def test_record_offsets_point_into_the_texts_as_printed() -> None:
    record = reply_record(REPLY, checkpoint="tiny", seed=0, attention=True)
    for side, text in (("source", record["question"]), ("reply", record["reply"])):
        words = record["attention"][side]
        assert [text[word["start"] : word["end"]] for word in words] == [word["text"] for word in words]
    assert record["reply"] == "I'm fine"


def test_record_rows_sum_to_one_after_rounding() -> None:
    weights = reply_record(REPLY, checkpoint="", seed=0, attention=True)["attention"]["weights"]
    assert all(abs(sum(row) - 1) < 1e-5 for row in weights)


def test_record_has_null_where_there_is_no_attention() -> None:
    assert reply_record(Reply("hi", "ho"), checkpoint="", seed=0, attention=True)["attention"] is None


def test_record_has_null_for_a_score_that_is_no_number() -> None:
    record = reply_record(Reply("hi", "", score=-math.inf), checkpoint="", seed=0)
    assert json.loads(json_line(record))["score"] is None


@given(st.text(st.characters(exclude_categories=())))
def test_json_line_is_one_harmless_line_that_reads_back(text: str) -> None:
    line = json_line({"question": text})
    assert len(line.splitlines()) == 1
    assert not set(line) & {"\x1b", "\x7f", "\x9b", "\u202e"}
    assert json.loads(line.encode("utf-8"))["question"] == text


def test_json_line_keeps_scripts_legible() -> None:
    assert json_line({"reply": "你好 😀"}) == '{"reply": "你好 😀"}'


def test_words_of_earlier_turns_name_their_turn() -> None:
    source = (Word("is", 0, 2, -1), Word("so", 0, 2))
    reply = Reply(
        "so", "yes", attention=Attention(source, (Word("yes", 0, 3),), ((0.5, 0.5),)), history=("is",)
    )
    record = reply_record(reply, checkpoint="tiny", seed=0, attention=True)
    assert record["history"] == ["is"]
    assert [word["turn"] for word in record["attention"]["source"]] == [-1, 0]
    assert "turn" not in record["attention"]["reply"][0]
    assert "history" not in reply_record(REPLY, checkpoint="tiny", seed=0)
