"""The two forms an answer is written in: text, and one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chatbot.display.text import printable

if TYPE_CHECKING:
    from chatbot.reply import Reply


class Form(Protocol):
    """How an answer, or the lack of one, is written; without the last line's end."""

    @property
    def attention(self) -> bool:
        """Whether what was looked at is written as well."""
        ...

    def answer(self, reply: Reply) -> str:
        """What is written for a reply."""
        ...

    def failure(self, message: str) -> str:
        """What is written in the place of a reply that could not be given."""
        ...


@dataclass(frozen=True, slots=True)
class TextForm:
    """The reply on a line; under it, where asked for, the other candidates and the attention.

    Args:
        candidates: list the n best replies with their scores.
        attention: show what each reply word looked at.
        columns: of the terminal, or what stands for it.
        map, theme: how attention is drawn, see ``chatbot.display.maps`` and ``chatbot.display.look``.
    """

    candidates: bool = False
    attention: bool = False
    columns: int = 80
    map: str = "words"
    theme: str = "plain"

    def answer(self, reply: Reply) -> str:
        """The reply, and what else was asked for, a line each."""
        lines = [printable(reply.text)]
        if self.candidates:
            lines += [f"  {one.score:8.3f}  {printable(one.reply)}" for one in reply.candidates]
        if self.attention and reply.attention is not None:
            from chatbot.display.look import Look
            from chatbot.display.maps import map_text

            lines += map_text(reply.attention, self.map, Look(self.columns, self.theme))
        if reply.why is not None:
            from chatbot.display.why import why_lines

            lines += why_lines(reply)
        return "\n".join(lines)

    def failure(self, message: str) -> str:
        """A blank line keeps the later ones in step; the message is on stderr."""
        return ""


@dataclass(frozen=True, slots=True)
class JsonForm:
    """One object a line, as described in ``chatbot.display.record``."""

    checkpoint: str
    seed: int
    candidates: bool = False
    attention: bool = False

    def answer(self, reply: Reply) -> str:
        """The reply's object."""
        from chatbot.display.record import json_line, reply_record

        return json_line(
            reply_record(
                reply,
                checkpoint=self.checkpoint,
                seed=self.seed,
                candidates=self.candidates,
                attention=self.attention,
            )
        )

    def failure(self, message: str) -> str:
        """An object that holds the message and no reply."""
        from chatbot.display.record import json_line

        return json_line({"error": message})
