"""What is said in one cue of subtitles, and by whom, where the cue tells."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]+)>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:i|b|u|s|em|font|span|c|v|lang|ruby|rt|br)(?:[.\s][^<>]*)?/?>|<\d[\d:.]*>|\{\\[^{}]*\}|\{[a-zA-Z]:[^{}]*\}",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|lrm|rlm|apos|#\d{1,6});")
_MARKS = "\u200e\u200f\u202a\u202b\u202c\ufeff"
_DASH = re.compile(r"(?:[-–—‐‑‒―](?![-–—\d])|>>+)\s*")
_INNER_DASH = re.compile(r"(?<=[.?!…\"”。？！]) +(?=[-–—] ?[^\W\d_])")
_NAME = re.compile(r"([^\W\d_][^\W_]*(?:[ .'’\-]+[^\W_]+)*\.?)\s*(?:[(\[][^()\[\]]{0,60}[)\]])?\s*:(?:\s+|$)")
_LONGEST_NAME = 30
_OPENINGS = ("[", "(", "（")
_SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫♬].*|#\s.*#|\*\s?[^*]*\*|（[^（）]*）", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Speech:
    """Something said or heard.

    Args:
        text: without tags.
        speaker: "" where the cue does not tell.
        another: whether a dash says that somebody else begins, inside a cue.
        sound: whether it is a description of a sound, or a song.
    """

    text: str
    speaker: str = ""
    another: bool = False
    sound: bool = False


def speeches(lines: Sequence[str]) -> Iterator[Speech]:
    """Yield what is said in a cue of these lines, in their order."""
    parts: list[str] = []
    speaker, another = "", False
    begun = 0
    for name, dashed, text in _opened(lines):
        if name or dashed:
            yield from _speech(parts, speaker, another)
            begun += 1
            parts, speaker, another = [], name, dashed and begun > 1
        elif text[:1] in _OPENINGS and _SOUND.fullmatch(text):
            yield from _speech(parts, speaker, another)
            yield Speech(text, sound=True)
            parts = []
            continue
        begun = begun or 1
        parts.append(text)
    yield from _speech(parts, speaker, another)


def _speech(parts: Sequence[str], speaker: str, another: bool) -> Iterator[Speech]:
    text = " ".join(part for part in parts if part)
    if not text:
        return
    if _SOUND.fullmatch(text):
        yield Speech(text, sound=True)
    else:
        yield Speech(text, speaker, another)


def _opened(lines: Sequence[str]) -> Iterator[tuple[str, bool, str]]:
    """Yield (speaker or "", whether a dash opens it, text) for each line, and each voice of a line."""
    for line in lines:
        for name, piece in _voiced(line):
            text = _clean(piece)
            dash = _DASH.match(text)
            pieces = _INNER_DASH.split(text) if dash else [text]
            for inner in pieces:
                mark = _DASH.match(inner) if dash else None
                label, said = _labelled(inner[mark.end() :] if mark else inner)
                yield name or label, mark is not None, said


def _voiced(line: str) -> Iterator[tuple[str, str]]:
    """The pieces of a line with the names of their voice tags."""
    name, at = "", 0
    for tag in _VOICE.finditer(line):
        if line[at : tag.start()].strip():
            yield name, line[at : tag.start()]
        name, at = _clean(tag[1]), tag.end()
    yield name, line[at:]


def _clean(text: str) -> str:
    text = _TAG.sub("", text)
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return " ".join(text.strip(_MARKS + " \t").split())


def _labelled(text: str) -> tuple[str, str]:
    """A name in capitals before a colon, and the rest."""
    found = _NAME.match(text)
    if found is None or not found[1].isupper() or len(found[1]) > _LONGEST_NAME:
        return "", text
    return found[1], text[found.end() :]
