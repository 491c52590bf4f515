"""The text of mails that are HTML: lines as a browser breaks them, quotations marked by ``>``.

The parser of the standard library needs hours for some markup that is wrong; here time grows with length.
"""

from __future__ import annotations

import html
import re

LONGEST = 1 << 19
"""Characters that are read; only newsletters are longer."""

_TAG = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<[!?][^>]*>"
    r"""|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)(?>[^>"']++|"[^"]*+"|'[^']*+')*+>"""
)
_TAG_WITH_ODD_QUOTES = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)|<[!?][^>]*>|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)[^>]*>"
)
_TAG_START = re.compile(r"<[a-zA-Z/!?]")

_RAW = frozenset(("script", "style", "title", "textarea", "xml"))
"""Elements whose content is no markup, nor text that is seen."""
_UNSEEN = frozenset(("head", "template", "noscript", "svg", "select"))
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
_DEEPEST = 20
"""Quotations in quotations; more are as one."""


def text_of_html(markup: str) -> str:
    """What is seen of a page, without pictures."""
    markup = markup[:LONGEST]
    end = markup.rfind(">") + 1
    broken = _TAG_START.search(markup, end)
    page = _Page()
    at, tag = 0, _TAG
    while at < end and (start := _TAG_START.search(markup, at, end)):
        page.show(markup[at : start.start()])
        found = tag.match(markup, start.start(), end)
        if found is None and tag is _TAG:  # quotation marks that do not pair: they mean nothing from here on
            tag = _TAG_WITH_ODD_QUOTES
            found = tag.match(markup, start.start(), end)
        if found is None:  # such as "</ "
            page.show(start[0])
            at = start.end()
            continue
        at = found.end()
        name = (found["name"] or "").lower()
        if name in _RAW and not found["end"]:
            at = _after_raw(markup, at, name)
        elif name:
            (page.end if found["end"] else page.begin)(name)
    page.show(markup[at : broken.start() if broken else len(markup)])
    return page.text()


def _after_raw(markup: str, at: int, name: str) -> int:
    found = re.compile(f"</{name}[^>]*>", re.IGNORECASE).search(markup, at)
    return found.end() if found else len(markup)


class _Page:
    """Collects the lines of a page."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._unseen: list[str] = []
        self._quoted = 0
        self._kept = 0

    def begin(self, name: str) -> None:
        """An element begins."""
        if name in _UNSEEN:
            self._unseen.append(name)
        elif name == "body":
            self._unseen.clear()
        elif name == "br":
            self._end_line(blank=True)
        elif name in _BLOCKS:
            self._end_block(name)
        elif name in ("td", "th") and self._line:
            self._line.append(" ")
        if name == "blockquote":
            self._quoted += 1
        elif name == "pre":
            self._kept += 1
        elif name == "li":
            self._line.append("- ")

    def end(self, name: str) -> None:
        """An element ends."""
        if name in _UNSEEN:
            if name in self._unseen:
                del self._unseen[self._unseen.index(name) :]
            return
        if name in _BLOCKS:
            self._end_line()
        if name == "blockquote":
            self._quoted = max(0, self._quoted - 1)
        elif name == "pre":
            self._kept = max(0, self._kept - 1)
        if name in _BLOCKS:
            self._end_block(name)

    def show(self, text: str) -> None:
        """Text comes."""
        if self._unseen or not text:
            return
        text = _unescaped(text)
        if not self._kept:
            self._line.append(text)
            return
        first, *others = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._line.append(first.replace(" ", "\xa0"))
        for line in others:
            self._end_line(blank=True)
            self._line.append(line.replace(" ", "\xa0"))

    def text(self) -> str:
        """The lines so far."""
        self._end_line()
        return _BLANKS.sub("\n\n", "\n".join(self._lines)).strip("\n")

    def _end_block(self, name: str) -> None:
        self._end_line()
        if name in _PARAGRAPHS and self._lines:
            if not self._lines[-1].strip("> "):
                self._lines.pop()
            self._lines.append(self._mark().rstrip())

    def _end_line(self, blank: bool = False) -> None:
        """End the line; one without text is left out unless it is there on purpose."""
        line = _SPACES.sub(" ", "".join(self._line)).strip(" ").replace("\xa0", " ")
        self._line.clear()
        if line or blank:
            self._lines.append((self._mark() + line).rstrip())

    def _mark(self) -> str:
        return "> " * min(self._quoted, _DEEPEST)


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits
        return text
