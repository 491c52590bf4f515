from __future__ import annotations

from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from chatbot.repl.commands.table import COMMANDS
from chatbot.repl.completion import CommandCompleter
from chatbot.repl.talk import Talk


def completed(talk: Talk, text: str) -> list[str]:
    """What the line would be after each completion."""
    found = CommandCompleter(talk).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


def test_slash_offers_every_command(terminal: Any) -> None:
    assert completed(terminal.talk, "/") == [command.name for command in COMMANDS]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/c", ["/candidates", "/checkpoint", "/context", "/clear"]),
        ("/attention ", ["/attention off", "/attention words", "/attention strip", "/attention matrix"]),
        ("/set length", ["/set length-penalty"]),
        ("/set gu", ["/set guess"]),
        ("/set guess o", ["/set guess on", "/set guess off"]),
        ("/set search ", ["/set search beam", "/set search sample"]),
        ("/checkpoint st", ["/checkpoint starter"]),
        ("/attention of", ["/attention off"]),
        ("/quit ", []),
        ("what about /c", []),
        ("//c", []),
        ("", []),
    ],
)
def test_command_or_argument_is_completed_and_nothing_else(
    text: str, lines: list[str], terminal: Any
) -> None:
    assert completed(terminal.talk, text) == lines
