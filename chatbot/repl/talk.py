"""A conversation going on: who answers, how replies are searched for and shown, what was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatbot.config import SAMPLE, Config, DecodingOptions
from chatbot.corpus.corrections import Corrections
from chatbot.display.text import whole
from chatbot.errors import ChatbotError, OptionError
from chatbot.repl.bot import Bot
from chatbot.repl.exchange import Exchange
from chatbot.repl.recorded import heading_of

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
        files: those that hold this conversation and may be written anew.
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
    files: set[Path] = field(default_factory=set)

    def ask(self, question: str, hear: Callable[[str], None] | None = None) -> Exchange:
        """Answer, and remember both sides.

        Args:
            hear: is given the reply piece by piece where it is made so (greedy search, sampling).
        """
        exchange = self._answer(whole(question), self.history(), self.options, hear)
        self.exchanges.append(exchange)
        return exchange

    def _answer(
        self,
        question: str,
        history: tuple[str, ...],
        options: DecodingOptions,
        hear: Callable[[str], None] | None = None,
    ) -> Exchange:
        """An exchange with the bot that answers now."""
        if hear is None or not self.streams():
            reply = self.bot.reply(question, history, options, self.shown.candidates)
        else:
            saying = self.bot.stream(question, history, options)
            for piece in saying:
                hear(piece)
            reply = saying.reply
        return self._exchange(question, reply, history, options, self.shown.candidates)

    def _exchange(
        self, question: str, reply: Reply, history: tuple[str, ...], options: DecodingOptions, asked: int
    ) -> Exchange:
        """With where the reply comes from, if that is shown."""
        asking = question, self._explained(reply), history, options, heading_of(self.bot), asked
        return Exchange(*asking, begins=self.since == len(self.exchanges), private=self.private)

    def _explained(self, reply: Reply) -> Reply:
        return reply if self.shown.why is None else self.bot.explained(reply, self.shown.why)

    def streams(self) -> bool:
        """Whether replies come word by word: where the first word is not taken back, and one is wanted."""
        return self.options.settles and self.shown.candidates == 1

    def history(self) -> tuple[str, ...]:
        """The turns the next question is read with, oldest first; a blank side is no turn.

        What was said in private is read in private only, so that no file that is kept repeats it.
        """
        turns = [
            text
            for exchange in self.exchanges[self.since :]
            for text in (exchange.question, exchange.said)
            if text.strip() and self.private >= exchange.private
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
        self.exchanges[-1] = self.picked(self.last(str(place)), place)
        return self.exchanges[-1]

    def picked(self, exchange: Exchange, place: int) -> Exchange:
        """The exchange with a candidate, counted from 1, as its reply; what that one looked at is found out.

        Raises:
            OptionError: there is no such candidate.
        """
        chosen = exchange.candidate(place)
        if chosen is not exchange.reply and exchange.reply.attention and self.answered(exchange):
            with suppress(OptionError):  # a candidate without words looks nowhere
                said = exchange.question, chosen.text, exchange.history, exchange.options
                chosen = replace(chosen, attention=self.bot.given(*said).attention)
        if exchange.reply.why is not None and self.answered(exchange):
            chosen = self.bot.explained(chosen, len(exchange.reply.why.pairs))
        return replace(exchange, picked=place, chosen=chosen)

    def answered(self, exchange: Exchange) -> bool:
        """Whether an exchange is with the bot that answers now."""
        return exchange.by.fingerprint == self.bot.fingerprint

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
            options = replace(self.options, sample_seed=self.options.sample_seed + 1)
            found = self._answer(old.question, old.history, options, hear)
            self.options = options
        else:
            found = self._next_best(where, old)
        return self._instead(found)

    def _next_best(self, where: str, old: Exchange) -> Exchange:
        """The best reply of the search that was not tried yet."""
        tried = (*old.tried, old.said)
        beam = max(self.options.beam, len(set(tried)) + 1)
        wide = replace(self.options, beam=beam, beam_groups=1, focus=old.options.focus)
        reply = self.bot.reply(old.question, old.history, wide, beam)
        others = [place for place, one in enumerate(reply.candidates, start=1) if one.reply not in tried]
        if not others:
            raise OptionError(where, "the search finds no other reply", "say /sample, or widen it with /beam")
        found = replace(self._exchange(old.question, reply, old.history, wide, beam), tried=tried)
        return found if others[0] == 1 else self.picked(found, others[0])

    def focus(self, where: str, words: Sequence[str]) -> Exchange:
        """Answer the last question anew, looking more at some of its words.

        Raises:
            OptionError: nothing was said yet, what was read has no such word, or the bot cannot be told where
                to look; all stays as it was.
        """
        from chatbot.engines.focus import spans_of  # finds words by what a conversation may never need

        old = self.last(where)
        turns = (*old.reply.history, old.question)
        lacking = [word for word in words if not any(spans_of(turn, [word]) for turn in turns)]
        if lacking:
            raise OptionError(where, f"no {lacking[0]!r} in the last question", "name words of it")
        options = replace(self.options, focus=tuple(words))
        self.bot.check(options)
        return self._instead(self._answer(old.question, old.history, options))

    def _instead(self, exchange: Exchange) -> Exchange:
        """Let an exchange take the place of the last one, which it asks again."""
        old = self.exchanges[-1]
        private = exchange.private or old.private
        self.exchanges[-1] = replace(exchange, begins=old.begins, private=private)
        return self.exchanges[-1]

    def explained(self, where: str, pairs: int) -> Reply:
        """The last reply with where it comes from.

        Raises:
            OptionError: nothing was said yet, or another checkpoint said it.
        """
        exchange = self.last(where)
        if not self.answered(exchange):
            what = f"{exchange.by.checkpoint} said that, and {self.bot.name} answers now"
            raise OptionError(where, what, f"/retry, or go back with /checkpoint {exchange.by.checkpoint}")
        return self.bot.explained(exchange.counted, pairs)

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
        if self.private or (self.exchanges and self.exchanges[-1].private):
            raise ChatbotError(where, "this was said in private", "say /private off, and ask again")
        return Corrections(self.places.corpora)
