"""Where a line comes from: a prompt with line editing, or a plain one on a terminal that can do nothing."""

from __future__ import annotations

from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from chatbot.repl.completion import CommandCompleter

PROMPT = "you: "


class Prompt(Protocol):
    """Asks for a line."""

    def prompt(self) -> str:
        """The line, without its end.

        Raises:
            KeyboardInterrupt: Ctrl-C, the line is given up.
            EOFError: Ctrl-D, there is no more to come.
        """
        ...


class PlainPrompt:
    """The terminal's own line editing and not one escape code, for ``TERM=dumb``."""

    def prompt(self) -> str:
        """The line as typed; one that is given up, or is the end, is ended here, as nobody else would."""
        try:
            return input(PROMPT)
        except (KeyboardInterrupt, EOFError):
            print()  # noqa: T201
            raise


def edited_prompt(
    history: History, reads: Input | None = None, writes: Output | None = None
) -> PromptSession[str]:
    """A prompt with line editing, history and completion.

    Args:
        reads, writes: the terminal; that of the process when None.
    """
    return PromptSession(
        [("bold", PROMPT)],
        history=history,
        completer=CommandCompleter(),
        complete_while_typing=False,
        enable_suspend=True,
        input=reads,
        output=writes,
    )
