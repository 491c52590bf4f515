"""Recorded: a bot whose replies are written down as it gives them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatbot.config import DecodingOptions
from chatbot.display.transcript import Exchange, Heading, Transcript
from chatbot.repl.bot import Bot

if TYPE_CHECKING:
    from chatbot.reply import Reply


def heading_of(bot: Bot) -> Heading:
    """What a transcript says of a bot."""
    return Heading(bot.name, bot.fingerprint)


class Recorded:
    """Answers as a bot does, and writes every exchange down; a blank question is none.

    Args:
        seed: the one the conversation was begun with.
    """

    def __init__(self, bot: Bot, transcript: Transcript, seed: int = 0) -> None:
        self.name = bot.name
        self.options = bot.options
        self.reads_history = bot.reads_history
        self.fingerprint = bot.fingerprint
        self._bot = bot
        self._transcript = transcript
        self._seed = seed

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        """The bot's reply."""
        reply = self._bot.reply(text, history, options, candidates)
        if text.strip():
            decoding = dataclasses.asdict(options or self.options)
            settings = {"decoding": decoding, "candidates": candidates, "seed": self._seed}
            self._transcript.add(Exchange(reply, tuple(history), settings))
        return reply
