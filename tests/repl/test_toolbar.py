from __future__ import annotations

from typing import Any

import pytest

from chatbot.display.width import width
from chatbot.repl.toolbar import toolbar


def test_toolbar_says_who_answers_and_how(terminal: Any) -> None:
    terminal.talk.search("/beam", beam=3)
    terminal.talk.shown.attention = "strip"
    assert toolbar(terminal.talk, 80) == " echo · beam 3 · attention strip · no context"


@pytest.mark.parametrize("columns", [5, 20, 40, 60, 200])
def test_toolbar_fits_and_leaves_out_the_least_first(terminal: Any, columns: int) -> None:
    terminal.talk.bot.name = "你好" * 3
    terminal.talk.private, terminal.talk.turns, terminal.talk.shown.candidates = True, 4, 3
    line = toolbar(terminal.talk, columns, vi=True)
    assert width(line) <= columns
    assert ("private" in line) == (columns >= 40)
    assert ("4 turns of context" in line) == (columns == 200)
    assert not line.endswith("·")
