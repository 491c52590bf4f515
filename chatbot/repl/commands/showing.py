"""Commands about what is shown of a reply."""

from __future__ import annotations

from chatbot.display.maps import MAPS
from chatbot.repl.commands.command import choice, count
from chatbot.repl.commands.searching import tell_search
from chatbot.repl.screen import Screen
from chatbot.repl.talk import OFF, Talk

PAIRS = 3
"""Training pairs that /why shows."""

WORDS = {"on": "words"}
"""Another word for an attention map."""


def attention(talk: Talk, screen: Screen, argument: str) -> None:
    """Show what each reply word looked at, as a map; without an argument off and on."""
    if argument:
        chosen = WORDS.get(argument, argument)
        talk.shown.attention = choice("/attention", chosen, [OFF, *MAPS])
    else:
        talk.shown.attention = WORDS["on"] if talk.shown.attention == OFF else OFF
    if talk.shown.attention == OFF:
        screen.say("Attention is not shown.")
        return
    screen.say(f"Attention is shown as {talk.shown.attention}.")
    if argument and talk.exchanges:
        screen.attention(talk.exchanges[-1], talk.shown.attention)


def candidates(talk: Talk, screen: Screen, argument: str) -> None:
    """Show the n best replies."""
    if argument:
        talk.show_candidates("/candidates", count("/candidates", argument))
    tell_search(talk, screen)


def why(talk: Talk, screen: Screen, argument: str) -> None:
    """Show where the last reply comes from, and the training pairs nearest to its question."""
    pairs = count("/why", argument) if argument else PAIRS
    screen.why(talk.bot.explained(talk.last("/why").reply, pairs))
