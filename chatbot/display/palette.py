"""Colours of weights: from that of the paper to that of the ink, in even steps of lightness.

The ends lie on the line from blue to yellow, which people with any usual colour vision see, and lightness
alone, rising or falling all the way, tells the weights apart without any colour.

Source: Nuñez, Anderson and Renslow 2018, "Optimizing colormaps with consideration for color vision
deficiency" (why such colours); Ottosson 2020, "A perceptual color space for image processing" (Oklab, in
which the line is drawn); W3C 2018, Web Content Accessibility Guidelines 2.1, "relative luminance" and
"contrast ratio" (which ink is legible on a colour).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = 20
"""Colours between the lightest and the darkest: a step is a weight of 0.05."""

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])

Triple = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, as #rrggbb.

    Args:
        paper, ink, muted: of the page, of its text, of what is said by the way.
        none, all: of the weights 0 and 1.
    """

    paper: str
    ink: str
    muted: str
    none: str
    all: str

    def shades(self, steps: int = STEPS) -> list[str]:
        """The colours of the weights 0, 1/steps, ..., 1."""
        first, last = (_to_oklab(colour) for colour in (self.none, self.all))
        return [_to_hex(first + (last - first) * step / steps) for step in range(steps + 1)]


PALETTES = {
    "light": Palette("#ffffff", "#1b1f24", "#59636e", "#f1f4f9", "#0b2f6e"),
    "dark": Palette("#14181f", "#e6e9ee", "#97a1ad", "#232b3a", "#ffe35c"),
}
"""By the name of the theme."""


def legible(colour: str, inks: Sequence[str] = ("#000000", "#ffffff")) -> str:
    """Which ink stands out most on a colour; of black and white one always has a contrast of 4.5."""
    return max(inks, key=lambda ink: contrast(ink, colour))


def contrast(first: str, second: str) -> float:
    """The ratio of the luminances of two colours, from 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """How light a colour is, from 0 to 1."""
    return float(_LUMINANCE @ _linear(colour))


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of #rrggbb, each from 0 to 255."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue


def _linear(colour: str) -> Triple:
    """The light of the three channels, without the screen's gamma."""
    values = np.array(channels(colour)) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _to_oklab(colour: str) -> Triple:
    lab: Triple = _TO_LAB @ np.cbrt(_TO_CONES @ _linear(colour))
    return lab


def _to_hex(lab: Triple) -> str:
    light = np.linalg.solve(_TO_CONES, np.linalg.solve(_TO_LAB, lab) ** 3).clip(0, 1)
    values = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(value * 255):02x}" for value in values)
