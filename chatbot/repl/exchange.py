"""Exchange: one question and what was answered, with all that is needed to ask it again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chatbot.config import DecodingOptions
from chatbot.errors import OptionError

if TYPE_CHECKING:
    from chatbot.reply import Reply


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its reply.

    Args:
        question: as typed.
        reply: as the bot gave it.
        history: the turns the question was read with, oldest first.
        options: how the reply was searched for.
        checkpoint: name of the one that answered.
        picked: which of the candidates counts as the reply, from 0.
        mark: "good", "bad", "taught" or "".
        tried: replies to this question that were not wanted.
    """

    question: str
    reply: Reply
    history: tuple[str, ...]
    options: DecodingOptions
    checkpoint: str
    picked: int = 0
    mark: str = ""
    tried: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The reply that counts."""
        return self.reply.candidates[self.picked].reply if self.picked else self.reply.text

    def pick(self, place: int) -> Exchange:
        """The exchange with another candidate as its reply.

        Args:
            place: counted from 1, as shown.

        Raises:
            OptionError: there is no such candidate.
        """
        if not 1 <= place <= len(self.reply.candidates):
            raise OptionError(
                str(place), f"{len(self.reply.candidates)} candidates were shown", "pick one of them"
            )
        return replace(self, picked=place - 1)
