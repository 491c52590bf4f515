from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from chatbot.display.palette import PALETTES, Palette, channels, contrast, legible, luminance

# What the three kinds of dichromats see of linear light: Machado, Oliveira and Fernandes 2009, severity 1.
BLINDNESS = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def seen(colour: str, matrix: list[list[float]]) -> float:
    """How light a colour is to somebody."""
    values = np.array(channels(colour)) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(np.array([0.2126, 0.7152, 0.0722]) @ (np.array(matrix) @ linear).clip(0, 1))


def strictly_one_way(values: list[float]) -> bool:
    steps = [after - before for before, after in pairwise(values)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


@pytest.fixture(params=PALETTES)
def palette(request: pytest.FixtureRequest) -> Palette:
    return PALETTES[request.param]


@pytest.mark.parametrize("kind", BLINDNESS)
def test_heavier_is_ever_darker_or_ever_lighter_to_every_eye(palette: Palette, kind: str) -> None:
    shades = palette.shades()
    assert strictly_one_way([luminance(shade) for shade in shades])
    assert strictly_one_way([seen(shade, BLINDNESS[kind]) for shade in shades])


def test_shades_begin_and_end_where_the_theme_says(palette: Palette) -> None:
    shades = palette.shades(7)
    assert len(shades) == 8
    for found, wanted in ((shades[0], palette.none), (shades[-1], palette.all)):
        assert max(abs(a - b) for a, b in zip(channels(found), channels(wanted), strict=True)) <= 1


def test_text_can_be_read_on_every_shade_and_on_the_page(palette: Palette) -> None:
    assert all(contrast(legible(shade), shade) >= 4.5 for shade in palette.shades())
    assert contrast(palette.ink, palette.paper) >= 7
    assert contrast(palette.muted, palette.paper) >= 4.5


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.005
    )  # the well-known grey that just fails
