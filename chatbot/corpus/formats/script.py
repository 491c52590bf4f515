"""Scripts and transcripts: ``NAME: what is said``.

A line without a name goes on with what the one before says. A blank line or ``---`` ends a talk; where a
blank line stands after nearly every speech, two of them do. A direction that stands alone in (parentheses)
or [brackets] is a system note; one behind the name, as in ``ANN (softly):``, is left out.

A name is at most 30 characters long and its words begin with capitals, or are of a script that has none; any
other must come up more than once in the first lines, as nicknames do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SYSTEM, Message, Talk

_LABEL = re.compile(
    r"\s*([^\W\d_][\w .'’\-]{0,29}?)\s*+(?:[(\[（][^()\[\]（）]{0,60}[)\]）])?+\s*+(?::(?!//|\d)|：)\s*(.*)",
    re.DOTALL,
)
_DIRECTION = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|={3,}|_{3,})\s*")

_KNOWN_FROM = 2000
"""Lines that are looked at for nicknames and for what blank lines mean."""

_WORDS = 4
_SNIFFED = 200
_LABELLED = 0.7
_APART = 0.8
"""Share of speeches that stand alone between blank lines, from which blank lines end nothing."""


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the talks between blank lines or rules; lines before the first name are not understood."""
    lines = reading.lines_of(part)
    start = list(islice(lines, _KNOWN_FROM))
    texts = [line for _, line in start]
    names = _recurring(texts)
    blanks = 2 if _stand_apart(texts, names) else 1
    for block in _blocks(chain(start, lines), blanks):
        if messages := _messages(block, names, part, reading):
            yield Talk(messages)


def looks_like(head: Head) -> bool:
    """Most lines have a label, of at least two, which come up again."""
    lines = [
        line for line in head.lines[:_SNIFFED] if not _DIRECTION.fullmatch(line) and not _RULE.fullmatch(line)
    ]
    names = _recurring(lines)
    labels = Counter(label[0] for line in lines if (label := _label(line, names)) is not None)
    labelled = sum(labels.values())
    if len(labels) < 2 or labelled < _LABELLED * len(lines):
        return False
    return labels.most_common(1)[0][1] >= 2 and len(labels) * 3 <= labelled * 2


def _label(line: str, names: set[str]) -> tuple[str, str] | None:
    """The name a line begins with and what is said; None where it has no name."""
    found = _LABEL.fullmatch(line)
    if found is None:
        return None
    name, said = found.groups()
    return (name, said.strip()) if name in names or _is_a_name(name) else None


def _is_a_name(label: str) -> bool:
    """Few words, none of which begins with a small letter."""
    words = label.split()
    return len(words) <= _WORDS and not any(word[0].islower() for word in words)


def _recurring(lines: Iterable[str]) -> set[str]:
    """Labels that come up more than once."""
    found = (_LABEL.fullmatch(line) for line in lines)
    counts = Counter(match[1] for match in found if match is not None)
    return {name for name, count in counts.items() if count > 1}


def _stand_apart(lines: Sequence[str], names: set[str]) -> bool:
    """Whether nearly every speech has a block of its own between blank lines."""
    blocks = [0]
    for line in lines:
        if not line.strip():
            blocks.append(0)
        elif _label(line, names) is not None:
            blocks[-1] += 1
    speeches = [count for count in blocks if count]
    return len(speeches) > 2 and speeches.count(1) >= _APART * len(speeches)


def _blocks(lines: Iterable[tuple[int, str]], blanks: int) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines, ended by a rule or by so many blank lines."""
    block: list[tuple[int, str]] = []
    seen = 0
    for number, line in lines:
        seen = 0 if line.strip() else seen + 1
        if seen >= blanks or _RULE.fullmatch(line):
            if block:
                yield block
            block = []
        elif not seen:
            block.append((number, line))
    if block:
        yield block


def _messages(
    block: Iterable[tuple[int, str]], names: set[str], part: Part, reading: Reading
) -> list[Message]:
    messages: list[Message] = []
    last = -1  # the speech that a line without a name goes on with
    for number, line in block:
        if _DIRECTION.fullmatch(line):
            messages.append(Message("", line.strip(), kind=SYSTEM))
        elif (label := _label(line, names)) is not None:
            last = len(messages)
            messages.append(Message(*label))
        elif last >= 0:
            text = f"{messages[last].text}\n{line.strip()}".strip()
            messages[last] = messages[last]._replace(text=text)
        else:
            reading.miss(part, number, line)
    return messages
