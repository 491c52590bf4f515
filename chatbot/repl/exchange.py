"""Exchange: one question and what was answered, with all that is needed to ask it again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chatbot.config import DecodingOptions
from chatbot.display.transcript import Heading
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
        by: the checkpoint that answered.
        asked: how many candidates were asked for.
        picked: which of the candidates counts as the reply, from 1 as shown; 0: the reply itself.
        chosen: the candidate that was picked, as a reply.
        mark: "good", "bad", "taught" or "".
        tried: replies to this question that were not wanted.
        begins: nothing that was said before it is remembered.
        private: it was said in private, and no file keeps it unless that is asked for.
    """

    question: str
    reply: Reply
    history: tuple[str, ...]
    options: DecodingOptions
    by: Heading
    asked: int = 1
    picked: int = 0
    chosen: Reply | None = None
    mark: str = ""
    tried: tuple[str, ...] = ()
    begins: bool = False
    private: bool = False

    @property
    def counted(self) -> Reply:
        """The reply that counts."""
        return self.chosen or self.reply

    @property
    def said(self) -> str:
        """Its text."""
        return self.counted.text

    def candidate(self, place: int) -> Reply:
        """A candidate, counted from 1 as shown, as a reply; what it looked at is not known.

        Raises:
            OptionError: there is no such candidate.
        """
        found = self.reply.candidates
        if not 1 <= place <= len(found):
            raise OptionError(str(place), f"{len(found)} candidates were shown", "pick one of them")
        text, score = found[place - 1].reply, found[place - 1].score
        if text == self.reply.text and not self.reply.fallback:
            return self.reply
        return replace(self.reply, text=text, score=score, fallback=False, attention=None, confidence=None)
