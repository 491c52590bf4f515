"""IRC: what the cases do not show."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.corpus.formats import irc
from chatbot.corpus.formats.irc_days import Days
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message


def messages(path: Path, reading: Reading) -> list[Message]:
    return [message for talk in irc.read(Part(path), reading) for message in talk.messages]


def test_lines_that_fit_nothing_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "tea.log"
    path.write_text("[21:25] <ann> hello\nwhat is this\n[25:61] <ann> no such time\n\n[21:26] <bob> hi\n")
    reading = Reading(pytest.fail)
    assert [message.text for message in messages(path, reading)] == ["hello", "hi"]
    assert reading.not_understood == 2
    assert reading.first == f"{path}:2: what is this"


def test_messages_come_while_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tea.log"
    path.write_text("[21:25] <ann> hello\n" * 1000)
    reading = Reading(pytest.fail)
    talk = next(irc.read(Part(path), reading))
    next(iter(talk.messages))
    assert reading.lines < 10


@pytest.mark.parametrize("sign", ["", "@", "+", "%", "&", "~", "!", " "])
def test_sign_of_rank_is_no_part_of_a_nick(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "tea.log"
    path.write_text(f"[21:25] <{sign}ann> hello\n")
    assert [message.speaker for message in messages(path, Reading(pytest.fail))] == ["ann"]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("ann: hi", ("ann",)),
        ("ann, hi", ("ann",)),
        ("ann; hi", ("ann",)),
        ("ann-> hi", ("ann",)),
        ("@ann hi", ("ann",)),
        ("ANN: hi", ("ann",)),
        ("ann hi", ()),
        ("hi ann", ()),
        ("hello: ann", ()),
        ("bob: I talk to myself", ()),
        (":)", ()),
        ("", ()),
    ],
)
def test_addressed_is_a_nick_that_was_there(text: str, mentions: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "tea.log"
    path.write_text(f"[21:25] <ann> hello\n[21:25] <bob> {text}\n")
    message = messages(path, Reading(pytest.fail))[1]
    assert (message.text, message.mentions) == (text, mentions)


@pytest.mark.parametrize(
    "heading",
    [
        "Mon Jan 15 21:20:00 2024",
        "Mon Jan 15 2024",
        "Monday January 15 2024",
        "Mon 15 Jan 2024",
        "2024-01-15",
    ],
)
def test_heading_names_a_day(heading: str) -> None:
    days = Days()
    days.heading(heading)
    assert days.at(None, "9:05") == datetime(2024, 1, 15, 9, 5)


def test_heading_that_names_no_day_changes_nothing() -> None:
    days = Days()
    days.heading("2024-01-15")
    days.heading("Mon Foo 99 2024")
    days.heading("2024-02-31")
    assert days.at(None, "9:05") == datetime(2024, 1, 15, 9, 5)


def test_clock_that_starts_again_is_the_next_day_and_one_set_back_an_hour_is_not() -> None:
    days = Days()
    clocks = ["23:10", "22:40", "0:05", "23:00", "22:59"]
    found = [days.at(None, clock) for clock in clocks]
    assert [when.day for when in found if when is not None] == [1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    "lines",
    [
        ("Hello", "Hi there"),
        ("<p>", "Some <b>text</b>", "</p>"),
        ("21:25\tAnn\tHello", "21:26\tBob\tHi"),
        ("2004-11-23T11:49:00.000Z\tann\tbob\thello", "2004-11-23T11:50:00.000Z\tbob\tann\thi"),
        ("* one", "* two things", "* three"),
        ("--- a/file.py", "+++ b/file.py", "-old line", "+new line"),
        ("--> to do", "--> done"),
        ("[24/12/23, 18:00] Ann: hi", "[24/12/23, 18:01] Bob: hi"),
    ],
)
def test_other_texts_are_not_taken_for_irc(lines: tuple[str, ...]) -> None:
    assert not irc.looks_like(Head(Path("x"), lines))


PIECES = st.sampled_from(
    [
        "[21:25]",
        " ",
        "<ann>",
        "* ",
        "*** ",
        "-!- ",
        "-ann- ",
        "\t",
        "\n",
        "--> ",
        "2024-01-15 ",
        "Jan 15 ",
        "(a@b)",
        "has joined",
        "--- Log opened ",
        "Session Start: ",
        "99",
        "is now known as",
        "Feb 29 0001",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(deadline=None)
def test_any_text_is_read_without_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.log"
    path.write_text(text, encoding="utf-8")
    reading = Reading(lambda notice: None)
    read = messages(path, reading)
    irc.looks_like(Head(path, tuple(text.split("\n"))))
    assert len(read) + reading.not_understood <= text.count("\n") + 1
