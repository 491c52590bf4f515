"""Scrubber: texts without personal data; speakers under pseudonyms.

A speaker becomes "Speaker 1", "Speaker 2" and so on in the order of appearance, so the same input gives the
same corpus everywhere; who has such a name already keeps it. Personal data becomes the placeholders of
``privacy.personal``. What a name is, and where it is seen, ``privacy.speaker_names`` tells;
names of people who are no speakers stay, and so do inflected names ("Анной").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

from chatbot.corpus.privacy.finding import UNSPACED, Found
from chatbot.corpus.privacy.personal import PLACEHOLDERS, apart, found
from chatbot.corpus.privacy.speaker_names import SpeakerNames
from chatbot.errors import OptionError

NAME = "name"
"""The kind that replaced names are counted under."""

NOBODY_KNOWN = "Speaker 0"
"""The pseudonym of who is not among the speakers."""

_PSEUDONYM = re.compile("Speaker (?:0|[1-9][0-9]{0,8})")
_PLACEHOLDER = "|".join(map(re.escape, PLACEHOLDERS.values()))
_LETTER = f"[^\\W{UNSPACED}]"
_KEPT = re.compile(f"({_PLACEHOLDER}|(?<!{_LETTER}){_PSEUDONYM.pattern}(?!{_LETTER}))")
_STARTS_WORD = re.compile(_LETTER)
_BETWEEN_PARTS = re.compile(r",? +|-")


class Scrubber:
    """Takes personal data out of texts, and names of speakers.

    Scrubbing what was scrubbed changes nothing. It can be sent to another process; the counts stay.

    Args:
        names: the speakers in the order of appearance; repeated and empty ones are passed over.
        region: country whose phone numbers are written without "+", as two letters; "": none.

    Attributes:
        mapping: pseudonyms by name. It must never be written to a disk.
        counts: how much was replaced in texts, by kind; names are counted as "name".

    Raises:
        OptionError: there is no such region.
    """

    def __init__(self, names: Iterable[str], region: str = "") -> None:
        self._region = _checked(region)
        self.mapping = _pseudonyms([name for name in dict.fromkeys(names) if name])
        self.counts: Counter[str] = Counter()
        self._names = _names_of(tuple(self.mapping.items()))

    def __reduce__(self) -> tuple[type[Scrubber], tuple[tuple[str, ...], str]]:
        return Scrubber, (tuple(self.mapping), self._region)

    def known(self, name: str) -> bool:
        """Whether a name is one of the speakers'."""
        return name in self.mapping

    def speaker(self, name: str) -> str:
        """The pseudonym of a speaker."""
        if name in self.mapping or _PSEUDONYM.fullmatch(name):
            return self.mapping.get(name, name)
        return NOBODY_KNOWN

    def text(self, text: str) -> str:
        """The text with placeholders for personal data and pseudonyms for names of speakers."""
        pieces = self._pieces(text)
        return text if len(pieces) == 1 and not pieces[0][1] else _joined(pieces)

    def _pieces(self, text: str) -> list[tuple[str, bool]]:
        """The pieces of a scrubbed text, and which of them stand for something.

        A piece that is left is searched again by itself, as it will be when the text is scrubbed again.
        """
        done: list[tuple[str, bool]] = []
        waiting = [(text, False)]
        while waiting:
            piece, stands = waiting.pop()
            cut = None if stands or not piece else self._cut(piece)
            if cut is None:
                done.append((piece, stands))
            else:
                waiting.extend(reversed(cut))
        return done

    def _cut(self, text: str) -> list[tuple[str, bool]] | None:
        """A text as pieces, the first things in it replaced; None where there is nothing to replace."""
        if ("[" in text or "Speaker" in text) and _KEPT.search(text) is not None:
            return [(piece, at % 2 == 1) for at, piece in enumerate(_KEPT.split(text))]
        items = list(self._replaced(text))
        if not items:
            return None
        cut: list[tuple[str, bool]] = []
        at = 0
        for item, by in items:
            cut += [(text[at : item.start], False), (by, True)]
            at = item.end
        return [*cut, (text[at:], False)]

    def _replaced(self, text: str) -> Iterator[tuple[Found, str]]:
        """What is replaced, and by what; parts of one name that follow each other are one."""
        speakers: dict[tuple[int, int], str] = {}
        for name in self._names.found(text):
            speakers.setdefault((name.start, name.end), name.speaker)
        names = [Found(NAME, start, end) for start, end in speakers]
        items = apart(names + found(text, self._region))
        merged: list[tuple[Found, str]] = []
        for item in items:
            if item.kind != NAME:
                by = PLACEHOLDERS[item.kind]
            else:
                sign = text[item.start] if text[item.start] in "@＠" else ""
                by = sign + speakers[item.start, item.end]
            if merged and item.kind == NAME and _is_rest(text, merged[-1], item, by):
                merged[-1] = (Found(NAME, merged[-1][0].start, item.end), merged[-1][1])
            else:
                merged.append((item, by))
        self.counts.update(item.kind for item, _ in merged)
        yield from merged


@lru_cache(maxsize=4)
def _names_of(pseudonyms: tuple[tuple[str, str], ...]) -> SpeakerNames:
    """Kept because a worker gets the same speakers with each shard, and many take long to prepare."""
    return SpeakerNames(dict(pseudonyms))


def _checked(region: str) -> str:
    """A region in capitals."""
    if not region:
        return ""
    from phonenumbers import SUPPORTED_REGIONS

    if region.upper() not in SUPPORTED_REGIONS:
        raise OptionError("--region", f"no country {region!r}", "give two letters such as GB")
    return region.upper()


def _pseudonyms(names: list[str]) -> dict[str, str]:
    """Pseudonyms by name, in the order of the names."""
    taken = {name for name in names if _PSEUDONYM.fullmatch(name)}
    free = (pseudonym for number in count(1) if (pseudonym := f"Speaker {number}") not in taken)
    return {name: name if name in taken else next(free) for name in names}


def _is_rest(text: str, before: tuple[Found, str], item: Found, by: str) -> bool:
    """Whether a name goes on: "Smith, Ann" is one speaker, "Ann, Ann" is called twice."""
    last, earlier = before
    if last.kind != NAME or earlier.lstrip("@＠") != by:
        return False
    one, other = text[last.start : last.end].lower(), text[item.start : item.end].lower()
    between = _BETWEEN_PARTS.fullmatch(text, last.end, item.start)
    return between is not None and one not in other and other not in one


def _joined(pieces: list[tuple[str, bool]]) -> str:
    """The pieces as one text; a space keeps a pseudonym from growing together with a word."""
    out = ""
    joint = False
    parts: list[str] = []
    for piece, stands in pieces:
        if not piece:
            continue
        if (stands or joint) and out and _STARTS_WORD.match(piece) and _STARTS_WORD.match(out[-1]):
            parts.append(" ")
        parts.append(piece)
        out, joint = piece, stands
    return "".join(parts)
