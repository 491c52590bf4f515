"""Pipe mode of ``chatbot chat``: for each line read one answer, in order, written at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from chatbot.cli.exits import show_error
from chatbot.cli.forms import Form
from chatbot.cli.notices import Notices
from chatbot.cli.questions import Question, plain_question, read_lines
from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError
from chatbot.repl.bot import Bot
from chatbot.repl.memory import Memory

if TYPE_CHECKING:
    from chatbot.bot import Reply


@dataclass(frozen=True, slots=True)
class Pipe:
    """A bot between two streams.

    A line that cannot be answered (bad JSON, say) is told on stderr, gets ``form.failure`` as its
    answer and stops no other line.

    Args:
        options: how replies are searched for; the checkpoint's way when None.
        candidates: how many of the best replies are asked for.
        why: how many training pairs near each question are told; None: nothing of where replies come from.
        memory: the turns before, where a line does not bring its own.
        parse: a line's question.
        notices: what else there is to say about a reply.
    """

    bot: Bot
    form: Form
    memory: Memory
    notices: Notices
    options: DecodingOptions | None = None
    candidates: int = 1
    parse: Callable[[str], Question] = plain_question
    why: int | None = None

    def run(self, source: BinaryIO, sink: BinaryIO) -> bool:
        """Answer every line of ``source``; whether all could be answered."""
        failures = 0
        for number, line in read_lines(source, self.notices.tell):
            try:
                text = self.form.answer(self._ask(number, self.parse(line)))
            except ChatbotError as error:
                failures += 1
                message = f"line {number}: {error}"
                show_error(message)
                text = self.form.failure(message)
            write_line(sink, text)
        return not failures

    def _ask(self, number: int, question: Question) -> Reply:
        history = self.memory.recall() if question.history is None else question.history
        reply = self.bot.reply(question.text, history, self.options, self.candidates)
        self.memory.add(question.text, reply.text)
        self.notices.about(reply, f"line {number}")
        return reply if self.why is None else self.bot.explained(reply, self.why)


def write_line(sink: BinaryIO, text: str) -> None:
    """Write a line and see it off.

    Raises:
        BrokenPipeError: nobody reads any more.
        ChatbotError: it cannot be written for another reason.
    """
    try:
        sink.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sink.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ChatbotError("standard output", error.strerror or str(error)) from error
