"""Drawing: what pictures by matplotlib share: their fonts and colours, and how they are written.

matplotlib is the extra ``plots`` and is imported when a picture is asked for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.display.palette import PALETTES
from chatbot.display.text import printable
from chatbot.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 150
"""Pixels an inch of a PNG."""

GREY = "#555555"

UNSEEN = "\u200b\u200c\u200d\ufe0e\ufe0f"
"""Joiners and selectors, which no font needs to show."""

LAST_RESORT = "Last Resort"
"""The font that has nothing but boxes (Unicode Consortium)."""

LARGEST = 2**16 - 1
"""Pixels that matplotlib draws at most, in each direction; larger pictures get fewer to the inch."""

FORMS: dict[str, dict[str, Any]] = {"png": {}, "svg": {"metadata": {"Date": None}}}
"""How each kind of file is written."""


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def save(figure: Figure, path: Path) -> None:
    """Write a picture whole, readable by its owner only; its ending says what kind it is."""
    kind = path.suffix.lower().removeprefix(".")
    out = io.BytesIO()
    dots = min(DOTS, LARGEST / max(figure.get_size_inches()))
    figure.savefig(out, format=kind, dpi=dots, **FORMS[kind])
    write_atomically(path, out.getvalue())


def save_both(figure: Figure, stem: Path) -> list[Path]:
    """Write a picture as STEM.png and STEM.svg."""
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in FORMS]
    for path in files:
        save(figure, path)
    return files


@contextlib.contextmanager
def style(texts: Iterable[str], theme: str = "light") -> Iterator[None]:
    """Draw with fonts that have every character of the texts, as far as they are installed.

    A character that no font has is drawn as a box; matplotlib is not to say so for each, ``undrawable``
    says it once.

    Args:
        theme: light or dark.
    """
    palette = PALETTES[theme]
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        import matplotlib

        with warnings.catch_warnings(), matplotlib.rc_context():
            warnings.simplefilter("ignore")
            matplotlib.rcdefaults()  # a picture hangs on nobody's matplotlibrc
            matplotlib.rcParams.update(
                {
                    "font.family": _families("".join(texts)),
                    "font.size": 9.5,
                    "text.parse_math": False,  # a dollar is a dollar
                    "svg.hashsalt": "chatbot",  # the same picture, the same file
                    "axes.edgecolor": GREY,
                    "figure.facecolor": palette.paper,
                    "axes.facecolor": palette.paper,
                    "text.color": palette.ink,
                    "axes.labelcolor": palette.ink,
                    "xtick.color": palette.ink,
                    "ytick.color": palette.ink,
                }
            )
            yield
    finally:
        logger.setLevel(level)


def undrawable(texts: Iterable[str]) -> str:
    """The characters that no installed font has, so that boxes stand for them."""
    return "".join(map(chr, sorted(_cover("".join(texts))[1])))


def _families(text: str) -> list[str]:
    """Names of installed fonts, which have every character between them where that is possible."""
    return _cover(text)[0]


def _cover(text: str) -> tuple[list[str], set[int]]:
    """Names of installed fonts, the usual one first, and the characters that none of them has."""
    from matplotlib.font_manager import fontManager

    families = ["DejaVu Sans"]
    missing = {ord(char) for char in printable(text) if not (char.isspace() or char in UNSEEN)}
    fonts = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}

    def order(name: str) -> tuple[bool, bool, str]:
        """The usual font, then plain ones."""
        return name != families[0], "Sans" not in name, name

    boxes = [name for name in fonts if name.startswith(LAST_RESORT)]
    for name in sorted(fonts.keys() - set(boxes), key=order):
        if not missing:
            break
        found = missing & _characters(fonts[name])
        missing -= found
        if found and name not in families:
            families.append(name)
    return families + boxes * bool(missing), missing


def _characters(path: str) -> set[int]:
    """The characters a font file has; none where it cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return set(get_font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return set()
