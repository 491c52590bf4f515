"""From a conversation to pairs of something said and the reply it got.

Messages of one speaker in a row are one turn. Every turn but the first is the reply of a pair, so pairs
overlap: A1 B1 A2 gives (A1, B1) and (B1, A2), and a conversation of one turn gives none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from chatbot.corpus.conversation import Conversation, Pair, Turn


def pairs_of(conversation: Conversation, context: int = 1) -> Iterator[Pair]:
    """Yield the pairs of a conversation in order; neither side of a pair is blank.

    Args:
        context: how many turns before the reply its src holds, where there are so many.
    """
    texts = merged(conversation.turns)
    for reply in range(1, len(texts)):
        src = tuple(texts[max(0, reply - context) : reply])
        yield Pair(src, texts[reply], conversation.id)


def merged(turns: Iterable[Turn]) -> list[str]:
    """What was said, turn by turn: blank turns dropped, those of one speaker in a row joined by a space."""
    runs: list[list[str]] = []
    speaker = None
    for turn in turns:
        if is_blank(turn.text):
            continue
        if turn.speaker != speaker or not runs:
            runs.append([])
        speaker = turn.speaker
        runs[-1].append(turn.text.strip())
    return [" ".join(run) for run in runs]


def is_blank(text: str) -> bool:
    """Whether nobody would see anything: only white space, control codes and invisible characters."""
    return all(char.isspace() or unicodedata.category(char) in _UNSEEN for char in text)


_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
