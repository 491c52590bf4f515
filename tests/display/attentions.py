"""Attentions of any words and weights, for tests of what draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from chatbot.reply import Attention, Word


@dataclass(frozen=True)
class TurnedWord:
    """A word that may be of an earlier turn."""

    text: str
    start: int
    end: int
    turn: int = 0


@dataclass(frozen=True)
class TurnedAttention:
    """What an attention across turns looks like from outside."""

    source: tuple[TurnedWord, ...]
    reply: tuple[TurnedWord, ...]
    weights: tuple[tuple[float, ...], ...]
    end: tuple[float, ...] = ()


def words_in(text: str) -> tuple[Word, ...]:
    """The blank-separated words of a text, where they stand in it."""
    found, place = [], 0
    for word in text.split(" "):
        found.append(Word(word, place, place + len(word)))
        place += len(word) + 1
    return tuple(found)


def attention(source: str, reply: str, *weights: Sequence[float], end: Sequence[float] = ()) -> Attention:
    rows = tuple(map(tuple, weights))
    return Attention(words_in(source), words_in(reply), rows, tuple(end))


WIDE = attention(
    "你好 吗 😀 antidisestablishmentarianism é नमस्ते",
    "很好 👨\u200d👩\u200d👧 incomprehensibilities ok",
    (0.7, 0.2, 0.1, 0.0, 0.0, 0.0),
    (0.1, 0.2, 0.3, 0.4, 0.0, 0.0),
    (0.25, 0.55, 0.1, 0.03, 0.07, 0.0),
    (0.0, 0.0, 0.96, 0.0, 0.0, 0.04),
    end=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)

TURNS = TurnedAttention(
    (
        TurnedWord("hello", 0, 5, -2),
        TurnedWord("hi", 0, 2, -1),
        TurnedWord("there", 3, 8, -1),
        TurnedWord("who", 0, 3),
        TurnedWord("?", 3, 4),
    ),
    (TurnedWord("me", 0, 2),),
    ((0.1, 0.0, 0.5, 0.4, 0.0),),
)


@st.composite
def attentions(draw: st.DrawFn) -> TurnedAttention:
    """Any texts at all, any numbers, at any offsets and in any turns."""
    texts = st.lists(st.text(st.characters(exclude_categories=()), max_size=30), min_size=1, max_size=8)
    source, reply = draw(texts), draw(texts)
    turns = sorted(draw(st.lists(st.integers(-3, 0), min_size=len(source), max_size=len(source))))
    row = st.lists(st.floats(), min_size=len(source), max_size=len(source)).map(tuple)
    weights = draw(st.lists(row, min_size=len(reply), max_size=len(reply)))
    places = st.integers(0, 3)
    return TurnedAttention(
        tuple(
            TurnedWord(text, draw(places), draw(places), turn)
            for text, turn in zip(source, turns, strict=True)
        ),
        tuple(TurnedWord(text, 0, len(text)) for text in reply),
        tuple(weights),
        draw(st.just(()) | row),
    )
