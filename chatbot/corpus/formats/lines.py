"""Plain text: two speakers take turns line by line; a blank line ends a conversation.

The last conversation needs no blank line after it, nor a line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from chatbot.corpus.conversation import Conversation
from chatbot.corpus.decode import Head, Notify, lines_of
from chatbot.corpus.formats.format import alternating, shown_name

_MARKUP = re.compile(r'\s*(<!doctype|<html|<\?xml|[\[{]\s*$|\[\s*[\[{"]|\{\s*")', re.IGNORECASE)


def read(path: Path, notify: Notify) -> Iterator[Conversation]:
    """Yield a conversation for each run of lines that are not blank."""
    texts: list[str] = []
    for _, line in lines_of(path, notify):
        if line.strip():
            texts.append(line)
        elif texts:
            yield alternating(texts, shown_name(path))
            texts = []
    if texts:
        yield alternating(texts, shown_name(path))


def looks_like(head: Head) -> bool:
    """Any text, unless it opens as JSON, HTML or XML does: nobody wants to learn brackets."""
    return bool(head.lines) and not _MARKUP.match(head.lines[0])
