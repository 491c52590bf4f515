"""Completion of commands and of their arguments, from the table of commands."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from chatbot.repl.commands import COMMANDS, is_command


class CommandCompleter(Completer):
    """Completes what starts with a slash; a question is left alone."""

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The commands, or the arguments of the command, that begin as what stands before the cursor."""
        text = document.text_before_cursor.lstrip()
        if not is_command(text):
            return
        name, space, argument = text.partition(" ")
        if not space:
            for command in COMMANDS:
                if command.name.startswith(name):
                    yield Completion(command.name, -len(name), display_meta=command.help)
            return
        for word in (word for command in COMMANDS if command.name == name for word in command.words):
            if word.startswith(argument):
                yield Completion(word, -len(argument))
