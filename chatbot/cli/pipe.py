"""Pipe mode of ``chatbot chat``: for each line read one answer, in order, written at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from chatbot.cli.ahead import line_batches
from chatbot.cli.exits import show_error
from chatbot.cli.forms import Form
from chatbot.cli.notices import Notices
from chatbot.cli.questions import Line, Question, plain_question, read_line
from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError
from chatbot.repl.bot import Bot
from chatbot.repl.memory import Memory

if TYPE_CHECKING:
    from chatbot.reply import Reply

TOGETHER = 256
"""Lines answered together at most, where so many are there: four batches of a search, each of questions of
like length. More would not be faster and would keep the first of them waiting."""


@dataclass(frozen=True, slots=True)
class Pipe:
    """A bot between two streams.

    Lines that are there are answered together, one that comes alone is answered alone. Where a line is
    asked with the ones before it, each waits for the reply to the one before.

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
        number, failures = 0, 0
        for batch in line_batches(source, 1 if self.memory.keeps else TOGETHER):
            lines = [read_line(raw, number + place) for place, raw in enumerate(batch, start=1)]
            number += len(lines)
            for line, found in zip(lines, self._answers(lines), strict=True):
                failures += isinstance(found, ChatbotError)
                write_line(sink, self._told(line, found))
        return not failures

    def _told(self, line: Line, found: Reply | ChatbotError) -> str:
        """What is written for a line, after what is told about it."""
        if line.damaged:
            self.notices.tell(f"line {line.number}: is not all UTF-8; what could not be read was replaced")
        if isinstance(found, ChatbotError):
            message = f"line {line.number}: {found}"
            show_error(message)
            return self.form.failure(message)
        self.notices.about(found, f"line {line.number}")
        explained = found if self.why is None else self.bot.explained(found, self.why)
        return self.form.answer(explained)

    def _answers(self, lines: Sequence[Line]) -> list[Reply | ChatbotError]:
        """The reply to each line, or why there is none."""
        found: list[Question | Reply | ChatbotError] = [self._parsed(line.text) for line in lines]
        places = [place for place, each in enumerate(found) if isinstance(each, Question)]
        questions = [each for each in found if isinstance(each, Question)]
        for place, reply in zip(places, self._asked(questions), strict=True):
            found[place] = reply
        return [each for each in found if not isinstance(each, Question)]

    def _parsed(self, text: str) -> Question | ChatbotError:
        try:
            return self.parse(text)
        except ChatbotError as error:
            return error

    def _asked(self, questions: Sequence[Question]) -> Sequence[Reply | ChatbotError]:
        """What the bot replies; where it refuses them together, it is asked one by one."""
        texts = [question.text for question in questions]
        kept = self.memory.recall()
        histories = [kept if each.history is None else each.history for each in questions]
        if any(histories) and not self.bot.reads_history:
            self.notices.unread()
        try:
            replies = self.bot.replies(texts, self.options, self.candidates, histories, self.form.attention)
        except ChatbotError as error:
            if len(questions) == 1:
                return [error]
            return [found for question in questions for found in self._asked([question])]
        for text, reply in zip(texts, replies, strict=True):
            self.memory.add(text, reply.text)
        return replies


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
