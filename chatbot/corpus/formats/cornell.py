"""The Cornell movie dialogs corpus, whose fields are parted by `` +++$+++ ``.

    L1045 +++$+++ u0 +++$+++ m0 +++$+++ ANN +++$+++ They do not!        movie_lines.txt
    u0 +++$+++ u2 +++$+++ m0 +++$+++ ['L194', 'L195']                   movie_conversations.txt

The lines are written backwards; conversations name them in order. Without the conversations, lines that
follow each other in number, each by another character than the one before, are a talk. The other files of the
corpus have the same separator and hold nothing that is said: they are passed over.

Source: Danescu-Niculescu-Mizil and Lee 2011, "Chameleons in imagined conversations".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message, Talk
from chatbot.errors import CorpusError

_SEPARATOR = "+++$+++"
_LINE = re.compile(r"L(\d{1,12})")
_IDS = re.compile(r"L\d{1,12}")
_SNIFFED = 50


class _Said(NamedTuple):
    """A line of a movie."""

    speaker: str
    movie: str
    text: str


def read(parts: Sequence[Part], reading: Reading) -> Iterator[Talk]:
    """Yield the talks of all parts together, since one names the lines of another.

    Raises:
        CorpusError: there is no line of a movie.
    """
    said: dict[int, _Said] = {}
    conversations: list[tuple[str, list[int]]] = []
    for part in parts:
        for number, line in reading.lines_of(part):
            if not line.strip():
                continue
            fields = [field.strip() for field in line.split(_SEPARATOR, 4)]
            if found := _LINE.fullmatch(fields[0]):
                said[int(found[1])] = _said(fields)
            elif len(fields) > 1 and fields[-1].startswith("["):
                conversations.append((fields[2] if len(fields) > 3 else "", _numbers(fields[-1])))
            elif len(fields) == 1:
                reading.miss(part, number, line)
    if not said:
        what = "has no lines of a movie" if parts else "there is no file"
        raise CorpusError(", ".join(part.name for part in parts), what, "give movie_lines.txt too")
    yield from _named(parts, reading, said, conversations) if conversations else _runs(said)


def looks_like(head: Head) -> bool:
    """Nearly all lines hold the separator."""
    lines = head.lines[:_SNIFFED]
    return bool(lines) and sum(_SEPARATOR in line for line in lines) >= 0.8 * len(lines)


def _said(fields: Sequence[str]) -> _Said:
    _, user, movie, name, text = [*fields, "", "", "", ""][:5]
    return _Said(name or user, movie, text)


def _numbers(text: str) -> list[int]:
    return [int(found[1:]) for found in _IDS.findall(text)]


def _named(
    parts: Sequence[Part],
    reading: Reading,
    said: dict[int, _Said],
    conversations: Iterable[tuple[str, list[int]]],
) -> Iterator[Talk]:
    missing = 0
    for movie, numbers in conversations:
        known = [said[number] for number in numbers if number in said]
        missing += len(numbers) - len(known)
        if known:
            yield _talk(movie or known[0].movie, known)
    if missing:
        names = ", ".join(part.name for part in parts)
        reading.notify(f"{names}: {missing} lines that conversations name are missing and were left out")


def _runs(said: dict[int, _Said]) -> Iterator[Talk]:
    """Lines in the order of their numbers, movie by movie."""
    movies = dict.fromkeys(line.movie for line in said.values())
    places = {movie: place for place, movie in enumerate(movies)}
    run: list[_Said] = []
    last = -1
    for number in sorted(said, key=lambda number: (places[said[number].movie], number)):
        line = said[number]
        if run and (number != last + 1 or line.movie != run[-1].movie or line.speaker == run[-1].speaker):
            yield _talk(run[-1].movie, run)
            run = []
        run.append(line)
        last = number
    if run:
        yield _talk(run[-1].movie, run)


def _talk(movie: str, lines: Iterable[_Said]) -> Talk:
    return Talk([Message(line.speaker, line.text) for line in lines], name=movie)
