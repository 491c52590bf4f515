"""DailyDialog: a dialogue a line, ``__eou__`` behind each utterance; two speakers take turns.

Source: Li et al. 2017, "DailyDialog: A Manually Labelled Multi-turn Dialogue Dataset", dialogues_text.txt.
"""

from __future__ import annotations

from collections.abc import Iterator

from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk

END_OF_UTTERANCE = "__eou__"
END_OF_TURN = "__eot__"
_SNIFFED = 50


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield the talk of each line; lines without the mark are counted as not understood."""
    for number, line in reading.lines_of(part):
        if END_OF_UTTERANCE not in line:
            if line.strip():
                reading.miss(part, number, line)
            continue
        if messages := alternating(line.split(END_OF_UTTERANCE)):
            yield Talk(messages)


def looks_like(head: Head) -> bool:
    """Nearly all lines hold the mark, and none the mark of the Ubuntu corpus."""
    lines = head.lines[:_SNIFFED]
    marked = sum(END_OF_UTTERANCE in line for line in lines)
    return bool(lines) and marked >= 0.8 * len(lines) and not any(END_OF_TURN in line for line in lines)
