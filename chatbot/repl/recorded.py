"""Recorded: a bot whose replies are written down as it gives them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chatbot.config import DecodingOptions
from chatbot.display.transcript import Exchange, Heading, Transcript
from chatbot.repl.bot import Bot, Saying

if TYPE_CHECKING:
    from chatbot.reply import Reply


def heading_of(bot: Bot) -> Heading:
    """What a transcript says of a bot."""
    return Heading(bot.name, bot.fingerprint)


def settings_of(options: DecodingOptions, candidates: int) -> dict[str, object]:
    """How a reply was searched for, as a transcript says it."""
    seed = options.sample_seed
    return {"decoding": dataclasses.asdict(options), "candidates": candidates, "seed": seed}


class Recorded:
    """Answers as a bot does, and writes every exchange down; a blank question is none."""

    def __init__(self, bot: Bot, transcript: Transcript) -> None:
        self.name = bot.name
        self.options = bot.options
        self.fingerprint = bot.fingerprint
        self.context = bot.context
        self.reads_history = bot.reads_history
        self._bot = bot
        self._transcript = transcript

    def check(self, options: DecodingOptions) -> None:
        """As the bot does."""
        self._bot.check(options)

    def explained(self, reply: Reply, pairs: int) -> Reply:
        """As the bot does."""
        return self._bot.explained(reply, pairs)

    def given(
        self, text: str, reply: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Reply:
        """As the bot does; it is no exchange."""
        return self._bot.given(text, reply, history, options)

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        """The bot's reply."""
        found = self._bot.reply(text, history, options, candidates)
        return self._written(found, history, options, candidates)

    def replies(
        self,
        texts: Sequence[str],
        options: DecodingOptions | None = None,
        candidates: int = 1,
        histories: Sequence[Sequence[str]] = (),
        attention: bool = True,
    ) -> Sequence[Reply]:
        """The bot's replies, with what was looked at: that is written down."""
        found = self._bot.replies(texts, options, candidates, histories)
        turns = histories or [()] * len(texts)
        for reply, history in zip(found, turns, strict=True):
            self._written(reply, history, options, candidates)
        return found

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Saying:
        """The bot's reply piece by piece, written down when it is whole."""
        return _RecordedSaying(self._bot.stream(text, history, options), self, history, options)

    def _written(
        self, reply: Reply, history: Sequence[str], options: DecodingOptions | None, candidates: int
    ) -> Reply:
        if reply.question.strip():
            settings = settings_of(options or self.options, candidates)
            self._transcript.add(Exchange(reply, tuple(history), settings))
        return reply


class _RecordedSaying:
    def __init__(
        self, saying: Saying, recorded: Recorded, history: Sequence[str], options: DecodingOptions | None
    ) -> None:
        self._saying = saying
        self._recorded = recorded
        self._asked = history, options

    @property
    def reply(self) -> Reply:
        return self._saying.reply

    def __iter__(self) -> Iterator[str]:
        yield from self._saying
        history, options = self._asked
        self._recorded._written(self._saying.reply, history, options, 1)
