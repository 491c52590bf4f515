"""What was typed before, kept in a file that only its owner can read.

The file is ``chatbot/history`` in the user's state folder (XDG Base Directory Specification 0.8:
``$XDG_STATE_HOME``, else ``~/.local/state``; ``%LOCALAPPDATA%`` on Windows), or the one that
``CHATBOT_HISTORY`` names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from chatbot.display.text import whole
from chatbot.errors import ChatbotError
from chatbot.files import private_folder, write_error

FILE_MODE = 0o600


class PrivateHistory(FileHistory):
    """A history file that stays private, and whose disk may fill up without ending the conversation.

    Args:
        path: of the file.
        keeps: whether a line that was just typed is to be kept.
    """

    def __init__(self, path: str, keeps: Callable[[], bool]) -> None:
        super().__init__(path)
        self._keeps = keeps

    def load_history_strings(self) -> Iterable[str]:
        """The lines typed before, newest first; none when the file cannot be read any more."""
        try:
            yield from super().load_history_strings()
        except OSError:
            return

    def store_string(self, string: str) -> None:
        """Add a line, if it is to be kept and the disk lets us."""
        if not self._keeps():
            return
        try:
            super().store_string(whole(string))
        except OSError:
            return


def history_path(environment: Mapping[str, str]) -> Path:
    """Where the history is kept.

    Raises:
        ChatbotError: nobody knows where this user's home is.
    """
    if named := environment.get("CHATBOT_HISTORY"):
        return Path(named)
    state = environment.get("LOCALAPPDATA") if os.name == "nt" else environment.get("XDG_STATE_HOME")
    if state and Path(state).is_absolute():
        return Path(state, "chatbot", "history")
    try:
        return Path.home() / ".local" / "state" / "chatbot" / "history"
    except RuntimeError as error:
        raise ChatbotError("history", str(error), "set CHATBOT_HISTORY to a file") from error


def open_history(path: Path, keeps: Callable[[], bool] = lambda: True) -> History:
    """The history in a file, created private when it is not there.

    Args:
        keeps: whether a line that was just typed is to be kept.

    Raises:
        ChatbotError: the file cannot be made or written.
    """
    try:
        private_folder(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, FILE_MODE)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode) and os.name == "posix":
                os.fchmod(handle, FILE_MODE)
        finally:
            os.close(handle)
    except OSError as error:
        raise write_error(path, error) from error
    return PrivateHistory(str(path), keeps)


def no_history() -> History:
    """A history that is gone when the conversation ends."""
    return InMemoryHistory()
