"""The conversation loop: read a line, answer it or obey it, until the end.

Ctrl-C clears the line that is being typed, or stops the reply that is being searched for; Ctrl-D on
an empty line, or ``/quit``, ends the conversation.
"""

from __future__ import annotations

import os

from prompt_toolkit.history import History
from rich.console import Console

from chatbot.errors import ChatbotError
from chatbot.repl.commands import as_question, dispatch, is_command
from chatbot.repl.history import history_path, no_history, open_history
from chatbot.repl.prompt import PlainPrompt, Prompt, edited_prompt
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk


def start(talk: Talk, private: bool = False, quiet: bool = False) -> None:
    """Talk at the terminal of this process.

    Args:
        private: keep nothing of what is typed.
        quiet: no greeting, no notices.
    """
    console = Console()
    screen = Screen(console, quiet)
    prompt = PlainPrompt() if console.is_dumb_terminal else edited_prompt(_history(private, screen))
    converse(talk, prompt, screen)


def converse(talk: Talk, prompt: Prompt, screen: Screen) -> None:
    """Read and answer until the person leaves."""
    screen.greet(talk.bot.name)
    while True:
        try:
            line = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            _obey(line, talk, screen)
        except KeyboardInterrupt:
            screen.note("(stopped)")
        except ChatbotError as error:
            screen.error(str(error))
        except EOFError:
            return


def _obey(line: str, talk: Talk, screen: Screen) -> None:
    if is_command(line):
        dispatch(line, talk, screen)
    elif line.strip():
        screen.reply(talk.ask(as_question(line)), talk)


def _history(private: bool, screen: Screen) -> History:
    if private:
        return no_history()
    try:
        return open_history(history_path(os.environ))
    except ChatbotError as error:
        screen.note(f"What you type is not kept: {error}")
        return no_history()
