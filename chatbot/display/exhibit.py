"""Exhibit: one question, its reply and its attention, as a picture, a page or a table shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.display.reply import ShownAttention


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What is shown.

    Args:
        checkpoint: name of the one that answered.
        question, reply: the texts that the words of ``attention`` have their offsets into.
        score: what the reply was chosen by; the log-probability of a given one.
        attention: None where the checkpoint has none.
        given: the reply was given, not found.
        turns: the turns before the question, oldest first; what their words stand in.
        note: what else there is to say, such as the layer and head that are shown.
    """

    checkpoint: str
    question: str
    reply: str
    score: float
    attention: ShownAttention | None
    given: bool = False
    turns: Sequence[str] = ()
    note: str = ""

    @property
    def caption(self) -> str:
        """The checkpoint, and what is special."""
        extra = [part for part in ("given reply" * self.given, self.note) if part]
        return f"{self.checkpoint} ({', '.join(extra)})" if extra else self.checkpoint

    def turn(self, number: int) -> str:
        """The text of a turn: 0 is the question, -1 the one before; "" where it is not known."""
        texts = [*self.turns, self.question]
        place = len(texts) - 1 + number
        return texts[place] if 0 <= place < len(texts) else ""
