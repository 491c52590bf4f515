"""ParlAI's text formats.

    text:hello<TAB>labels:hi there|hi<TAB>episode_done:True     several labels: the first is the reply
    1 hello<TAB>hi there                                        the older form: numbers begin again at 1
    2 how are you?<TAB>fine                                     with each episode

In the first ``\\n``, ``\\t`` and ``__PIPE__`` stand for a line end, a tab and a bar. In the second a line
without a tab is context that nobody says (a persona, a fact): a system note.

Source: https://parl.ai/docs/tutorial_task.html, "ParlAI Dialog format" and "FbDialogTeacher".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from chatbot.corpus.input.decode import Head
from chatbot.corpus.input.reading import Reading
from chatbot.corpus.input.source import Part
from chatbot.corpus.message import SYSTEM, Message, Talk

_FIELDS = re.compile(r"(?:^|\t)(text|labels|eval_labels|episode_done):")
_NUMBERED = re.compile(r"(\d{1,5}) (.*)", re.DOTALL)
_ESCAPES = {r"\n": "\n", r"\t": "\t", "__PIPE__": "|"}
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))
_SNIFFED = 50

_Line = tuple[int, str]


def read(part: Part, reading: Reading) -> Iterator[Talk]:
    """Yield a talk for each episode; lines of neither form are counted as not understood."""
    lines = ((number, line) for number, line in reading.lines_of(part) if line.strip())
    first = next(lines, None)
    if first is None:
        return
    episodes = _numbered if _NUMBERED.fullmatch(first[1]) else _tagged
    for messages in episodes(part, reading, chain([first], lines)):
        if messages:
            yield Talk(messages)


def looks_like(head: Head) -> bool:
    """Nearly all lines have the fields' names, or are numbered in order with a tab in most of them."""
    lines = head.lines[:_SNIFFED]
    tagged = sum("text" in (names := _FIELDS.findall(line)) and len(names) > 1 for line in lines)
    return bool(lines) and (tagged >= 0.8 * len(lines) or _is_numbered(lines))


def _is_numbered(lines: Sequence[str]) -> bool:
    numbers = [int(found[1]) if (found := _NUMBERED.fullmatch(line)) else -1 for line in lines]
    in_order = all(new in (old + 1, 1) for old, new in zip([0, *numbers], numbers, strict=False))
    return len(lines) > 1 and in_order and sum("\t" in line for line in lines) * 2 >= len(lines)


def _tagged(part: Part, reading: Reading, lines: Iterable[_Line]) -> Iterator[list[Message]]:
    messages: list[Message] = []
    for number, line in lines:
        fields = _fields(line)
        if "text" not in fields and "labels" not in fields:
            reading.miss(part, number, line)
            continue
        reply = fields.get("labels", fields.get("eval_labels", "")).split("|")[0]
        said = (("A", fields.get("text", "")), ("B", reply))
        messages += [Message(speaker, _unescaped(text).strip()) for speaker, text in said if text.strip()]
        if fields.get("episode_done", "").strip().casefold() == "true":
            yield messages
            messages = []
    yield messages


def _fields(line: str) -> dict[str, str]:
    pieces = (piece.partition(":") for piece in line.split("\t"))
    return {name.strip(): value for name, _, value in pieces}


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def _numbered(part: Part, reading: Reading, lines: Iterable[_Line]) -> Iterator[list[Message]]:
    messages: list[Message] = []
    for number, line in lines:
        found = _NUMBERED.fullmatch(line)
        if found is None:
            reading.miss(part, number, line)
            continue
        if int(found[1]) == 1 and messages:
            yield messages
            messages = []
        texts = [_unescaped(text).strip() for text in found[2].split("\t")]
        if len(texts) == 1:
            messages.append(Message("", texts[0], kind=SYSTEM))
        else:
            said = (("A", texts[0]), ("B", texts[1].split("|")[0]))
            messages += [Message(speaker, text) for speaker, text in said if text]
    yield messages
