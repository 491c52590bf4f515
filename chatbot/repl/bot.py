"""What a conversation needs of a bot; ``chatbot.bot.Chatbot`` is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from chatbot.config import DecodingOptions

if TYPE_CHECKING:
    from chatbot.reply import Reply


class Saying(Protocol):
    """A reply while it is being made: pieces of text, and the whole when they have all come."""

    @property
    def reply(self) -> Reply: ...
    def __iter__(self) -> Iterator[str]: ...


class Bot(Protocol):
    """Answers questions."""

    name: str
    """Of the checkpoint."""

    options: DecodingOptions
    """The checkpoint's own."""

    fingerprint: str
    """Of the checkpoint: another one, another checkpoint."""

    @property
    def context(self) -> int:
        """How many of the turns before a question it reads."""
        ...

    @property
    def reads_history(self) -> bool:
        """Whether earlier turns change its replies; a checkpoint trained on single questions reads none."""
        ...

    def check(self, options: DecodingOptions) -> None:
        """Refuse a way to answer that this bot cannot, with an OptionError."""
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

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Saying:
        """Answer one question piece by piece, where the options settle each token as it comes."""
        ...

    def given(
        self, text: str, reply: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Reply:
        """A reply somebody else gives, with what the model would have looked at while saying it.

        Args:
            options: whose focus says where more is looked.
        """
        ...

    def explained(self, reply: Reply, pairs: int) -> Reply:
        """The reply with where it comes from: so many of the nearest training pairs."""
        ...
