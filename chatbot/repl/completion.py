"""Completion of commands and of their arguments, from the table of commands."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from chatbot.repl.commands.table import COMMANDS, is_command
from chatbot.repl.talk import Talk


class CommandCompleter(Completer):
    """Completes what starts with a slash; a question is left alone."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The commands, or the arguments of the command, that begin as what stands before the cursor."""
        text = document.text_before_cursor.lstrip()
        if not is_command(text):
            return
        name, space, argument = text.partition(" ")
        if not space:
            for command in COMMANDS:
                if command.name.startswith(name):
                    shown = f"{command.name} {command.argument}".strip()
                    yield Completion(command.name, -len(name), shown, command.help)
            return
        argument = argument.lstrip()
        for command in COMMANDS:
            if command.name == name:
                for ending in command.endings(self._talk, argument):
                    yield Completion(ending, -len(argument))
