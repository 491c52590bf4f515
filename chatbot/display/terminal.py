"""Maps at a terminal, and in files as the terminal would show them: SVG and HTML by rich's recorder."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chatbot.display.look import PLAIN, Line, Look, columns_of
from chatbot.display.palette import PALETTES, channels
from chatbot.display.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

LIGHT, DARK = "light", "dark"

HTML = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>attention</title>
<style>
{stylesheet}
body {{ color: {foreground}; background: {background}; margin: 1.5rem; }}
pre {{ font: 0.9rem/1.35 "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; }}
</style>
<pre>{code}</pre>
"""
"""A page with nothing to fetch and nothing to run."""

FONT = "'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"
FACES = re.compile(r"@font-face\s*\{[^}]*\}")
"""Where rich's stylesheet would have a font fetched."""


def theme_of(environment: Mapping[str, str]) -> str:
    """Light or dark, by what some terminals say of their background in COLORFGBG; else dark.

    Whatever it is, fields bring their own paper and ink, so that they can be read on the other one too.
    """
    back = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if back in ("7", "15") else DARK


def look_of(console: Console, environment: Mapping[str, str], theme: str = "") -> Look:
    """How maps are drawn on a console; without colours where it has none, or is asked for none."""
    plain = console.color_system is None or console.no_color or console.is_dumb_terminal
    return Look(console.width, PLAIN if plain else theme or theme_of(environment))


def standard_look(columns: int, theme: str = "") -> Look:
    """How maps are drawn on the standard output of this process, which is a terminal so wide."""
    from rich.console import Console

    return look_of(Console(width=columns), os.environ, theme)


def styled(line: Line) -> Text:
    """A line with its colours."""
    from rich.style import Style
    from rich.text import Text

    text = Text(end="")
    for segment in line:
        style = Style(color=segment.fore or None, bgcolor=segment.back or None, bold=segment.strong or None)
        text.append(segment.text, style)
    return text


def coloured(line: Line) -> str:
    """A line as it is written to the terminal that is standard output."""
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(styled(line), soft_wrap=True, end="")
    return captured.get().rstrip(" ")


def recorded_html(lines: Sequence[Line], theme: str) -> str:
    """The lines as a terminal of a theme would show them, as an HTML page."""
    return _recorder(lines).export_html(theme=_terminal_theme(theme), code_format=HTML)


def recorded_svg(lines: Sequence[Line], theme: str, title: str) -> str:
    """The lines as a terminal of a theme would show them, as an SVG picture that fetches no font."""
    svg = _recorder(lines).export_svg(title=printable(title), theme=_terminal_theme(theme), unique_id="map")
    return FACES.sub("", svg).replace("Fira Code, monospace", FONT)


def _recorder(lines: Sequence[Line]) -> Console:
    from rich.console import Console

    columns = max([1, *map(columns_of, lines)])
    console = Console(
        file=io.StringIO(), record=True, width=columns, color_system="truecolor", highlight=False
    )
    for line in lines:
        console.print(styled(line), soft_wrap=True, end="\n")
    return console


def _terminal_theme(theme: str) -> TerminalTheme:
    from rich.terminal_theme import TerminalTheme

    paper, ink = channels(PALETTES[theme].paper), channels(PALETTES[theme].ink)
    return TerminalTheme(paper, ink, [ink] * 8)  # lines name their colours themselves
