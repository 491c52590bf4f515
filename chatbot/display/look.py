"""Look: how wide a map may be and how weights are shown, as colours or as characters of ASCII."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from chatbot.display.palette import PALETTES, STEPS, legible
from chatbot.display.width import fitted, width

NARROWEST = 20
"""Columns that a map takes at least."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a line: its text, and its colours as #rrggbb where it has any."""

    text: str
    back: str = ""
    fore: str = ""
    strong: bool = False


Line = tuple[Segment, ...]
"""A line of a map, from left to right."""


def plain(line: Line) -> str:
    """The text of a line, without the blanks at its end."""
    return "".join(segment.text for segment in line).rstrip(" ")


def columns_of(line: Line) -> int:
    """Columns that a line takes."""
    return width("".join(segment.text for segment in line))


class Shading(Protocol):
    """How a weight is shown."""

    def under(self, word: str, weight: float) -> Sequence[Segment]:
        """A word with its weight, in lines one above the other, all as wide as the word."""
        ...

    def cell(self, columns: int, weight: float) -> Segment:
        """A field of a heat map, so many columns wide."""
        ...

    def mark(self, text: str, weight: float) -> Segment:
        """A number whose size can be seen from afar."""
        ...

    def legend(self) -> Line:
        """What the shades mean."""
        ...

    @property
    def numbers(self) -> str:
        """What the numbers in fields mean; "" where there are none."""
        ...


class AsciiShading:
    """Weights as characters that cover more and more of their field; nothing else is needed."""

    RAMP = " .:-=+*#%@"
    numbers = ""

    def under(self, word: str, weight: float) -> Sequence[Segment]:
        """The word, and the character of its weight under all of it."""
        return Segment(word), Segment(self._shade(weight) * width(word))

    def cell(self, columns: int, weight: float) -> Segment:
        """The character, with a blank that sets the next field off."""
        return Segment(self._shade(weight) * (columns - 1) + " ")

    def mark(self, text: str, weight: float) -> Segment:
        """The number as it is."""
        return Segment(text)

    def legend(self) -> Line:
        """The characters in their order."""
        return (Segment(f"weight 0 [{self.RAMP}] 1"),)

    def _shade(self, weight: float) -> str:
        return self.RAMP[min(int(share(weight) * len(self.RAMP)), len(self.RAMP) - 1)]


class ColourShading:
    """Weights as the colour behind the text."""

    numbers = "; 62 is 0.62"

    def __init__(self, theme: str) -> None:
        self._shades = PALETTES[theme].shades()
        self._inks = [legible(shade) for shade in self._shades]

    def under(self, word: str, weight: float) -> Sequence[Segment]:
        """The word on its colour."""
        return (self.mark(word, weight),)

    def cell(self, columns: int, weight: float) -> Segment:
        """The weight in hundredths on its colour; less than half a hundredth is left blank."""
        number = f"{share(weight) * 100:.0f}" if math.isfinite(weight) else "?"
        return self.mark(f"{'' if number == '0' else number:^{columns}}", weight)

    def mark(self, text: str, weight: float) -> Segment:
        """The text on the colour."""
        step = round(share(weight) * STEPS)
        return Segment(text, self._shades[step], self._inks[step])

    def legend(self) -> Line:
        """The colours in their order."""
        ramp = [self.mark(" ", step / 10) for step in range(11)]
        return (Segment("weight 0 "), *ramp, Segment(" 1"))


def share(weight: float) -> float:
    """A weight between 0 and 1, whatever a broken network says; what is no number is 0."""
    return min(max(float(weight), 0.0), 1.0) if math.isfinite(weight) else 0.0


PLAIN = "plain"
THEMES = (*PALETTES, PLAIN)
"""light and dark colours, or characters alone."""


@functools.cache
def shading(theme: str) -> Shading:
    """What a theme shows weights with."""
    return ColourShading(theme) if theme in PALETTES else AsciiShading()


@dataclass(frozen=True, slots=True)
class Look:
    """How a map is drawn.

    Args:
        columns: that no line exceeds; ``NARROWEST`` at least.
        theme: one of THEMES.
    """

    columns: int = 80
    theme: str = PLAIN

    @property
    def room(self) -> int:
        """Columns there are."""
        return max(self.columns, NARROWEST)

    @property
    def shading(self) -> Shading:
        """How weights are shown."""
        return shading(self.theme)

    def legend(self, more: str = "") -> list[Line]:
        """What the shades mean, and more, as far as there is room for it."""
        whole = (*self.shading.legend(), Segment(more))
        fits = [line for line in (whole, whole[:-1]) if columns_of(line) <= self.room]
        return fits[:1]


def label(text: str, columns: int) -> Segment:
    """A word in just so many columns."""
    return Segment(fitted(text, columns), strong=True)
