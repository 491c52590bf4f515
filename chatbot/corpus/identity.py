"""Ids of conversations whose source gives them none.

An id is made of what was said, never of a position, so that a conversation keeps its id, and with it
its side of the split, when others are added before it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.tally import Tally, fingerprint

DIGITS = 12
"""Hexadecimal digits of an id: 48 bits, so that among 100,000 conversations two rarely share one."""


def content_id(texts: Iterable[str]) -> str:
    """The first digits of the sha256 of the turns' texts."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:DIGITS]


class UniqueIds:
    """Gives conversations ids that none before has: the second of an id gets ``-2``, the third ``-3``.

    Fingerprints of ids are kept, not the ids.
    """

    def __init__(self) -> None:
        self._seen = Tally()

    def unique(self, identity: str) -> str:
        """The id, or a new one made of it."""
        count = self._seen.add(fingerprint(identity))
        found = identity
        while count > 1:
            found = f"{identity}-{count}"
            if self._seen.add(fingerprint(found)) == 1:
                return found
            count += 1
        return found


def with_unique_ids(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The same conversations; the second of an id gets ``-2``, the third ``-3``."""
    ids = UniqueIds()
    for conversation in conversations:
        unique = ids.unique(conversation.id)
        yield conversation if unique == conversation.id else dataclasses.replace(conversation, id=unique)
