"""What a conversation needs of a bot; ``chatbot.bot.Chatbot`` is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from chatbot.config import DecodingOptions

if TYPE_CHECKING:
    from chatbot.bot import Reply


class Saying(Protocol):
    """A reply while it is being made: pieces of text, and the whole when they have all come."""

    reply: Reply

    def __iter__(self) -> Iterator[str]: ...


class Bot(Protocol):
    """Answers questions."""

    name: str
    """Of the checkpoint."""

    options: DecodingOptions
    """The checkpoint's own."""

    @property
    def reads_history(self) -> bool:
        """Whether earlier turns change its replies; a checkpoint trained on single questions reads none."""
        ...

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        """Answer one question.

        Args:
            history: the turns before it, oldest first.
            options: how to search; the checkpoint's way when None.
            candidates: how many of the best replies to name.
        """
        ...

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Saying:
        """Answer one question word by word, by greedy search or sampling."""
        ...
