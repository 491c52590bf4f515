"""What is shown of a reply: the attributes that display reads, whoever made the object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class ShownWord(Protocol):
    """A word with character offsets into the text it is from: turn 0, -1 for the one before, ..."""

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def turn(self) -> int: ...


class ShownAttention(Protocol):
    """How much each reply word looked at each source word.

    Shapes: weights [len(reply), len(source)].
    """

    @property
    def source(self) -> Sequence[ShownWord]: ...
    @property
    def reply(self) -> Sequence[ShownWord]: ...
    @property
    def weights(self) -> Sequence[Sequence[float]]: ...


class ShownCandidate(Protocol):
    """One of several replies, with the score it was ranked by."""

    @property
    def reply(self) -> str: ...
    @property
    def score(self) -> float: ...


class ShownPair(Protocol):
    """A training pair near a question."""

    @property
    def question(self) -> str: ...
    @property
    def reply(self) -> str: ...
    @property
    def similarity(self) -> float: ...


class ShownWhy(Protocol):
    """Where a reply comes from; ``verbatim`` is None where that is not known."""

    @property
    def pairs(self) -> Sequence[ShownPair]: ...
    @property
    def verbatim(self) -> bool | None: ...


class ShownReply(Protocol):
    """A question and what the bot answered."""

    @property
    def question(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def fallback(self) -> bool: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def candidates(self) -> Sequence[ShownCandidate]: ...
    @property
    def attention(self) -> ShownAttention | None: ...
    @property
    def history(self) -> Sequence[str]: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def why(self) -> ShownWhy | None: ...
