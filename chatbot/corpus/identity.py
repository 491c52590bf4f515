"""Ids of conversations whose source gives them none.

An id is made of what was said, never of a position, so that a conversation keeps its id, and with it
its side of the split, when others are added before it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator

from chatbot.corpus.conversation import Conversation

DIGITS = 12
"""Hexadecimal digits of an id: 48 bits, so that among 100,000 conversations two rarely share one."""


def content_id(texts: Iterable[str]) -> str:
    """The first digits of the sha256 of the turns' texts."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:DIGITS]


def with_unique_ids(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The same conversations; the second of an id gets ``-2``, the third ``-3``."""
    seen: dict[str, int] = {}
    for conversation in conversations:
        unique, count = conversation.id, seen.get(conversation.id, 0)
        while unique in seen:
            count += 1
            unique = f"{conversation.id}-{count}"
        seen[conversation.id] = max(count, 1)
        seen.setdefault(unique, 1)
        yield conversation if unique == conversation.id else dataclasses.replace(conversation, id=unique)
