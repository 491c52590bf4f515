"""The line under the prompt: who answers, and how."""

from __future__ import annotations

from prompt_toolkit.application import get_app
from prompt_toolkit.enums import EditingMode

from chatbot.display.text import printable
from chatbot.display.width import cut
from chatbot.repl.commands.searching import search_name
from chatbot.repl.talk import OFF, Talk

GAP = " · "


def toolbar(talk: Talk, columns: int, vi: bool = False) -> str:
    """Checkpoint, search, attention, context, and whether typing is kept; cut to ``columns``.

    Args:
        vi: the keys are vi's.
    """
    parts = [printable(talk.bot.name), search_name(talk.options)]
    if talk.shown.candidates > 1:
        parts.append(f"{talk.shown.candidates} candidates")
    parts.append("attention off" if talk.shown.attention == OFF else talk.shown.attention)
    parts.append(f"{talk.turns} turns of context" if talk.turns else "no context")
    if talk.private:
        parts.append("private")
    if vi:
        parts.append("vi")
    return cut(" " + GAP.join(parts), columns)


def toolbar_of(talk: Talk) -> str:
    """The line for the terminal the prompt is on."""
    app = get_app()
    return toolbar(talk, app.output.get_size().columns, app.editing_mode is EditingMode.VI)
