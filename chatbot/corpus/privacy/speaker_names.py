"""The names of speakers, and where they stand in a text.

A name is looked for in the forms below; which of them it has hangs on how surely each means the person.

    the whole name      in any case: "ANN SMITH"; as written where all its words are everyday words
    one word            in any case; as written where it has two letters, or is a word too: "Max"
    an everyday word    as written with a capital, inside a sentence: "ask Will" but not "Will you?"
    a part of a name    given name or surname of 3 letters or more, with a capital; no everyday word
    Han, kana, Hangul   two characters or more, anywhere; the given name after one of the usual surnames too
    digits              five or more, however they are grouped: a phone number stands for who has no name
    after "@"           every name, in any case

A name is a whole word: no letter or digit of its script's kind stands beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from chatbot.corpus.privacy.everyday import EVERYDAY, NAMES_FIRST, NEVER_NAMES
from chatbot.corpus.privacy.finding import UNSPACED

_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u109f"
"""Signs that belong to the letter before them, and scripts full of such: they go on a word."""

_HIDDEN = "\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Characters without a width, such as those that exports put around names."""

_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇"
    "卢盧蒋蔣蔡贾賈丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯"
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반"
)
"""Surnames of one character that most people of China and Korea have."""

_DIRECTIONS = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_EDGES = " \t\n\r\u00a0\u200c\u200d"
_PUNCTUATION = ".,;:!?'\"~*_|/\\"
_BRACKETS = re.compile(r"[(\[{<（【][^()\[\]{}<>（）【】]*[)\]}>）】]|\s-\s.*$")

