"""Long lines of few characters: no pattern may take a time that grows with their square."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbot.corpus.formats import (
    chatterbot,
    conv,
    convokit,
    cornell,
    dailydialog,
    jsonl,
    lines,
    parlai,
    script,
    subtitles,
    table,
    tsv,
    ubuntu,
)
from chatbot.corpus.formats.cue import speeches
from chatbot.corpus.formats.rows import Rows
from chatbot.corpus.input.decode import Head

SNIFFERS = (
    *(chatterbot, conv, convokit, cornell, dailydialog, jsonl, lines, parlai, script, subtitles),
    *(table, tsv, ubuntu),
)
PIECES = [
    "a ",
    " ",
    '"',
    ',"',
    ',"a',
    '""',
    "<i ",
    "<v a",
    "{\\",
    "(",
    "[",
    "- a.",
    "A:",
    "A B",
    "1:2",
    "#",
    "♪",
    "你/",
    "\t",
]


@pytest.mark.parametrize("piece", PIECES)
def test_long_line_is_read_in_bounded_time(piece: str) -> None:
    long = "A" + piece * (200_000 // len(piece))
    head = Head(Path("a.csv"), (long, piece * 30_000, long))
    for sniffer in SNIFFERS:
        sniffer.looks_like(head)
    list(speeches([long, "ANN: " + long]))
    list(Rows(enumerate([long] * 3), ","))
