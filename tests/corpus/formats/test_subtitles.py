"""Subtitles that are broken, and the names they may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats import subtitles
from chatbot.corpus.formats.cue import speeches
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part

CASES = Path(__file__).parent / "subtitles"


def test_subtitles_count_the_lines_of_broken_blocks() -> None:
    reading = Reading(lambda notice: None)
    list(subtitles.read(Part(CASES / "broken" / "input.srt"), reading))
    assert reading.not_understood == 5  # the number, time and text of one block, a stray line, a last number
    assert reading.first.endswith(":5: 2")


def test_subtitles_count_no_line_of_a_good_file() -> None:
    for case in ("webvtt", "numbers_missing_or_wrong", "tags_and_coordinates"):
        (path,) = (CASES / case).glob("input.*")
        reading = Reading(lambda notice: None)
        list(subtitles.read(Part(path), reading))
        assert reading.not_understood == 0, case


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["ÉLISE : Bonjour"], [("ÉLISE", "Bonjour")]),
        (["ANNA-LENA: Hallo"], [("ANNA-LENA", "Hallo")]),
        (["ANN:", "Hello"], [("ANN", "Hello")]),
        (["ANN: Hi", "BO: Ho"], [("ANN", "Hi"), ("BO", "Ho")]),
        (["I: said so: often"], [("I", "said so: often")]),
        (
            ["A NAME THAT IS MUCH TOO LONG TO BE ONE: no"],
            [("", "A NAME THAT IS MUCH TOO LONG TO BE ONE: no")],
        ),
        ([">> Hello.", ">> Hi."], [("", "Hello."), ("", "Hi.")]),
        (["Wait - what?"], [("", "Wait - what?")]),
        (["-Well, well-known. - Yes."], [("", "Well, well-known."), ("", "Yes.")]),
        (["<i></i>", "  "], []),
        (["-"], []),
    ],
)
def test_cue_gives_its_speeches(lines: list[str], expected: list[tuple[str, str]]) -> None:
    assert [(speech.speaker, speech.text) for speech in speeches(lines)] == expected


@given(st.lists(st.text(st.sampled_from("-–>< [](){}♪#*:.aB\\v&;\u200e"), max_size=12), max_size=4))
def test_cue_of_anything_has_speeches_with_text(lines: list[str]) -> None:
    assert all(speech.text.strip() for speech in speeches(lines))


def test_subtitles_are_told_by_a_line_of_times() -> None:
    assert subtitles.looks_like(Head(Path("a"), ("1", "00:00:01,000 --> 00:00:02,000", "Hi")))
    assert subtitles.looks_like(Head(Path("a"), ("WEBVTT", "Hi")))
    assert not subtitles.looks_like(Head(Path("a"), ("Ann --> Bo", "see you at 10:30 --> 11:00 or so")))
