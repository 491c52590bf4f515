from __future__ import annotations

import pytest

from chatbot.repl.memory import Memory


@pytest.mark.parametrize(
    ("turns", "kept"),
    [(0, ()), (1, ("d",)), (3, ("b", "c", "d")), (9, ("a", "b", "c", "d"))],
)
def test_memory_keeps_the_last_turns(turns: int, kept: tuple[str, ...]) -> None:
    memory = Memory(turns)
    memory.add("a", "b")
    memory.add("c", "d")
    assert memory.recall() == kept


def test_blank_side_is_no_turn() -> None:
    memory = Memory(9)
    memory.add(" ", "")
    memory.add("a", "")
    assert memory.recall() == ("a",)


def test_cleared_memory_is_empty() -> None:
    memory = Memory(9)
    memory.add("a", "b")
    memory.clear()
    assert memory.recall() == ()
