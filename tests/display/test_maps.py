"""The maps as lines of text: as they look, and whatever they are given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from chatbot.cli import optional
from chatbot.display.look import THEMES, Look, plain
from chatbot.display.maps import MAPS, abreast, columns_abreast, map_text
from chatbot.display.text import CONTROLS, HALVES, OVERRIDES
from tests.display.attentions import TURNS, WIDE, TurnedAttention, attention, attentions

FORBIDDEN = set(CONTROLS + OVERRIDES + HALVES + "\u2028\u2029")
PLAIN = attention("how are you", "i am", (0.9, 0.06, 0.04), (0.0, 0.3, 0.7), end=(0.5, 0.5, 0.0))


def drawn(shown: object, name: str, columns: int = 80, theme: str = "plain") -> list[str]:
    return [plain(line) for line in MAPS[name](shown, Look(columns, theme))]  # type: ignore[arg-type]


def test_strip_has_the_question_once_a_reply_word_and_shades_under_it() -> None:
    assert drawn(PLAIN, "strip", 40) == [
        "  i      how are you",
        "         @@@",
        "  am     how are you",
        "             --- ###",
        "  (end)  how are you",
        "         +++ +++",
        "weight 0 [ .:-=+*#%@] 1",
    ]


def test_matrix_has_a_row_a_reply_word_and_a_column_a_question_word() -> None:
    assert drawn(PLAIN, "matrix", 40) == [
        "      how are you",
        "i     @@@",
        "am        --- ###",
        "(end) +++ +++",
        "",
        "weight 0 [ .:-=+*#%@] 1",
    ]


def test_matrix_in_colours_tells_hundredths() -> None:
    lines = drawn(PLAIN, "matrix", 40, "dark")
    assert lines[1:4] == ["i      90  6   4", "am         30  70", "(end)  50  50"]
    assert lines[-1].endswith("1; 62 is 0.62")


def test_matrix_that_is_too_wide_goes_on_in_further_blocks_with_all_rows() -> None:
    lines = drawn(WIDE, "matrix", 40)
    heads = [number for number, line in enumerate(lines) if line.startswith(" ")]
    assert [lines[number].split() for number in heads] == [
        ["你好", "吗", "😀"],
        ["antidisestablishmentaria…"],
        ["é", "नमस्ते"],
    ]
    for number in heads:
        assert [line[:2] for line in lines[number + 1 : number + 6]] == ["很好", "👨\u200d", "in", "ok", "(e"]


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", MAPS)
def test_lines_of_wide_and_combining_characters_fit_and_align(name: str, theme: str, columns: int) -> None:
    lines = MAPS[name](WIDE, Look(columns, theme))
    widths = [wcswidth("".join(segment.text for segment in line)) for line in lines]
    assert max(widths) <= columns
    if name == "matrix":  # all rows of a block end at the same column
        blocks = "".join("|" if not line else "." for line in lines).split("|")[:-1]
        start = 0
        for block in blocks:
            assert len(set(widths[start : start + len(block)])) == 1
            start += len(block) + 1


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_every_word_of_usual_length_is_on_the_map_as_typed(columns: int) -> None:
    for name in ("strip", "matrix"):
        text = "\n".join(drawn(WIDE, name, columns))
        assert all(word in text for word in ("你好", "吗", "😀", "é", "नमस्ते", "很好", "ok"))


def test_cell_of_the_heaviest_weight_is_the_darkest_on_light_paper_and_the_lightest_on_dark() -> None:
    from chatbot.display.palette import luminance

    for theme, extreme in (("light", min), ("dark", max)):
        cells = MAPS["matrix"](PLAIN, Look(80, theme))[1][2:]
        assert [segment.text.strip() for segment in cells] == ["90", "6", "4"]
        assert extreme(cells, key=lambda segment: luminance(segment.back)) is cells[0]


def test_turns_are_set_apart_and_named() -> None:
    matrix = drawn(TURNS, "matrix", 60)
    assert [line for line in matrix if line.endswith(":")] == [
        "2 turns before:",
        "1 turn before:",
        "question:",
    ]
    assert drawn(TURNS, "strip", 60)[0] == "  me  hello | hi there | who?"
    assert drawn(TURNS, "words", 60) == ["  me  <-  there (-1) 0.50  who 0.40  hello (-2) 0.10"]


def test_words_that_touch_as_typed_touch_on_the_strip() -> None:
    assert drawn(TURNS, "strip", 60)[0].endswith("who?")


def test_bare_mark_gets_a_letter_to_stand_on() -> None:
    assert "◌\u0301" in drawn(attention("\u0301", "a", (1.0,)), "matrix")[0]


@given(attentions(), st.sampled_from(list(MAPS)), st.sampled_from(THEMES), st.integers(20, 100))
def test_no_line_is_too_wide_or_steers_the_terminal(
    shown: TurnedAttention, name: str, theme: str, columns: int
) -> None:
    for line in MAPS[name](shown, Look(columns, theme)):
        text = "".join(segment.text for segment in line)
        assert 0 <= wcswidth(text) <= columns
        assert not FORBIDDEN & set(text)


@given(attentions(), st.sampled_from(list(MAPS)))
def test_colours_change_no_word(shown: TurnedAttention, name: str) -> None:
    light, dark = (drawn(shown, name, 80, theme) for theme in ("light", "dark"))
    assert light == dark


@pytest.mark.parametrize("name", MAPS)
def test_nothing_is_drawn_of_nothing(name: str) -> None:
    assert drawn(TurnedAttention((), (), ()), name) == []
    assert map_text(TurnedAttention((), (), ()), name, Look()) == []  # type: ignore[arg-type]


def test_maps_stand_side_by_side_where_there_is_room_for_all() -> None:
    assert columns_abreast(2, 80) == 38
    assert columns_abreast(3, 80) == columns_abreast(2, 78) == 0
    blocks = [MAPS["matrix"](PLAIN, Look(38)), MAPS["words"](PLAIN, Look(38))]
    lines = [plain(line) for line in abreast(blocks, 38)]
    assert lines[0] == f"{'      how are you':38}     i   <-  how 0.90  are 0.06"
    assert len(lines) == len(blocks[0])


def test_names_on_the_command_line_are_those_of_the_maps() -> None:
    assert tuple(MAPS) == optional.MAPS
