"""``chatbot chat --replay FILE``: a transcript's questions asked again, and told where a reply differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from chatbot.cli.exits import FAILED, show_error
from chatbot.cli.pipe import write_line
from chatbot.display.text import printable
from chatbot.display.transcript import Heading
from chatbot.errors import ChatbotError
from chatbot.repl.bot import Bot
from chatbot.repl.recording import Tell, Transcribed, headings


@dataclass(frozen=True, slots=True)
class Replay:
    """A transcript to be gone through again.

    Args:
        load: a bot from the name or path of a checkpoint.
        named: the checkpoint of the first heading, where its name there is not the one to use.
    """

    transcript: Transcribed
    load: Callable[[str], Bot]
    named: str | None = None

    def run(self, sink: BinaryIO, tell: Tell) -> int:
        """Ask everything again and write the replies, a line each; the exit status is returned.

        Raises:
            ChatbotError: a checkpoint is gone, or is another one.
        """
        read = self.transcript
        bots = {by: self._bot(by) for by in headings(read.recordings, read.heading)}
        different = 0
        for each in read.recordings:
            reply = bots[each.by].reply(each.question, each.history, each.options, each.candidates)
            said = printable(each.said(reply))
            write_line(sink, said)
            if said != each.reply:
                different += 1
                show_error(f"{read.path}: line {each.line}: now replies {said!r}, then {each.reply!r}")
        tell(f"{len(read.recordings)} replies, {different or 'none'} of them different")
        return FAILED if different else 0

    def _bot(self, by: Heading) -> Bot:
        """The checkpoint that answered, and no other one of its name."""
        own = self.named if by == self.transcript.heading else None
        bot = self.load(own or by.checkpoint)
        if bot.fingerprint != by.fingerprint:
            what = f"was written with another checkpoint than {bot.name}: the sha256 of its manifest differs"
            raise ChatbotError(
                str(self.transcript.path), what, f"name the {by.checkpoint} that answered then"
            )
        return bot
