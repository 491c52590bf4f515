"""The line under the prompt: who answers, and how."""

from __future__ import annotations

from prompt_toolkit.application import get_app
from prompt_toolkit.enums import EditingMode

from chatbot.display.text import printable
from chatbot.display.width import cut, width
from chatbot.repl.commands.searching import search_name
from chatbot.repl.talk import OFF, Talk

GAP = " · "


def toolbar(talk: Talk, columns: int, vi: bool = False) -> str:
    """Checkpoint, search, attention, context, and whether typing is kept; what has no room is left out.

    Args:
        vi: the keys are vi's.
    """
    shown = talk.shown
    # Each with its rank: the highest are left out first.
    parts = [
        (0, printable(talk.bot.name)),
        (2, search_name(talk.options)),
        (4, f"{shown.candidates} candidates" if shown.candidates > 1 else ""),
        (3, "attention off" if shown.attention == OFF else f"attention {shown.attention}"),
        (5, f"{talk.turns} turns of context" if talk.turns else "no context"),
        (1, "private" if talk.private else ""),
        (1, "vi" if vi else ""),
    ]
    parts = [part for part in parts if part[1]]
    while len(parts) > 1 and width(_line(parts)) > columns:
        parts.remove(max(parts))
    return cut(_line(parts), columns)


def _line(parts: list[tuple[int, str]]) -> str:
    return " " + GAP.join(text for _, text in parts)


def toolbar_of(talk: Talk) -> str:
    """The line for the terminal the prompt is on."""
    app = get_app()
    return toolbar(talk, app.output.get_size().columns, app.editing_mode is EditingMode.VI)
