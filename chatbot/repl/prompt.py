"""Where a line comes from: a prompt with line editing, or a plain one on a terminal that can do nothing."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from chatbot.repl.commands.table import is_command
from chatbot.repl.completion import CommandCompleter
from chatbot.repl.keys import key_bindings
from chatbot.repl.talk import Talk
from chatbot.repl.toolbar import toolbar_of

PROMPT = "you: "
MORE = "...  "
"""In front of the further lines of a question."""


class Prompt(Protocol):
    """Asks for a line."""

    def prompt(self, *, default: str = "") -> str:
        """The line, without its end.

        Args:
            default: what it begins with.

        Raises:
            KeyboardInterrupt: Ctrl-C, the line is given up.
            EOFError: Ctrl-D, there is no more to come.
        """
        ...


class PlainPrompt:
    """The terminal's own line editing and not one escape code, for ``TERM=dumb``."""

    def prompt(self, *, default: str = "") -> str:
        """The line as typed; one that is given up, or is the end, is ended here, as nobody else would."""
        try:
            return input(PROMPT)
        except (KeyboardInterrupt, EOFError):
            print()  # noqa: T201
            raise


class EditedPrompt:
    """A prompt with line editing, history, suggestions, completion and a toolbar.

    Args:
        vi: vi keys at first, not emacs keys.
        reads, writes: the terminal; that of the process when None.
    """

    def __init__(
        self,
        talk: Talk,
        history: History,
        *,
        vi: bool = False,
        reads: Input | None = None,
        writes: Output | None = None,
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            [("bold", PROMPT)],
            history=history,
            auto_suggest=AutoSuggestFromHistory(),
            completer=CommandCompleter(talk),
            complete_while_typing=Condition(_types_a_command),
            multiline=True,
            prompt_continuation=MORE,
            key_bindings=key_bindings(),
            bottom_toolbar=partial(toolbar_of, talk),
            editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
            enable_open_in_editor=True,
            enable_suspend=True,
            input=reads,
            output=writes,
        )

    def prompt(self, *, default: str = "") -> str:
        """The text as typed; it may hold line breaks."""
        return self._session.prompt(default=default)


def _types_a_command() -> bool:
    return is_command(get_app().current_buffer.text)
