"""conv: ``E`` begins a dialogue, ``M`` is a turn; two speakers take turns.

    E
    M 你/好/吗
    M 我/很/好

Some of these files write a ``/`` between words. Where at least half of the first turns with two Chinese
characters or more have one between two of them, ``/`` is taken out everywhere, and is a space between letters
of scripts that have spaces. In any other file it is text, as in ``and/or``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk

_HAN = (
    r"[\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_SPLIT = re.compile(rf"{_HAN}/{_HAN}")
_TWO = re.compile(rf"{_HAN}.*{_HAN}", re.DOTALL)
_BETWEEN_LETTERS = re.compile(rf"(?<=(?!{_HAN})[^\W_])/(?=(?!{_HAN})[^\W_])")
_SNIFFED = 200


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each dialogue; lines that are neither E nor M are counted as not understood."""
    lines = reading.lines_of(part)
    start = list(islice(lines, _SNIFFED))
    split = _is_split([line for _, line in start])
    texts: list[str] = []
    for number, line in chain(start, lines):
        if _is_turn(line):
            texts.append(_joined(line[1:]) if split else line[1:])
        elif line.strip() == "E":
            if any(text.strip() for text in texts):
                yield Talk(alternating(texts))
            texts = []
        elif line.strip():
            reading.miss(part, number, line)
    if any(text.strip() for text in texts):
        yield Talk(alternating(texts))


def looks_like(head: Head) -> bool:
    """Nearly all lines are E or begin with M, and there are both."""
    lines = head.lines[:_SNIFFED]
    ends = sum(line.strip() == "E" for line in lines)
    turns = sum(map(_is_turn, lines))
    return ends > 0 and turns > 0 and ends + turns >= 0.9 * len(lines)


def _is_turn(line: str) -> bool:
    return line == "M" or line.startswith(("M ", "M\t"))


def _is_split(lines: Sequence[str]) -> bool:
    turns = [line for line in lines if _is_turn(line) and _TWO.search(line)]
    return bool(turns) and sum(bool(_SPLIT.search(line)) for line in turns) * 2 >= len(turns)


def _joined(text: str) -> str:
    return _BETWEEN_LETTERS.sub(" ", text).replace("/", "")
