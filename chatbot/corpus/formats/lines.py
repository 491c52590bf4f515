"""Plain text: two speakers take turns line by line; a blank line ends a conversation.

The last conversation needs no blank line after it, nor a line end. Any text is of this form, so what a
machine wrote must be told from it: lines that begin with dates, or all with brackets, are a log or a chat
export in a form that nobody here reads, and learning from it would be learning dates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from chatbot.corpus.formats.format import alternating
from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import Talk

_MARKUP = re.compile(r'\s*(<!doctype|<html|<\?xml|[\[{]\s*$|\[\s*[\[{"]|\{\s*")', re.IGNORECASE)

_SNIFFED = 200
_FEWEST = 3
"""Lines it takes to speak of most of them."""

_PREFIX = 40
"""Characters a prefix of a machine may take up to its date or time."""

_MONTH = (
    r"(?:jan|feb|fév|mar|mär|apr|avr|abr|may|mai|jun|juin|jul|juil|aug|aoû|ago|sep|oct|okt|out|nov|dec|dez|déc|dic"
    r"|янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)"
)
_MOMENT = re.compile(
    r"\d{1,4}[-/.]\s?\d{1,2}[-/.]\s?\d{1,4}"  # 31.12.2024, 2024/1/3
    r"|\d{1,4}\s?[年년]"
    r"|\b(?:19|20)\d\d(?:[01]\d[0-3]\d|[-./]?W[0-5]\d)"  # 20241231, 2024W03
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?[\s\-/]*(?:of |de )?{_MONTH}[^\W\d]{{0,8}}\b"  # 3rd of Jan
    rf"|\b{_MONTH}[^\W\d]{{0,8}}[.\s\-/]+\d{{1,4}}\b"
    r"|\b\d{1,2}[:.h]\d{2}(?:\b|[:.m]\d|h)"  # 10:30, 10h30, 12h45m
    r"|\b\d{1,2}\s?[ap]\.?m\b"
    r"|\b1[0-9]{9}(?:\d{3})?\b",  # seconds since 1970
    re.IGNORECASE,
)
_WORD = r"(?:[\u4e00-\u9fff]{1,3}|[^\W\d_\u4e00-\u9fff]{1,12})"
_BEFORE = re.compile(rf"[\W\d_]*(?:{_WORD}[\s.,]*)?|.*[\[(<{{【|;,\t–—\-#]\s*", re.DOTALL)
"""What may stand before a date that a machine wrote: nothing but signs, a weekday, or anything and a sign."""

_BRACKETS = re.compile(r"\s*(?:\[[^\]]{1,40}\]|\([^)]{1,40}\)|<[^>]{1,40}>|\{[^}]{1,40}\}|【[^】]{1,40}】)")
_NUMBERS = re.compile(r"\s*#?\d+\s*[|;>\t]|\s*#?\d{5,}\b")


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each run of lines that are not blank."""
    texts: list[str] = []
    for _, line in reading.lines_of(part):
        if line.strip():
            texts.append(line)
        elif texts:
            yield Talk(alternating(texts))
            texts = []
    if texts:
        yield Talk(alternating(texts))


def looks_like(head: Head) -> bool:
    """Any text, unless it opens as JSON, HTML or XML does, or its lines are those of a log."""
    lines = head.lines[:_SNIFFED]
    return bool(lines) and not _MARKUP.match(lines[0]) and not _is_log(lines)


def _is_log(lines: Sequence[str]) -> bool:
    """Whether half of the lines have a date in one kind of prefix, or nearly all the same kind of sign."""
    if len(lines) < _FEWEST:
        return False
    dated = Counter(prefix for line in lines if (prefix := _dated_prefix(line)))
    if dated and dated.most_common(1)[0][1] * 2 >= len(lines):
        return True
    signs = Counter(sign for line in lines if (sign := _sign(line)))
    return bool(signs) and signs.most_common(1)[0][1] >= 0.9 * len(lines)


def _dated_prefix(line: str) -> str:
    """The shape of a line up to a date or time, where it looks like written by a machine; else ""."""
    found = _MOMENT.search(line, 0, 2 * _PREFIX)
    if found is None or found.start() > _PREFIX or not _BEFORE.fullmatch(line, 0, found.start()):
        return ""
    shape = re.sub(r"\d+", "9", line[: found.end()])
    return re.sub(r"[^\W\d_]+(?:[ .][^\W\d_]+)*", "a", shape)


def _sign(line: str) -> str:
    """The kind of bracket or number a line begins with; "" for none."""
    if _BRACKETS.match(line):
        return line.lstrip()[0]
    return "9" if _NUMBERS.match(line) else ""
