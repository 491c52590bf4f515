"""What a conversation needs of a bot; ``chatbot.bot.Chatbot`` is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from chatbot.config import DecodingOptions

if TYPE_CHECKING:
    from chatbot.bot import Reply


class Bot(Protocol):
    """Answers questions."""

    name: str
    """Of the checkpoint."""

    options: DecodingOptions
    """The checkpoint's own."""

    @property
    def context(self) -> int:
        """How many of the turns before a question it reads."""
        ...

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

    def replies(
        self,
        texts: Sequence[str],
        options: DecodingOptions | None = None,
        candidates: int = 1,
        histories: Sequence[Sequence[str]] = (),
        attention: bool = True,
    ) -> Sequence[Reply]:
        """Answer many questions, each as ``reply`` would.

        Args:
            histories: the turns before each; () where there are none.
            attention: say what was looked at.
        """
        ...
