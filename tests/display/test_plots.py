from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import pytest
from PIL import Image

from chatbot.display.course import Course, Validation
from chatbot.display.drawing import can_draw, undrawable
from chatbot.display.heatmaps import Map, draw_maps, draw_picture
from chatbot.display.palette import PALETTES, channels
from chatbot.display.plots import COLOURS, DASHES, Curve, draw_course, draw_curves

SVG = "{http://www.w3.org/2000/svg}"
RISING = Curve("a $5 [b]", ((1, 0.1, 900.0), (20, 0.2, 40.0)))


def picture(files: list[Path]) -> Image.Image:
    """The PNG of two files, both of which must be pictures."""
    png, svg = files
    assert (png.suffix, svg.suffix) == (".png", ".svg")
    assert ET.parse(svg).getroot().tag == f"{SVG}svg"  # noqa: S314  ours
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    with Image.open(png) as image:
        assert image.format == "PNG"
        image.load()
        return image.convert("RGB")


def has_colour(image: Image.Image, colour: str) -> bool:
    wanted = tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return any(found == wanted for _, found in image.getcolors(1 << 24) or [])


def test_every_curve_is_drawn_in_a_colour_of_its_own(tmp_path: Path) -> None:
    curves = [Curve(f"v{n}", ((1, 0.1, 900.0 - n), (20, 0.2, 40.0 + 9 * n))) for n in range(5)]
    image = picture(draw_curves(curves, tmp_path / "compare"))
    assert all(has_colour(image, colour) for colour in COLOURS[:5])
    assert not has_colour(image, COLOURS[5])


def test_curves_can_be_told_apart_without_colours() -> None:
    looks = {(number % len(COLOURS), number % len(DASHES)) for number in range(35)}
    assert len(looks) == 35


@pytest.mark.parametrize("count", [1, 10, 11])
def test_any_number_of_curves_is_drawn(tmp_path: Path, count: int) -> None:
    picture(draw_curves([RISING] * count, tmp_path / "compare"))


@pytest.mark.parametrize("point", [(0, 0.0, 1.0), (5, 0.01, 1e30), (7, 3.0, 33.0)])
def test_curve_of_one_point_is_drawn(tmp_path: Path, point: tuple[int, float, float]) -> None:
    picture(draw_curves([Curve("a", (point,)), Curve("b", ())], tmp_path / "compare"))


def test_nothing_to_draw_makes_no_file(tmp_path: Path) -> None:
    assert draw_curves([Curve("a", ())], tmp_path / "compare") == []
    assert draw_maps([Map("a", ["x"], [], [])], "x", tmp_path / "attention") == []
    assert list(tmp_path.iterdir()) == []


def test_dark_cell_is_where_the_weight_is(tmp_path: Path) -> None:
    weights = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    image = picture(draw_maps([Map("dot", ["a", "b", "c"], ["x", "y"], weights)], "a b c", tmp_path / "map"))
    dark = channels(PALETTES["light"].all)
    places = [
        (x, y)
        for x in range(image.width - 150)
        for y in range(image.height)
        if image.getpixel((x, y)) == dark
    ]
    middle_x = sum(x for x, _ in places) / len(places)
    left = [(x, y) for x, y in places if x < middle_x]
    right = [(x, y) for x, y in places if x > middle_x]
    assert len(left) == pytest.approx(len(right), rel=0.1)
    assert max(y for _, y in left) < min(y for _, y in right)  # the first row is the upper one


