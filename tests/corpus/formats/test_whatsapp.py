"""WhatsApp: what the cases do not show."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.corpus.formats import whatsapp
from chatbot.corpus.formats.clock import time_of
from chatbot.corpus.formats.date_order import DateOrder
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SAID, Message

STYLES = [
    "{d.day:02}/{d.month:02}/{d.year}, {d.hour:02}:{d.minute:02} - {who}: {text}",
    "{d.day:02}/{d.month:02}/{y:02}, {d.hour:02}:{d.minute:02} - {who}: {text}",
    "{d.month}/{d.day}/{y:02}, {h12}:{d.minute:02}\u202f{half} - {who}: {text}",
    "[{d.day:02}.{d.month:02}.{y:02}, {d.hour:02}:{d.minute:02}:{d.second:02}] {who}: {text}",
    "[{d.year}/{d.month:02}/{d.day:02} {d.hour:02}:{d.minute:02}:{d.second:02}] {who}: {text}",
    "{d.day}.{d.month}.{d.year} klo {d.hour}.{d.minute:02} - {who}: {text}",
    "{d.day:02}.{d.month:02}.{y:02} {d.hour:02}.{d.minute:02}.{d.second:02}: {who}: {text}",
    "{d.year}-{d.month:02}-{d.day:02}, {d.hour:02}:{d.minute:02} - {who}: {text}",
]


def messages(path: Path, reading: Reading) -> list[Message]:
    (talk,) = whatsapp.read(Part(path), reading)
    return list(talk.messages)


def styled(style: str, when: datetime, who: str, text: str) -> str:
    half = "AM" if when.hour < 12 else "PM"
    h12 = when.hour % 12 or 12
    return style.format(d=when, y=when.year % 100, h12=h12, half=half, who=who, text=text)


@pytest.mark.parametrize("style", STYLES)
def test_year_of_messages_reads_as_it_was_written(style: str, tmp_path: Path) -> None:
    said = [
        (datetime(2023, 2, 3, 22, 58, 7) + at * timedelta(hours=31, minutes=17), "AB"[at % 2], f"t{at}")
        for at in range(300)
    ]
    path = tmp_path / "chat.txt"
    path.write_text("".join(styled(style, *each) + "\n" for each in said), encoding="utf-8")
    head = Head(path, tuple(path.read_text(encoding="utf-8").split("\n")[:-1]))
    assert whatsapp.looks_like(head)
    seconds = "second" in style
    expected = [
        Message(who, text, when if seconds else when.replace(second=0), SAID) for when, who, text in said
    ]
    assert messages(path, Reading(pytest.fail)) == expected


@given(
    st.lists(st.dates(datetime(2010, 1, 1).date(), datetime(2030, 12, 31).date()), min_size=60, max_size=60),
    st.sampled_from(["{0.day}/{0.month}/{1:02}", "{0.month}/{0.day}/{1:02}", "{0.year}-{0.month}-{0.day}"]),
)
@settings(deadline=None, max_examples=60)
def test_order_of_sorted_dates_is_found_where_the_numbers_tell(days, form) -> None:
    order = DateOrder()
    days = sorted(days)
    if not any(day.day > 12 for day in days):
        return
    for day in days:
        order.note(form.format(day, day.year % 100))
    assert [order.day_of(form.format(day, day.year % 100)) for day in days] == days


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("0:05", 0, 5),
        ("12:05 AM", 0, 5),
        ("12:05\u202fpm", 12, 5),
        ("9.05 p. m.", 21, 5),
        ("下午9:05", 21, 5),
        ("上午12:05", 0, 5),
        ("中午12:05", 12, 5),
        ("中午1:05", 13, 5),
        ("오후 12:05", 12, 5),
        ("午前9:05", 9, 5),
        ("21:05 PM", 21, 5),
        ("24:05", 0, 5),
        ("9:05 μ.μ.", 21, 5),
    ],
)
def test_clock_of_many_languages(text: str, hour: int, minute: int) -> None:
    found = time_of(text)
    assert found is not None
    assert (found.hour, found.minute) == (hour, minute)


@pytest.mark.parametrize("text", ["25:00", "12:60", "9:05:61", "noon", ""])
def test_clock_that_does_not_exist_is_none(text: str) -> None:
    assert time_of(text) is None


def test_lines_before_the_first_message_are_counted_and_the_first_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("A title\n\nand more\n24/12/23, 18:00 - Ann: Hi\n")
    reading = Reading(pytest.fail)
    assert [message.text for message in messages(path, reading)] == ["Hi"]
    assert reading.not_understood == 2
    assert reading.first == f"{path}:1: A title"
    assert reading.lines == 4


def test_dates_of_an_unknown_style_give_nothing_and_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("".join(f"Sun 24 Dec {at:03} | Ann > Hi\n" for at in range(200)))
    reading = Reading(pytest.fail)
    assert messages(path, reading) == []
    assert reading.not_understood == 200


def test_lines_of_another_form_are_told(tmp_path: Path, notices) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("24/12/23, 18:00 - Ann: Hi\n[20/12/23, 10:00] Eve: no\n24/12/23, 18:01 - Bob: Oh\n")
    assert [message.speaker for message in messages(path, Reading(notices))] == ["Ann", "Bob"]
    (notice,) = notices
    assert "a line is dated in another way" in notice


@pytest.mark.parametrize(
    "lines",
    [
        ("Hello", "Hi there"),
        ("12/12/24 was great: yes", "so it was"),
        ("12/12/24", "10:00", "Ann: hi"),
        ("[2023-12-24, 18:00] Ann: Hi", "[2023-12-24, 18:01] Bob: Hi"),
        ("2024-01-15 21:25:12,310 - root - INFO: started", "2024-01-15 21:25:13,310 - root - INFO: ended"),
        ("q\ta", "24/12/23\tb"),
        ("24/12/23, 18:00 - nobody speaks", "24/12/23, 18:01 - here"),
    ],
)
def test_other_texts_are_not_taken_for_whatsapp(lines: tuple[str, ...]) -> None:
    assert not whatsapp.looks_like(Head(Path("x"), lines))


PIECES = st.sampled_from(
    [
        "24/12/23",
        ", ",
        "18:00",
        " - ",
        "[",
        "] ",
        "Ann",
        ": ",
        "\u200e",
        "\n",
        "<",
        ">",
        "p. m.",
        "0",
        "é",
        "🦊",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(deadline=None)
def test_any_text_is_read_without_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text(text, encoding="utf-8")
    reading = Reading(lambda notice: None)
    read = messages(path, reading)
    whatsapp.looks_like(Head(path, tuple(text.split("\n"))))
    assert len(read) + reading.not_understood <= text.count("\n") + 1
