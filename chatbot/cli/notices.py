"""What is said on stderr about a reply that is no error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatbot.cli.exits import show_note

if TYPE_CHECKING:
    from chatbot.reply import Reply

TRUNCATED = "the question is longer than this checkpoint reads; only its end was read"
NO_HISTORY = "this checkpoint reads single questions: earlier turns do not change its replies"
LESS_HISTORY = "this checkpoint reads {} of the turns before a question: more do not change its replies"
NO_ATTENTION = "this checkpoint has no attention to show"


class Notices:
    """Tells what a user may want to know, or nothing.

    Args:
        quiet: tell nothing.
        attention: attention was asked for, so its lack is worth a word (one, not one a line).
    """

    def __init__(self, quiet: bool = False, attention: bool = False) -> None:
        self._quiet = quiet
        self._awaits_attention = attention
        self._awaits_history = True

    def tell(self, message: str) -> None:
        """One notice, on one line."""
        if not self._quiet:
            show_note(message)

    def unread(self) -> None:
        """Turns before a question were given to a bot that reads none; it is said once."""
        if self._awaits_history:
            self._awaits_history = False
            self.tell(NO_HISTORY)

    def about(self, reply: Reply, where: str = "") -> None:
        """What there is to say about a reply; ``where`` names its line."""
        if reply.truncated:
            self.tell(f"{where}: {TRUNCATED}" if where else TRUNCATED)
        if self._awaits_attention and reply.attention is None and reply.text and not reply.fallback:
            self._awaits_attention = False
            self.tell(NO_ATTENTION)
