"""The turns of a conversation that the next question is read with."""

from __future__ import annotations

from collections.abc import Sequence


class Memory:
    """The last turns, the questions and the replies alike.

    Args:
        turns: how many are kept; 0 makes every question independent.
    """

    def __init__(self, turns: int = 0) -> None:
        self._most = turns
        self._turns: list[str] = []

    @property
    def keeps(self) -> bool:
        """Whether anything is remembered at all."""
        return self._most > 0

    def recall(self) -> Sequence[str]:
        """The kept turns, oldest first."""
        return tuple(self._turns)

    def add(self, question: str, reply: str) -> None:
        """Remember an exchange; a blank side is no turn."""
        self._turns += [turn for turn in (question, reply) if turn.strip()]
        del self._turns[: max(0, len(self._turns) - self._most)]

    def clear(self) -> None:
        """Forget everything."""
        self._turns.clear()