@pytest.mark.parametrize(
    "words",
    [
        ["今天", "天气", "很好"],
        ["привет", "مرحبا", "नमस्ते"],
        ["😀", "👨\u200d👩\u200d👧", "\U0010fffd"],
        ["$x$", "\\frac", "{", "_", "%", "$"],
        ["\x1b[2J", "a\nb", "\u202eabc"],
        ["w" * 500],
    ],
)
@pytest.mark.filterwarnings("error")
def test_words_of_any_script_are_drawn_without_a_word_of_warning(
    tmp_path: Path, words: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    weights = [[0.5 for _ in words] for _ in words]
    picture(draw_maps([Map(words[0], words, words, weights)], " ".join(words), tmp_path / "attention"))
    assert caplog.records == []


@pytest.mark.parametrize("count", [1, 4, pytest.param(30, marks=pytest.mark.slow)])
def test_any_number_of_maps_is_drawn(tmp_path: Path, count: int) -> None:
    maps = [Map(f"v{n}", ["a"] * (1 + n), ["b"] * (1 + n % 3), [[0.1] * (1 + n)] * 3) for n in range(count)]
    maps = [Map(m.label, m.source, m.reply, m.weights[: len(m.reply)]) for m in maps]
    picture(draw_maps(maps, "a", tmp_path / "attention"))


def test_weight_that_is_no_number_leaves_a_gap(tmp_path: Path) -> None:
    picture(draw_maps([Map("a", ["x", "y"], ["z"], [[None, 1.0]])], "x y", tmp_path / "attention"))


def test_same_picture_is_the_same_file(tmp_path: Path) -> None:
    first, second = (draw_curves([RISING], tmp_path / name)[1].read_bytes() for name in ("a", "b"))
    assert first == second


def test_settings_of_a_program_that_draws_too_are_left_as_they_were(tmp_path: Path) -> None:
    with matplotlib.rc_context({"font.size": 3.0}):
        draw_curves([RISING], tmp_path / "compare")
        assert matplotlib.rcParams["font.size"] == 3.0


def test_module_is_imported_without_matplotlib() -> None:
    code = (
        "import sys, chatbot.display.plots, chatbot.display.heatmaps; sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
    assert can_draw()


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_one_picture_is_drawn_in_the_colours_of_its_theme(tmp_path: Path, theme: str, kind: str) -> None:
    path = tmp_path / f"map.{kind}"
    draw_picture([Map("a", ["x", "y"], ["z"], [[0.0, 1.0]])], "x y", path, theme)
    palette = PALETTES[theme]
    assert path.stat().st_mode & 0o777 == 0o600
    if kind == "svg":
        assert {palette.paper, palette.ink} <= set(re.findall("#[0-9a-f]{6}", path.read_text("utf-8")))
        return
    with Image.open(path) as image:
        assert all(
            has_colour(image.convert("RGB"), each) for each in (palette.paper, palette.none, palette.all)
        )


@pytest.mark.slow
def test_picture_too_large_for_its_dots_gets_fewer(tmp_path: Path) -> None:
    words = ["w"] * 1500  # 450 inches
    draw_picture([Map("a", words, ["z"], [[0.5] * 1500])], "x", tmp_path / "map.png")
    with Image.open(tmp_path / "map.png") as image:
        assert image.width < 2**16


def test_characters_that_no_font_has_are_known() -> None:
    assert undrawable(["abc é ∂", "a\u200db \n"]) == ""
    assert undrawable(["a\U0010fffd", "\U0010fffd\U0010fffc"]) == "\U0010fffc\U0010fffd"


@pytest.mark.parametrize("corpora", [0, 1, 2, 9])
def test_course_of_a_run_is_drawn_with_a_curve_for_each_of_several_corpora(
    tmp_path: Path, corpora: int
) -> None:
    named = {f"[{n}] $x": 20.0 + n for n in range(corpora)}
    validations = tuple(Validation(s, s / 60, 9.0 / s, 99.0 / s, True, named) for s in (3, 6, 9))
    path = tmp_path / "training.svg"
    draw_course(Course(tuple((s, 9.0 / s) for s in range(1, 10)), validations), "a $5 bot", path)
    drawn = path.read_text("utf-8")
    ET.fromstring(drawn)  # noqa: S314  ours
    lines = {colour for colour in COLOURS if f"stroke: {colour.lower()}" in drawn}
    assert len(lines) == (2 if corpora < 2 else min(1 + corpora, len(COLOURS)))


def test_course_without_validations_is_drawn(tmp_path: Path) -> None:
    draw_course(Course(((1, 2.0), (2, 1.0))), "a", tmp_path / "training.png")
    with Image.open(tmp_path / "training.png") as image:
        assert has_colour(image.convert("RGB"), COLOURS[0])
        assert not has_colour(image.convert("RGB"), COLOURS[1])
