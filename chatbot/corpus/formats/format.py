"""Format: how one kind of file is recognised and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.decode import Head, Notify
from chatbot.corpus.identity import content_id

Reader = Callable[[Path, Notify], Iterator[Conversation]]
Sniffer = Callable[[Head], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file.

    Args:
        read: yields conversations while it reads; raises CorpusError with file and line.
        looks_like: whether the first lines are of this format.
        description: one line for help and error messages.
    """

    read: Reader
    looks_like: Sniffer
    description: str


def shown_name(path: Path) -> str:
    """A file's name as text that can be written, whatever bytes it is made of."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def alternating(texts: list[str], origin: str) -> Conversation:
    """A conversation of two speakers who take turns, its id made of what they say.

    A blank text is a turn that is missing: it is left out, and nobody else becomes its speaker.
    """
    turns = tuple(Turn("AB"[at % 2], text.strip()) for at, text in enumerate(texts) if text.strip())
    return Conversation(content_id(turn.text for turn in turns), origin, turns)
