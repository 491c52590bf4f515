"""Commands about what is shown of a reply."""

from __future__ import annotations

from collections.abc import Iterable

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
    screen.why(talk.explained("/why", pairs))


def focus(talk: Talk, screen: Screen, argument: str) -> None:
    """Answer the last question again, looking more at some of its words, and show what was looked at."""
    words = tuple(dict.fromkeys(argument.split()))
    screen.exchange(lambda hear: talk.focus("/focus", words), talk)
    if talk.shown.attention == OFF:
        screen.attention(talk.exchanges[-1], WORDS["on"])


def question_words(talk: Talk, argument: str) -> Iterable[str]:
    """Words of the last question that begin as the last word typed, behind those typed before."""
    if not talk.exchanges:
        return
    before, _, begun = argument.rpartition(" ")
    typed = before.casefold().split()
    for word in dict.fromkeys(talk.exchanges[-1].question.split()):
        bare = word.strip(".,;:!?\"'()")
        if bare and bare.casefold().startswith(begun.casefold()) and bare.casefold() not in typed:
            yield f"{before} {bare}".lstrip()
