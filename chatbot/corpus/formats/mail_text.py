"""What somebody says in a mail: its text without what is quoted in it and what stands below it.

> a quoted line
On Fri, Mar 1, 2024 at 10:00 AM Ann <ann@x.org> wrote:      above quoted lines; else all that follows goes
-----Original Message-----                                  all that follows goes
From: Ann / Sent: Friday                                    all that follows goes
"-- "                                                       the signature and all that follows goes
"""

from __future__ import annotations

import re

from chatbot.corpus.formats.mail_phrases import FROM, ORIGINAL, SENT, SENT_BY_DEVICE, WROTE, phrases

_ATTRIBUTION_LINES = 4
"""The name and the date of who is quoted may be wrapped."""
_LONGEST_ATTRIBUTION = 400
_SHORT_SIGNATURE = 10
"""Lines below "--" without the space that makes it the mark of a signature."""


def _any(table: str) -> str:
    return "|".join(re.escape(phrase) for phrase in phrases(table))


_QUOTE = re.compile(r"[ \t]{0,3}[>＞]")
_OTHER_QUOTE = re.compile(r"[ \t]{0,3}\|[ \t]")
_WROTE = re.compile(rf"(?<!\w)(?:{_any(WROTE)})(?!\w)|写道|寫道|のメール|書きました|작성", re.IGNORECASE)
_WHEN = re.compile(r"\d{1,2}\s?[:.hH時时시点點]\s?\d\d|(?:19|20)\d\d")
_ADDRESS = re.compile(r"[<(\[]?[^\s<>()]+@[^\s<>()]+\.\w+[>)\]]?")
_COLON = re.compile(r"[:：]\W{0,3}$")
_ORIGINAL = re.compile(
    rf"[ \t]*(?:[-_*=]{{2,}}[ \t]*)(?:{_any(ORIGINAL)})[ \t]*:?[ \t]*[-_*=]{{0,}}[ \t]*$", re.IGNORECASE
)
_BEGIN_FORWARDED = re.compile(
    r"[ \t]*(?:begin forwarded message|anfang der weitergeleiteten nachricht)[ \t]*:", re.IGNORECASE
)
_DASHED = re.compile(r"[ \t]*-{3,}[ \t]*[^\W\d_][^-]{2,50}?-{3,}[ \t]*$")
_LABEL = r"[ \t]*\*{{0,2}}(?:{})[ \t\u00a0]*[:：]"
_FROM = re.compile(_LABEL.format(_any(FROM)), re.IGNORECASE)
_SENT = re.compile(_LABEL.format(_any(SENT)), re.IGNORECASE)
_RULE = re.compile(r"[ \t]*(?:_{5,}|-{5,}|={5,}|\*{5,})[ \t]*$")
_FOOTER = re.compile(r"_{40,}$")
"""What a mailing list writes above the lines it adds."""
_BY_DEVICE = re.compile(rf"[ \t]*(?:{_any(SENT_BY_DEVICE)})[^\n]{{0,80}}$", re.IGNORECASE)


def own_words(text: str) -> str:
    """The text of a mail without quotations, copies of other mails and signature."""
    lines = [line.rstrip(" \t\u00a0") if line != "-- " else line for line in text.split("\n")]
    lines = lines[: _end(lines)]
    while lines and (not lines[-1] or _RULE.match(lines[-1]) or _BY_DEVICE.match(lines[-1])):
        lines.pop()
    kept: list[str] = []
    last_quoted = False
    for at, line in enumerate(lines):
        if _is_quoted(lines, at):
            if not last_quoted:
                del kept[len(kept) - _attribution(kept, len(kept)) :]
            last_quoted = True
        elif line or not last_quoted:
            kept.append(line)
            last_quoted = False
    while kept and (not kept[-1] or _BY_DEVICE.match(kept[-1])):
        kept.pop()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def unflowed(text: str, joined: str = " ") -> str:
    """Text of ``format=flowed`` with its paragraphs on one line each.

    Args:
        joined: what stays of the space that a line to be continued ends with; "" for ``delsp=yes``.

    Source: RFC 3676, section 4.
    """
    result: list[list[str]] = []
    open_depth = -1
    for raw in text.split("\n"):
        depth = len(raw) - len(raw.lstrip(">"))
        line = raw[depth:].removeprefix(" ")
        flows = line.endswith(" ") and line != "-- "
        shown = line[:-1] + joined if flows else line
        if open_depth == depth and line != "-- ":
            result[-1].append(shown)
        else:
            result.append([(">" * depth + " " if depth else "") + shown])
        open_depth = depth if flows else -1
    return "\n".join(map("".join, result))


def _is_quoted(lines: list[str], at: int) -> bool:
    line = lines[at]
    if _QUOTE.match(line):
        return True
    beside = lines[max(0, at - 1)], lines[min(len(lines) - 1, at + 1)]
    return bool(_OTHER_QUOTE.match(line)) and any(
        _OTHER_QUOTE.match(other) for other in beside if other != line
    )


def _attribution(lines: list[str], bottom: int) -> int:
    """How many of the lines above one say who is quoted from there on, blank ones between included."""
    end = bottom
    while end and not lines[end - 1]:
        end -= 1
    if not end or not _COLON.search(lines[end - 1]):
        return 0
    for count in range(1, _ATTRIBUTION_LINES + 1):
        start = end - count
        if start < 0 or not lines[start]:
            break
        said = " ".join(lines[start:end])
        if len(said) > _LONGEST_ATTRIBUTION:
            break
        if _says_who(said):
            return bottom - _wrapped(lines, start, end)
    return 0


def _wrapped(lines: list[str], start: int, end: int) -> int:
    """Where an attribution begins whose last lines are known: with the paragraph, if that is one."""
    first = start
    while first and lines[first - 1] and end - first < _ATTRIBUTION_LINES:
        first -= 1
    whole = " ".join(lines[first:end])
    complete = bool(_WHEN.search(" ".join(lines[start:end])))
    return start if complete or (first and lines[first - 1]) or not _WHEN.search(whole) else first


def _says_who(said: str) -> bool:
    return bool(_WROTE.search(said) or (_ADDRESS.search(said) and _WHEN.search(said)))


def _end(lines: list[str]) -> int:
    """Where what was said ends and a signature, or a copy of another mail, begins."""
    for at, line in enumerate(lines):
        if not line:
            continue
        if line == "-- " or (line == "--" and len(lines) - at - 1 <= _SHORT_SIGNATURE):
            return at
        if _ORIGINAL.match(line) or _BEGIN_FORWARDED.match(line) or _FOOTER.match(line):
            return at
        below = [other for other in lines[at + 1 : at + 5] if other][:3]
        if _DASHED.match(line) and below and (_FROM.match(below[0]) or _SENT.match(below[0])):
            return at
        if _FROM.match(line) and any(_SENT.match(other) for other in below):
            return at
        if _COLON.search(line) and (start := _unmarked(lines, at)) is not None:
            return start
    return len(lines)


def _unmarked(lines: list[str], at: int) -> int | None:
    """Where an attribution begins that ends at a line, if what is quoted below it bears no mark."""
    below = at + 1
    while below < len(lines) and not lines[below]:
        below += 1
    if below < len(lines) and _QUOTE.match(lines[below]):
        return None
    count = _attribution(lines, at + 1)
    said = " ".join(lines[at + 1 - count : at + 1])
    sure = (
        _WROTE.search(said)
        and _WHEN.search(said)
        and (_ADDRESS.search(said) or re.search(r"\d[:.h]\d\d", said))
    )
    return at + 1 - count if count and sure else None
