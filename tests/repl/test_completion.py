from __future__ import annotations

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from chatbot.repl.commands import COMMANDS
from chatbot.repl.completion import CommandCompleter


def completed(text: str) -> list[str]:
    """What the line would be after each completion."""
    found = CommandCompleter().get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


def test_slash_offers_every_command() -> None:
    assert completed("/") == [command.name for command in COMMANDS]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/c", ["/candidates", "/checkpoint", "/clear"]),
        ("/attention o", ["/attention on", "/attention off"]),
        ("/attention of", ["/attention off"]),
        ("/quit ", []),
        ("what about /c", []),
        ("//c", []),
        ("", []),
    ],
)
def test_command_or_argument_is_completed_and_nothing_else(text: str, lines: list[str]) -> None:
    assert completed(text) == lines
