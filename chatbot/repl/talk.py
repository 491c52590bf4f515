"""A conversation going on: who answers, how replies are searched for and shown, what was said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.config import SAMPLE, Config, DecodingOptions
from chatbot.corpus.corrections import Corrections
from chatbot.display.text import whole
from chatbot.errors import ChatbotError, OptionError
from chatbot.repl.bot import Bot
from chatbot.repl.exchange import Exchange

if TYPE_CHECKING:
    from chatbot.reply import Reply

OFF = "off"


@dataclass(slots=True)
class Shown:
    """What is shown of a reply besides its text.

    Args:
        attention: the map that is drawn, a name of ``chatbot.repl.screen.MAPS``; "off" for none.
        candidates: how many of the best replies.
        why: how many training pairs near the question; None: nothing of where a reply comes from.
    """

    attention: str = OFF
    candidates: int = 1
    why: int | None = None


@dataclass(slots=True)
class Places:
    """Where a conversation's files are.

    Args:
        checkpoints, corpora: the folders of checkpoints and of corpora.
        load: a bot from the name or path of a checkpoint.
    """

    checkpoints: Path
    corpora: Path
    load: Callable[[str], Bot]


@dataclass(slots=True)
class Talk:
    """What the commands change and the next question is answered with.

    Args:
        options: how replies are searched for.
        turns: how many earlier turns a question is read with.
        exchanges: everything said, oldest first.
        since: exchanges from this one on are remembered; earlier ones were cleared.
        private: nothing that is typed is kept on the disk.
        draft: what the next line begins with.
    """

    bot: Bot
    options: DecodingOptions
    places: Places
    shown: Shown = field(default_factory=Shown)
    turns: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    since: int = 0
    private: bool = False
    draft: str = ""

    def ask(self, question: str, hear: Callable[[str], None] | None = None) -> Exchange:
        """Answer, and remember both sides.

        Args:
            hear: is given the reply piece by piece where it is made so (greedy search, sampling).
        """
        question, history = whole(question), self.history()
        if hear is None or not self.streams():
            reply = self.bot.reply(question, history, self.options, self.shown.candidates)
        else:
            reply = self._heard(question, history, hear)
        if self.shown.why is not None:
            reply = self.bot.explained(reply, self.shown.why)
        exchange = Exchange(question, reply, history, self.options, self.bot.name)
        self.exchanges.append(exchange)
        return exchange

    def _heard(self, question: str, history: tuple[str, ...], hear: Callable[[str], None]) -> Reply:
        saying = self.bot.stream(question, history, self.options)
        for piece in saying:
            hear(piece)
        return saying.reply

    def streams(self) -> bool:
        """Whether replies come word by word: where the first word is not taken back, and one is wanted."""
        return self.options.settles and self.shown.candidates == 1

    def history(self) -> tuple[str, ...]:
        """The turns the next question is read with, oldest first; a blank side is no turn."""
        turns = [
            text
            for exchange in self.exchanges[self.since :]
            for text in (exchange.question, exchange.said)
            if text.strip()
        ]
        return tuple(turns[max(0, len(turns) - self.turns) :])

    def last(self, where: str) -> Exchange:
        """The last exchange.

        Raises:
            OptionError: nothing was said yet; ``where`` names the command.
        """
        if not self.exchanges:
            raise OptionError(where, "nothing was said yet", "ask something first")
        return self.exchanges[-1]

    def picks(self, line: str) -> bool:
        """Whether a line picks one of the candidates that were shown: their number, and nothing else."""
        line = line.strip()
        if not (line.isascii() and line.isdigit() and self.shown.candidates > 1 and self.exchanges):
            return False
        return 1 <= int(line) <= len(self.exchanges[-1].reply.candidates)

    def pick(self, place: int) -> Exchange:
        """Let another candidate of the last exchange, counted from 1, count as its reply.

        Raises:
            OptionError: there is no such candidate.
        """
        self.exchanges[-1] = self.last(str(place)).pick(place)
        return self.exchanges[-1]

    def undo(self, where: str) -> Exchange:
        """Take the last exchange back, and return it."""
        exchange = self.last(where)
        self.exchanges.pop()
        self.since = min(self.since, len(self.exchanges))
        return exchange

    def retry(self, where: str, hear: Callable[[str], None] | None = None) -> Exchange:
        """Answer the last question anew: drawn by another seed, or by the next best reply of the search.

        Raises:
            OptionError: nothing was said yet, or the search finds no further reply; all stays as it was.
        """
        old = self.last(where)
        if self.options.search == SAMPLE:
            self.options = replace(self.options, sample_seed=self.options.sample_seed + 1)
            self.undo(where)
            return self.ask(old.question, hear)
        tried = {*old.tried, old.said}
        wide = replace(self.options, beam=max(self.options.beam, len(tried) + 1), beam_groups=1)
        reply = self.bot.reply(old.question, old.history, wide, wide.beam)
        others = [place for place, one in enumerate(reply.candidates) if one.reply not in tried]
        if not others:
            raise OptionError(where, "the search finds no other reply", "say /sample, or widen it with /beam")
        found = Exchange(old.question, reply, old.history, wide, self.bot.name, others[0], "", tuple(tried))
        self.exchanges[-1] = found
        return found

    def search(self, where: str, **changes: Any) -> None:
        """Change how replies are searched for; a narrower beam takes the candidates down with it.

        Raises:
            OptionError: a value that is not allowed, or not by this bot; ``where`` names the command.
        """
        options = Config(decoding=self.options).replace(changes, where).decoding
        self.bot.check(options)
        self.options = options
        self.shown.candidates = min(self.shown.candidates, self.options.most_candidates)

    def show_candidates(self, where: str, count: int) -> None:
        """Show so many candidates from now on.

        Raises:
            OptionError: fewer than one, or more than the search gives.
        """
        most = self.options.most_candidates
        if not 1 <= count <= most:
            raise OptionError(
                where, f"{count} of a beam of {most}", f"say 1 to {most}, or widen it with /beam"
            )
        self.shown.candidates = count

    def switch(self, name: str) -> None:
        """Go on with another checkpoint, in its own way of searching; what was said stays.

        Raises:
            ChatbotError: there is none of that name, or it is damaged; this one goes on then.
        """
        bot = self.places.load(name)
        self.bot, self.options = bot, bot.options
        self.shown.candidates = min(self.shown.candidates, self.options.most_candidates)

    def mark(self, where: str, mark: str) -> None:
        """Keep what the last reply was worth, among the corrections.

        Args:
            mark: "good" or "bad".

        Raises:
            ChatbotError: nothing was said yet, the conversation is private, or the disk is full.
        """
        exchange = replace(self.last(where), mark=mark)
        keep = {"good": self._corrections(where).good, "bad": self._corrections(where).bad}[mark]
        keep(exchange.history, exchange.question, exchange.said)
        self.exchanges[-1] = exchange

    def teach(self, where: str, better: str) -> None:
        """Keep what should have been said in the place of the last reply, among the corrections.

        Raises:
            ChatbotError: as for ``mark``.
        """
        exchange = self.last(where)
        self._corrections(where).good(exchange.history, exchange.question, whole(better))
        self.exchanges[-1] = replace(exchange, mark="taught")

    def _corrections(self, where: str) -> Corrections:
        if self.private:
            raise ChatbotError(where, "this conversation is private", "say /private off first")
        return Corrections(self.places.corpora)
