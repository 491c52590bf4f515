"""The Ubuntu dialogue corpus: a file of tabs for each dialogue, or the tables made from them.

    2004-11-23T11:49:00.000Z <TAB> ann <TAB> bob <TAB> hello      date, from, to, text; "to" may be blank
    Context,Utterance,Label                                       CSV; ``__eou__`` ends an utterance and
    "hi __eou__ __eot__ hello __eou__ __eot__","bye __eou__",1    ``__eot__`` a turn

In the tables only rows of label 1 are talks: in the others the utterance was drawn by chance. The tables for
testing have "Ground Truth Utterance" instead.

Source: Lowe et al. 2015, "The Ubuntu Dialogue Corpus".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from chatbot.corpus.formats.dailydialog import END_OF_TURN, END_OF_UTTERANCE
from chatbot.corpus.formats.moment import moment
from chatbot.corpus.formats.rows import Rows
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Message, Talk

_DIALOGUE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z?\t[^\t]*\t[^\t]*\t.*", re.DOTALL)
_TABLE = re.compile(r'"?context"?,"?(ground truth )?utterance"?(,|$)', re.IGNORECASE)
_SNIFFED = 50


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the talk of a file of one dialogue, or the talks of a table."""
    lines = reading.lines_of(part)
    first = next(lines, None)
    if first is None:
        return
    if _TABLE.match(first[1]):
        yield from _table(part, reading, Rows(lines, ","))
    else:
        yield Talk(_dialogue(part, reading, chain([first], lines)))


def looks_like(head: Head) -> bool:
    """The headings of the tables, or nearly all lines with a date, two names and a text between tabs."""
    lines = head.lines[:_SNIFFED]
    if not lines or _TABLE.match(lines[0]):
        return bool(lines)
    return sum(bool(_DIALOGUE.fullmatch(line)) for line in lines) >= 0.9 * len(lines)


def _dialogue(part: Part, reading: Reading, lines: Iterator[tuple[int, str]]) -> Iterator[Message]:
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split("\t", 3)
        if len(fields) < 4:
            reading.miss(part, number, line)
            continue
        time, speaker, to, text = (field.strip() for field in fields)
        yield Message(speaker, text, moment(time), mentions=(to,) if to else ())


def _table(part: Part, reading: Reading, rows: Rows) -> Iterator[Talk]:
    others = 0
    for number, fields in rows:
        if len(fields) < 2:
            reading.miss(part, number, ",".join(fields))
        elif len(fields) == 3 and fields[2].strip() in ("0", "0.0"):
            others += 1
        elif messages := _turns(fields[0], fields[1]):
            yield Talk(messages)
    if others:
        reading.notify(
            f"{part.name}: {others} rows of label 0 were left out: their utterances are no replies"
        )


def _turns(context: str, reply: str) -> list[Message]:
    turns = [turn for turn in context.split(END_OF_TURN) if turn.strip()]
    return [
        Message("AB"[at % 2], text.strip())
        for at, turn in enumerate([*turns, reply])
        for text in turn.split(END_OF_UTTERANCE)
        if text.strip()
    ]
