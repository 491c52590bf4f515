"""The conversation loop: read a line, answer it or obey it, until the end.

Ctrl-C clears the line that is being typed, or stops the reply that is being searched for; Ctrl-D on
an empty line, or ``/quit``, ends the conversation.
"""

from __future__ import annotations

import os
from pathlib import Path

from prompt_toolkit.history import History
from rich.console import Console

from chatbot.errors import ChatbotError
from chatbot.repl.commands.table import as_question, dispatch, is_command
from chatbot.repl.filing import Kept, keep
from chatbot.repl.history import history_path, no_history, open_history
from chatbot.repl.keys import unquoted
from chatbot.repl.prompt import EditedPrompt, PlainPrompt, Prompt
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk


def start(talk: Talk, quiet: bool = False, vi: bool = False, transcript: Path | None = None) -> None:
    """Talk at the terminal of this process.

    Args:
        quiet: no greeting, no notices.
        vi: vi keys at the prompt.
        transcript: a new file that the conversation is kept in.

    Raises:
        ChatbotError: that file is there already, or cannot be written.
    """
    kept = keep(talk, transcript)
    console = Console()
    screen = Screen(console, quiet)
    prompt: Prompt = (
        PlainPrompt() if console.is_dumb_terminal else EditedPrompt(talk, _history(talk, screen), vi=vi)
    )
    converse(talk, prompt, screen, kept)


def converse(talk: Talk, prompt: Prompt, screen: Screen, kept: Kept | None = None) -> None:
    """Read and answer until the person leaves.

    Args:
        kept: is brought up to date after every line.
    """
    screen.greet(talk.bot.name)
    while True:
        draft, talk.draft = talk.draft, ""
        try:
            line = prompt.prompt(default=draft)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            _obey(line, talk, screen)
            if kept is not None:
                kept.write(talk)
        except KeyboardInterrupt:
            screen.note("(stopped)")
        except ChatbotError as error:
            screen.error(str(error))
        except EOFError:
            return


def _obey(line: str, talk: Talk, screen: Screen) -> None:
    if is_command(line):
        dispatch(line, talk, screen)
    elif talk.picks(line):
        screen.picked(talk.pick(int(line)), talk)
    elif line.strip():
        question = unquoted(as_question(line))
        screen.exchange(lambda hear: talk.ask(question, hear), talk)


def _history(talk: Talk, screen: Screen) -> History:
    if talk.private:
        return no_history()
    try:
        return open_history(history_path(os.environ), lambda: not talk.private)
    except ChatbotError as error:
        screen.note(f"What you type is not kept: {error}")
        return no_history()
