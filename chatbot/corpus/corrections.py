"""Corrections: what a person taught a bot while talking, as a corpus to train on.

    you: what is your name
    bot: Juno.                 taught with /teach, or marked with /good
    you: how are you
    bot (bad): no i am not     marked with /bad: kept to be looked at, never learned

A conversation each: the turns before the question, the question, the reply. The corpus is an ordinary one:
``chatbot corpus show|check|forget corrections``, ``chatbot train corrections --from CHECKPOINT``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chatbot.corpus.conversation import NOBODY, Conversation, Turn
from chatbot.corpus.identity import content_id
from chatbot.corpus.split import is_held_out
from chatbot.corpus.store import CorpusMeta, is_corpus, read_conversations, write_corpus

NAME = "corrections"
USER, BOT, BAD = "you", "bot", "bot (bad)"

WIDEST_SPLIT = 0.5
"""The largest share of a corpus that can be held out; what was taught is to be learned, never held out."""

KEEP_ALL = {"near_duplicates": True, "echoes": True, "reply_cap": 0, "max_words": 0, "me": BOT}
"""Options of choosing pairs: what a person taught is not filtered, and the bot's side alone is learned."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corpus of corrections.

    Args:
        corpora: the folder it lies in.
    """

    corpora: Path

    @property
    def folder(self) -> Path:
        """Of the corpus."""
        return self.corpora / NAME

    def good(self, history: Sequence[str], question: str, reply: str) -> None:
        """Keep the reply that should be given; it takes the place of an earlier one to the same question.

        Args:
            history: the turns before the question, oldest first, the last of them the bot's.

        Raises:
            ChatbotError: the disk does not let us write, or the corpus there is damaged.
        """
        self._add(_said(history, question, Turn(BOT, reply)))

    def bad(self, history: Sequence[str], question: str, reply: str) -> None:
        """Keep a reply that should not have been given; it is no longer learned if it was.

        Raises:
            ChatbotError: the disk does not let us write, or the corpus there is damaged.
        """
        self._add(_said(history, question, Turn(BAD, reply)))

    def _add(self, turns: tuple[Turn, ...]) -> None:
        *before, reply = turns

        def contradicts(other: Conversation) -> bool:
            """Whether it says something else of the same question, or the same reply."""
            if other.turns[:-1] != tuple(before):
                return False
            return other.turns[-1].speaker == reply.speaker == BOT or other.turns[-1].text == reply.text

        earlier = read_conversations(self.folder) if is_corpus(self.folder) else iter(())
        kept = [each for each in earlier if not contradicts(each)]
        added = Conversation(_learned_id(turns), NAME, turns)
        meta = CorpusMeta("taught in conversations with a bot", NAME, {"data": KEEP_ALL})
        write_corpus(self.folder, [*kept, added], meta)


def _said(history: Sequence[str], question: str, reply: Turn) -> tuple[Turn, ...]:
    """The turns of a conversation that ends with a reply; the two sides took turns.

    What the bot said before answers nobody: those replies were not judged, so they are not learned.
    """
    texts = [*history, question]
    mine = [(len(texts) - 1 - at) % 2 == 1 for at in range(len(texts))]
    turns = [
        Turn(BOT, text, to=NOBODY) if own else Turn(USER, text) for own, text in zip(mine, texts, strict=True)
    ]
    return (*turns, reply)


def _learned_id(turns: Sequence[Turn]) -> str:
    """An id made of what was said, with which no split holds the conversation out."""
    identity = content_id(f"{turn.speaker}: {turn.text}" for turn in turns)
    tried = (f"{identity}-{number}" for number in itertools.count(1))
    return next(each for each in tried if not is_held_out(each, WIDEST_SPLIT))
