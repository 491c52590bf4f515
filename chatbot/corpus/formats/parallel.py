"""Two files, of which each line of one answers the same line of the other, as corpora of translation are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk
from chatbot.errors import CorpusError


def read_pair(src: Part, tgt: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk of two messages for each line; a line that is blank on one side is told and left out.

    Blank lines at the end of the longer file are passed over.

    Raises:
        CorpusError: the files have not as many lines; it is told at their end.
    """
    blank = first = ended = longest = 0
    lines = zip_longest(reading.lines_of(src), reading.lines_of(tgt), fillvalue=(0, ""))
    for (src_number, said), (tgt_number, reply) in lines:
        said, reply = said.strip(), reply.strip()
        if not src_number or not tgt_number:  # one of them has ended
            ended = ended or max(src_number, tgt_number)
            longest = max(src_number, tgt_number) if said or reply else longest
        elif said and reply:
            yield Talk(alternating((said, reply)))
        elif said or reply:
            blank += 1
            first = first or src_number
    if longest:
        counts = (longest, ended - 1) if src_number else (ended - 1, longest)
        what = f"have {counts[0]:,} and {counts[1]:,} lines"
        raise CorpusError(f"{src.name} and {tgt.name}", what, "each line needs its line in the other file")
    if blank:
        what = f"a line is blank in one of the two files; {blank} such lines were left out"
        reading.notify(f"{src.name} and {tgt.name}:{first}: {what}")
