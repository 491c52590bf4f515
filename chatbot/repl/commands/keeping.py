"""Commands about what is kept: corrections, marks, the conversation in a file."""

from __future__ import annotations

from chatbot.repl.commands.command import choice
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk


def teach(talk: Talk, screen: Screen, argument: str) -> None:
    """Keep a better reply to the last question."""
    talk.teach("/teach", argument)
    screen.say(f"Kept. chatbot train corrections --from {talk.bot.name} learns it.")


def good(talk: Talk, screen: Screen, argument: str) -> None:
    """Keep the last reply as one to give again."""
    talk.mark("/good", "good")
    screen.say(f"Kept as a good reply. chatbot train corrections --from {talk.bot.name} learns it.")


def bad(talk: Talk, screen: Screen, argument: str) -> None:
    """Keep the last reply as one not to give."""
    talk.mark("/bad", "bad")
    screen.say("Kept as a bad reply; /teach BETTER REPLY says what to answer instead.")


def private(talk: Talk, screen: Screen, argument: str) -> None:
    """Keep nothing of what is typed from now on."""
    talk.private = choice("/private", argument or "on", ("on", "off")) == "on"
    kept = "Nothing of what you type is kept." if talk.private else "What you type is kept in the history."
    screen.say(kept)
