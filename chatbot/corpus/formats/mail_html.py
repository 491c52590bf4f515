"""The text of mails that are HTML: lines as a browser breaks them, quotations marked by ``>``."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

LONGEST = 1 << 18
"""Characters that are read; only newsletters are longer."""

_UNSEEN = frozenset(("script", "style", "head", "title", "template", "noscript", "svg", "select"))
_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "blockquote",
            "center",
            "dd",
            "div",
            "dl",
            "dt",
            "footer",
            "form",
            "h1",
            "h2",
        ),
        *("h3", "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"),
    )
)
_PARAGRAPHS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "pre"))
_SPACES = re.compile(r"[ \t\n\r\f]+")
_BLANKS = re.compile(r"\n{3,}")
_TAG = re.compile(r"<[^<>]*>")
_DEEPEST = 20
"""Quotations in quotations; more are as one."""


def text_of_html(markup: str) -> str:
    """What is seen of a page, without pictures."""
    reader = _Reader()
    try:
        reader.feed(markup[:LONGEST])
        reader.close()
    except (
        AssertionError,
        ValueError,
        IndexError,
        RecursionError,
    ):  # the parser gives up on odd declarations
        return unescape(_TAG.sub(" ", markup[:LONGEST])).strip()
    return reader.text()


class _Reader(HTMLParser):
    """Collects the lines of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line: list[str] = []
        self._unseen = ""
        self._inner = 0
        self._quoted = 0
        self._kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            self._inner += tag == self._unseen
            return
        if tag in _UNSEEN:
            self._unseen, self._inner = tag, 1
            return
        if tag == "body":
            return
        if tag == "br":
            self._end_line(blank=True)
        elif tag in _BLOCKS:
            self._begin_block(tag)
        elif tag in ("td", "th") and self._line:
            self._line.append(" ")
        if tag == "blockquote":
            self._quoted += 1
        elif tag == "pre":
            self._kept += 1
        elif tag == "li":
            self._line.append("- ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._inner -= tag == self._unseen
            if self._inner <= 0 or tag == "html":
                self._unseen = ""
            return
        if tag in _BLOCKS:
            self._begin_block(tag)
        if tag == "blockquote":
            self._quoted = max(0, self._quoted - 1)
        elif tag == "pre":
            self._kept = max(0, self._kept - 1)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if not self._kept:
            self._line.append(data)
            return
        first, *others = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._line.append(first.replace(" ", "\xa0"))
        for line in others:
            self._end_line(blank=True)
            self._line.append(line.replace(" ", "\xa0"))

    def text(self) -> str:
        """The lines so far."""
        self._end_line()
        return _BLANKS.sub("\n\n", "\n".join(self._lines)).strip("\n")

    def _begin_block(self, tag: str) -> None:
        self._end_line()
        if tag in _PARAGRAPHS and self._lines and self._lines[-1].strip("> "):
            self._lines.append(self._mark().rstrip())

    def _end_line(self, blank: bool = False) -> None:
        """End the line; one without text is left out unless it is there on purpose."""
        line = _SPACES.sub(" ", "".join(self._line)).strip(" ").replace("\xa0", " ")
        self._line.clear()
        if line or blank:
            self._lines.append((self._mark() + line).rstrip())

    def _mark(self) -> str:
        return "> " * min(self._quoted, _DEEPEST)
