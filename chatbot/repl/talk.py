"""A conversation going on: who answers, how replies are searched for and shown, what was said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chatbot.config import Config, DecodingOptions
from chatbot.display.text import whole
from chatbot.errors import OptionError
from chatbot.repl.bot import Bot
from chatbot.repl.memory import Memory

if TYPE_CHECKING:
    from chatbot.reply import Reply


@dataclass(slots=True)
class Talk:
    """What the commands change and the next question is answered with.

    Args:
        candidates: how many of the best replies are shown.
        attention: whether the words each reply word looked at are shown.
        why: how many training pairs near each question are shown; None: nothing of where replies come from.
    """

    bot: Bot
    options: DecodingOptions
    candidates: int = 1
    attention: bool = False
    memory: Memory = field(default_factory=Memory)
    why: int | None = None

    def ask(self, question: str) -> Reply:
        """Answer, and remember both sides."""
        question = whole(question)
        reply = self.bot.reply(question, self.memory.recall(), self.options, self.candidates)
        self.memory.add(question, reply.text)
        return reply if self.why is None else self.bot.explained(reply, self.why)

    def search(self, where: str, **changes: Any) -> None:
        """Change how replies are searched for; a narrower beam takes the candidates down with it.

        Raises:
            OptionError: a value that is not allowed; ``where`` names the command.
        """
        self.options = Config(decoding=self.options).replace(changes, where).decoding
        self.candidates = min(self.candidates, self.options.most_candidates)

    def show_candidates(self, where: str, count: int) -> None:
        """Show so many candidates from now on.

        Raises:
            OptionError: fewer than one, or more than the beam keeps.
        """
        most = self.options.most_candidates
        if not 1 <= count <= most:
            raise OptionError(
                where, f"{count} of a beam of {most}", f"say 1 to {most}, or widen it with /beam"
            )
        self.candidates = count
