"""AttentionSizes: the plain numbers that scores and alignments are made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AttentionSizes:
    """Everything a score or an alignment may ask about when it is made.

    Args:
        query, value: sizes of what asks and of what is looked at.
        inner: hidden units of scores that have a layer of their own.
        src_len: longest source, in tokens.
        window: half-width of local alignments, in tokens.
        heads: of multi-head attention.
    """

    query: int
    value: int
    inner: int
    src_len: int = 40
    window: int = 5
    heads: int = 4

    @classmethod
    def square(cls, size: int) -> AttentionSizes:
        """Query, value and inner layer of one size."""
        return cls(size, size, size)
