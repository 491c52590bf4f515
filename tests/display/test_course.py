"""The chart of a run's losses: what is drawn where, and that it fits."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from chatbot.display.course import BEST, HIGHEST, MARK, Course, Validation, chart
from chatbot.display.look import Look, plain

FALLING = tuple((step, 6.0 - step / 20) for step in range(1, 101))
"""From 5.95 down to 1."""


def drawn(course: Course, columns: int = 60, theme: str = "plain") -> list[str]:
    return [plain(line) for line in chart(course, Look(columns, theme))]


def field(lines: list[str]) -> list[str]:
    """The rows of the field, what stands left of it left out."""
    return [line[line.index(bar) + 1 :] for line in lines for bar in "|│" if bar in line]


def test_falling_losses_fall_from_corner_to_corner() -> None:
    lines = drawn(Course(FALLING))
    rows = field(lines)
    places = [[column for column, char in enumerate(row) if char == "."] for row in rows]
    assert places[0][0] == 0
    assert max(places[-1]) == max(map(len, rows)) - 1
    starts = [row[0] for row in places]
    assert starts == sorted(starts)
    assert sorted({column for row in places for column in row}) == list(range(max(places[-1]) + 1))
    assert lines[0] == "loss in nats a token  .. training 1.02"
    assert lines[-1].split() == ["1", "step", "100"]


def test_axis_names_the_highest_and_the_lowest_loss() -> None:
    rows = [line for line in drawn(Course(((1, 4.0), (2, 1.5)))) if "|" in line]
    assert rows[0].startswith("4.00 |.")
    assert rows[-1].startswith("1.50 |")
    assert rows[-1].endswith(".")


def test_validations_are_marks_at_their_steps_and_the_best_is_told() -> None:
    validations = (
        Validation(50, 0.1, 3.0, 99.0, best=True),
        Validation(75, 0.2, 2.5, 24.4, best=True),
        Validation(100, 0.3, 5.95, 88.0),
    )
    lines = drawn(Course(FALLING, validations), columns=100)
    rows = field(lines)
    wide = 100 - len("5.95 |")
    (one,) = [row.index(MARK) for row in rows if MARK in row[: wide * 2 // 3]]
    (best,) = [row.index(BEST) for row in rows if BEST in row]
    assert one == pytest.approx(wide * 49 / 99, abs=1)
    assert best == pytest.approx(wide * 74 / 99, abs=1)
    assert rows[0].endswith(MARK)  # as high as the first loss
    heading = " ".join(lines[:2])
    assert "o validation 5.95  * best 2.50 at step 75" in heading
    assert "perplexity 24.4 a word" in heading


def test_braille_has_a_dot_for_each_column_of_dots() -> None:
    rows = field(drawn(Course(FALLING), theme="dark"))
    bits = {}
    for row in rows:
        for column, char in enumerate(row):
            if char != " ":
                assert unicodedata.name(char).startswith("BRAILLE PATTERN DOTS-")
                digits = unicodedata.name(char).rpartition("-")[2]
                bits[column] = bits.get(column, "") + digits
    assert all(set(found) & set("1237") and set(found) & set("4568") for found in bits.values())
    assert sorted(bits) == list(range(max(bits) + 1))


@pytest.mark.parametrize("course", [Course(), Course(((3, 1.0),)), Course((), (Validation(3, 0, 1, 2),))])
def test_one_step_makes_no_chart(course: Course) -> None:
    assert drawn(course) == []


def test_means_are_taken_over_even_stretches() -> None:
    course = Course(tuple((step, float(step)) for step in range(1, 11)))
    assert course.thinned(5) == [(1, 1.5), (3, 3.5), (5, 5.5), (7, 7.5), (10, 9.5)]
    assert course.thinned(100) == list(course.train)
    assert Course().thinned(5) == []


LOSSES = st.floats(0.0, 1000.0)
COURSES = st.builds(
    lambda losses, checked, start: Course(
        tuple((start + place, loss) for place, loss in enumerate(losses)),
        tuple(
            Validation(start + place * 3, 0.1, loss, 1e9, best=place % 2 == 0)
            for place, loss in enumerate(checked)
        ),
    ),
    st.lists(LOSSES, max_size=300),
    st.lists(LOSSES, max_size=30),
    st.integers(0, 10**7),
)


@given(COURSES, st.integers(40, 200), st.sampled_from(["plain", "light", "dark"]))
def test_chart_fits_whatever_the_losses_and_the_width(course: Course, columns: int, theme: str) -> None:
    lines = drawn(course, columns, theme)
    assert len(lines) <= HIGHEST
    assert all(wcswidth(line) <= columns for line in lines)
    assert theme != "plain" or "".join(lines).isascii()