_LETTERS = re.compile(f"(?:[^\\W\\d_]|[{_MARKS}]|['’])+")
_THAI = re.compile("[\u0e00-\u0eff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_GIVEN = re.compile("[\u4e00-\u9fff]{3}|[\uac00-\ud7a3]{3}")
_ALL_UNSPACED = re.compile(f"[{UNSPACED}]+")
_WORDLIKE = re.compile(f"[^\\W{UNSPACED}]|[{_MARKS}]")
_UNIT = f"(?:[^\\W{UNSPACED}]|[{_MARKS}])+|[{UNSPACED}]"
_INSIDE = re.compile(r"(?:[^\W\d_A-Z]|,) $")
_AT = re.compile(f"[@＠][{_HIDDEN}]{{0,2}}$")
_HIDDEN_AT_START = re.compile(f"^[{_HIDDEN}]+")
_APOSTROPHES = re.compile("['’ʼ]")
_DIGITS_ALONE = re.compile(r"[+(]?\d[\d .()/\u00a0-]*")
_GAP = r"[ .()/\u00a0-]{0,3}"
_SOME_DIGITS = re.compile(r"\d")
_NUMBER = "0"
"""The unit of a name of digits: they may be grouped in any way."""

_LEAST_DIGITS = 5
_LEAST_LETTERS = 3


class Name(NamedTuple):
    """Where a speaker is named in a text, "@" before it included.

    Args:
        speaker: the pseudonym.
    """

    start: int
    end: int
    speaker: str


class _Seen(Enum):
    """Where a form of a name means the person; after "@" each does."""

    ANYWHERE = auto()
    AS_WRITTEN = auto()
    INSIDE = auto()  # as written, and not at the start of a sentence
    AFTER_AT = auto()


class _Form(NamedTuple):
    """One way to write a name."""

    body: str
    seen: _Seen
    speaker: str
    units: frozenset[str]


class SpeakerNames:
    """Finds speakers in texts.

    Only names whose words are all in a text are looked for, so many speakers cost no more than few.

    Args:
        pseudonyms: of every speaker, by name; a form that two names share belongs to the first.
    """

    def __init__(self, pseudonyms: Mapping[str, str]) -> None:
        self._forms: defaultdict[str, list[_Form]] = defaultdict(list)
        shown = {name: _shown(name) for name in pseudonyms}
        for forms in (_wholes, _parts):  # a whole name goes before a part of another
            for name, speaker in pseudonyms.items():
                for body, seen in dict(forms(shown[name])).items():
                    units = _units(body)
                    self._forms[units[0]].append(_Form(body, seen, speaker, frozenset(units)))
        symbols = "".join(re.escape(key) for key in sorted(self._forms) if not re.match(_UNIT, key))
        self._units = re.compile(f"{_UNIT}|[{symbols}]" if symbols else _UNIT)

    def found(self, text: str) -> Iterator[Name]:
        """Names in a text; they may overlap, and of the same place the first counts."""
        units = {_folded(unit) for unit in self._units.findall(text)}
        if _NUMBER in self._forms and _SOME_DIGITS.search(text) is not None:
            units.add(_NUMBER)
        for key in sorted(units & self._forms.keys()):
            for form in self._forms[key]:
                if form.units <= units:
                    yield from _places(text, form)


def _places(text: str, form: _Form) -> Iterator[Name]:
    """Where a form stands as a whole word, and means the person."""
    for match in _pattern(form.body).finditer(text):
        start, end = match.span()
        sign = _AT.search(text, max(0, start - 3), start)
        if sign is not None:
            start = sign.start()
            end += len(text[end : end + 2]) - len(_HIDDEN_AT_START.sub("", text[end : end + 2]))
        elif not _means_person(text, match, form):
            continue
        if _is_free(text, match, start, end):
            yield Name(start, end, form.speaker)


def _means_person(text: str, match: re.Match[str], form: _Form) -> bool:
    """Whether what was found without "@" before it is seen as the form asks."""
    if form.seen in (_Seen.ANYWHERE, _Seen.AFTER_AT):
        return form.seen is _Seen.ANYWHERE
    written = _APOSTROPHES.sub("'", " ".join(match.group().split()))
    if written != _APOSTROPHES.sub("'", form.body):
        return False
    return form.seen is _Seen.AS_WRITTEN or _is_inside(text, match.start())


def _is_inside(text: str, start: int) -> bool:
    """Whether a small letter or a comma is before a word: a capital there is not for the sentence."""
    return _INSIDE.search(text, max(0, start - 2), start) is not None


def _is_free(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """Whether no letter beside a name makes it part of a word.

    In a script without spaces a name may stand anywhere; a Korean one starts a word, and endings follow.
    """
    name = match.group()
    left, right = text[max(0, start - 1) : start], text[end : end + 1]
    if _WORDLIKE.match(left) and (start < match.start() or _WORDLIKE.match(name[0])):
        return False
    if start == match.start() and _HANGUL.match(name) and _HANGUL.match(left):
        return False
    return not (_WORDLIKE.match(right) and _WORDLIKE.match(name[-1]))


@lru_cache(maxsize=65536)
def _pattern(body: str) -> re.Pattern[str]:
    """The expression for a name in any case, any white space, any apostrophe; digits in any groups."""
    if _DIGITS_ALONE.fullmatch(body):
        return re.compile(r"\+?" + _GAP.join(char for char in body if char.isdecimal()))
    words = r"\s+".join(re.escape(word) for word in body.split())
    return re.compile(_APOSTROPHES.sub("['’ʼ]", words), re.IGNORECASE)


def _shown(name: str) -> str:
    """A name as it may be typed: without hidden characters and needless spaces."""
    return " ".join(_DIRECTIONS.sub("", name).strip(_EDGES).split())


def _wholes(shown: str) -> Iterator[tuple[str, _Seen]]:
    """The forms of a whole name."""
    if _DIGITS_ALONE.fullmatch(shown):
        digits = sum(char.isdecimal() for char in shown)
        yield shown, _Seen.ANYWHERE if digits >= _LEAST_DIGITS else _Seen.AFTER_AT
        return
    plain = _BRACKETS.sub("", shown).strip()
    words = " ".join(_LETTERS.findall(plain)) if " " in plain else ""
    for name in (shown, plain, words):
        if name and not _DIGITS_ALONE.fullmatch(name):
            yield from ((body, _seen(body)) for body in _normal_forms(name))


def _seen(body: str) -> _Seen:
    """Where a whole name means the person."""
    words = body.split()
    everyday = all(word.lower() in EVERYDAY or len(word) < 2 for word in words)
    capitals = all(word[0] != word[0].lower() for word in words)
    if _ALL_UNSPACED.fullmatch(body):
        least = _LEAST_LETTERS if _THAI.match(body) else 2
        return _Seen.ANYWHERE if len(body) >= least and not everyday else _Seen.AFTER_AT
    if len(words) > 1:
        by_case = _Seen.AS_WRITTEN if capitals else _Seen.AFTER_AT
        return by_case if everyday else _Seen.ANYWHERE
    if everyday:
        alone = capitals and len(body) >= _LEAST_LETTERS and body.lower() not in NEVER_NAMES
        return _Seen.INSIDE if alone else _Seen.AFTER_AT
    if len(body) < _LEAST_LETTERS or body.lower() in NAMES_FIRST:
        return _Seen.AS_WRITTEN if capitals else _Seen.AFTER_AT
    return _Seen.ANYWHERE if any(char.isalnum() for char in body) else _Seen.AFTER_AT


def _parts(shown: str) -> Iterator[tuple[str, _Seen]]:
    """The forms of the parts of a name, and of a given name after a surname without a space."""
    words = [word.strip(_PUNCTUATION) for word in re.split(r"[\s-]+", _BRACKETS.sub("", shown).strip())]
    for word in words:
        if _GIVEN.fullmatch(word) and word[0] in _SURNAMES and word[1:] not in EVERYDAY:
            yield word[1:], _Seen.ANYWHERE
        if len(words) > 1 and len(word) > 1 and _LETTERS.fullmatch(word):
            for body in _normal_forms(word):
                seen = _seen_part(body)
                yield body, seen
                if seen is _Seen.AS_WRITTEN:
                    yield body.upper(), seen
                if seen is _Seen.AS_WRITTEN and body.isupper():
                    yield body.capitalize(), seen


def _seen_part(word: str) -> _Seen:
    """Where a part of a name means the person."""
    if word.lower() in EVERYDAY:
        return _Seen.AFTER_AT
    if _ALL_UNSPACED.fullmatch(word):
        return _Seen.ANYWHERE if len(word) >= _LEAST_LETTERS or not _THAI.match(word) else _Seen.AFTER_AT
    uncased = word.upper() == word.lower()
    if len(word) >= _LEAST_LETTERS and (uncased or word[0] != word[0].lower()):
        return _Seen.AS_WRITTEN
    return _Seen.AFTER_AT


def _normal_forms(name: str) -> tuple[str, ...]:
    """A name with accents in one character each, and with accents of their own."""
    if name.isascii():
        return (name,)
    return tuple(dict.fromkeys(unicodedata.normalize(form, name) for form in ("NFC", "NFD")))


def _units(body: str) -> list[str]:
    """What a text must hold for a name to be in it: its words, else its first character."""
    if _DIGITS_ALONE.fullmatch(body):
        return [_NUMBER]
    return [_folded(unit) for unit in re.findall(_UNIT, body)] or [body[0]]


def _folded(unit: str) -> str:
    return unit.lower() if unit.isascii() else unicodedata.normalize("NFC", unit).lower()
