"""Commands about the conversation itself: back, again, over."""

from __future__ import annotations

from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk


def clear(talk: Talk, screen: Screen, argument: str) -> None:
    """Read the next question as if nothing had been said."""
    talk.since = len(talk.exchanges)
    screen.say("What was said before is forgotten.")


def retry(talk: Talk, screen: Screen, argument: str) -> None:
    """Answer the last question in another way."""
    screen.exchange(lambda hear: talk.retry("/retry", hear), talk)


def undo(talk: Talk, screen: Screen, argument: str) -> None:
    """Take the last question and its reply back."""
    taken = talk.undo("/undo")
    screen.say(f"Taken back: {taken.question}")


def edit(talk: Talk, screen: Screen, argument: str) -> None:
    """Take the last question back and put it on the prompt."""
    talk.draft = talk.undo("/edit").question


def leave(talk: Talk, screen: Screen, argument: str) -> None:
    """End the conversation."""
    raise EOFError
