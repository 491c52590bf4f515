"""One pair a line: what was said, a tab, the reply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.decode import Head, Notify, lines_of
from chatbot.corpus.formats.format import alternating, shown_name
from chatbot.errors import CorpusError

_SNIFFED = 50


def read(path: Path, notify: Notify) -> Iterator[Conversation]:
    """Yield each line as a conversation of two turns; lines without a tab are told and left out.

    Raises:
        CorpusError: no line holds a pair.
    """
    pairs = 0
    without: list[int] = []
    longer: list[int] = []
    for number, line in lines_of(path, notify):
        if not line.strip():
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) == 1:
            without.append(number)
        elif any(columns[:2]):
            longer += [number] if len(columns) > 2 else []
            pairs += all(columns[:2])
            yield alternating(columns[:2], shown_name(path))
    if not pairs:
        raise CorpusError(str(path), "no line holds a pair", "write what was said, a tab, the reply")
    if without:
        notify(f"{path}:{without[0]}: no tab; {len(without)} such lines were left out")
    if longer:
        notify(f"{path}:{longer[0]}: more than two columns; of {len(longer)} such lines the first two count")


def looks_like(head: Head) -> bool:
    """At least half of the first lines hold a tab between two texts."""
    lines = head.lines[:_SNIFFED]
    return sum("\t" in line.strip() for line in lines) * 2 >= max(len(lines), 1)
