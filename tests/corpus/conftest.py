"""What the tests of the corpus room share."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.conversation import Conversation, Turn


class Notices(list[str]):
    """Collects notices; give it where a callback is wanted."""

    def __call__(self, notice: str) -> None:
        self.append(notice)


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """An empty folder of corpora."""
    (tmp_path / "corpora").mkdir()
    return tmp_path / "corpora"


@pytest.fixture
def talk():
    """Make a conversation of speakers A and B in turn: talk("Hi", "Hello")."""

    def make(*texts: str, id: str = "talk", language: str | None = None) -> Conversation:  # noqa: A002
        turns = tuple(Turn("AB"[position % 2], text) for position, text in enumerate(texts))
        return Conversation(id, "test", turns, language)

    return make
