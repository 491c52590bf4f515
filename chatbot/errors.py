"""The tree of errors a user can meet.

    ChatbotError                 exit status 1, one line on stderr
    ├── CorpusError              a corpus, or a file that should become one
    ├── CheckpointError          a checkpoint folder that is missing, torn, foreign or unsafe
    ├── TrainingError            a run that cannot start or go on
    └── OptionError              exit status 2: an option, or two that do not go together

Each is written as ``where: what is wrong; what to do``. Anything else that reaches the top is a bug
of ours, never a user's mistake.
"""

from __future__ import annotations


class ChatbotError(Exception):
    """A mistake a user can mend, told in one line.

    Args:
        where: the file, line, option or folder concerned.
        what: what is wrong with it.
        remedy: what the user can do about it; may be empty where nothing can be done.
    """

    exit_code = 1

    def __init__(self, where: str, what: str, remedy: str = "") -> None:
        self.where = where
        self.what = what
        self.remedy = remedy
        text = f"{where}: {what}" if where else what
        super().__init__(f"{text}; {remedy}" if remedy else text)

    def __reduce__(self) -> tuple[type[ChatbotError], tuple[str, str, str]]:
        """Errors of other processes arrive as they are."""
        return type(self), (self.where, self.what, self.remedy)


class CorpusError(ChatbotError):
    """A corpus, or an input file, that cannot be used."""


class CheckpointError(ChatbotError):
    """A checkpoint that is missing, incomplete, damaged, of another format or unsafe."""


class TrainingError(ChatbotError):
    """A training run that cannot start or cannot go on."""


class OptionError(ChatbotError):
    """An option value, or a combination of options, that makes no sense."""

    exit_code = 2
