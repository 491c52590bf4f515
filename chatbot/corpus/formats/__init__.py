"""The formats a file of conversations may be in: one module each, and the table of them."""

from __future__ import annotations

from pathlib import Path

from chatbot.corpus.decode import head_of
from chatbot.corpus.formats import chatterbot, jsonl, lines, tsv
from chatbot.corpus.formats.format import Format
from chatbot.errors import CorpusError

FORMATS: dict[str, Format] = {
    "jsonl": Format(jsonl.read, jsonl.looks_like, "JSON lines: turns, messages, or question and answer"),
    "chatterbot": Format(chatterbot.read, chatterbot.looks_like, "ChatterBot YAML: lists of what was said"),
    "tsv": Format(tsv.read, tsv.looks_like, "one pair a line: what was said, a tab, the reply"),
    "lines": Format(lines.read, lines.looks_like, "two speakers line by line, a blank line between talks"),
}
"""By name; the first that recognises a file reads it, so the least particular comes last."""


def recognise(path: Path) -> str:
    """The name of a file's format.

    Raises:
        CorpusError: the file is none we know, or no text at all.
    """
    head = head_of(path)
    for name, known in FORMATS.items():
        if known.looks_like(head):
            return name
    formats = ", ".join(f"{name} ({known.description})" for name, known in FORMATS.items())
    raise CorpusError(str(path), "is in no known format", f"turn it into one of: {formats}")
