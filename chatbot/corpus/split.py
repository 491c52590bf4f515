"""The split into training and validation, by whole conversation."""

from __future__ import annotations

import hashlib


def is_held_out(conversation_id: str, share: float) -> bool:
    """Whether a conversation is for validation.

        first 8 bytes of sha256(id) / 2^64 < share

    The id alone decides: adding a conversation moves no other, every machine and run agrees, and a
    larger share holds out what a smaller one does and more. Pairs that occur twice must be dropped
    before the split, over all of the corpus, or both halves may get one.

    Args:
        share: of the conversations, from 0 to 1; kept on average, not exactly.
    """
    digest = hashlib.sha256(conversation_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
