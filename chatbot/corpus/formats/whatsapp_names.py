"""Whose message a WhatsApp line is: what stands before the colon, unless the line is a note of WhatsApp.

Names may hold colons, and so may notes (``Ann changed the subject to "Plan: B"``); the whole file is
looked at before the first name is read:

    a colon without a space     ends a name where the same name stands before ": " elsewhere
    a name with ": " in it      where all of three or more messages begin alike up to a second ": "
    a note                      where a verb of one, or a quote that is still open, stands before the colon,
                                and no three lines begin so
"""

from __future__ import annotations

import re

_LONGEST = 100
_OFTEN = 3
"""A name is believed, however odd, when that many messages carry it."""

_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

_NOTE = re.compile(
    r"""\b(?:changed\ (?:the\ (?:subject|group|community)|this\ group|their\ phone|to\ )
    |created\ (?:the\ |this\ )?(?:group|community)|added\ |removed\ |your\ security\ code
    |hat\ (?:den\ (?:betreff|gruppennamen)|die\ gruppe)|hat\ das\ gruppen
    |(?:cambió|cambiaste|ha\ cambiado)\ (?:el\ (?:asunto|nombre)|la\ descripción)|creó\ (?:el\ )?grupo
    |(?:a|avez)\ (?:changé|modifié)\ (?:le\ (?:sujet|nom)|l[’']objet|la\ description)|a\ créé\ le\ groupe
    |(?:mudou|alterou)\ (?:o\ (?:assunto|nome)|a\ descrição)|criou\ (?:o\ |este\ )?grupo
    |ha\ (?:cambiato|modificato)\ (?:l[’']oggetto|il\ nome|la\ descrizione)|ha\ creato\ il\ gruppo
    |heeft\ (?:het\ onderwerp|de\ groep|groep)
    |изменил(?:а|\(-а\)|\(а\))?\ (?:тему|название|описание)|создал(?:а|\(-а\)|\(а\))?\ группу
    |змінив(?:ла|\(-ла\))?\ (?:тему|назву|опис)|zmienił(?:a|\(a\))?\ (?:temat|nazwę|opis)
    |konuyu\ .{0,60}değiştirdi|vaihtoi\ (?:ryhmän|aiheen)|ändrade\ (?:ämnet|gruppens)|endret\ (?:emnet|gruppe)
    |ændrede\ (?:emnet|gruppens)|změnil(?:a|\(a\))?\ (?:předmět|název)|a\ schimbat\ (?:subiectul|numele)
    |mengubah\ (?:subjek|nama|deskripsi)|membuat\ grup)""",
    re.IGNORECASE | re.VERBOSE,
)
_NOTE_UNSPACED = re.compile(
    "件名を|グループ名を|更改了群|将群|將群|建立了群|创建了群|그룹명을|주제를|غيّر|شינה את נושא"
)
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("”", "”"))


class Speakers:
    """Takes the lines of a file, without their dates, one by one and then splits any of them."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._always: dict[str, str | None] = {}
        self._found: dict[str, tuple[str, int] | None] = {}

    def note(self, line: str) -> None:
        """Take the next line."""
        name, colon, text = line.partition(": ")
        if not colon or len(name) > _LONGEST:
            return
        count = self._counts[name] = self._counts.get(name, 0) + 1
        always = self._always.get(name)
        if count == 1:
            inner, colon, _ = text.partition(": ")
            self._always[name] = inner + colon if colon else None
        elif always is not None and not text.startswith(always):
            self._always[name] = None

    def split(self, line: str) -> tuple[str, str] | None:
        """The speaker and the text, None for a note of WhatsApp."""
        prefix = line.partition(": ")[0]
        if len(prefix) == len(line):  # no colon before a space
            prefix = line.partition(":")[0]
        try:
            found = self._found[prefix]
        except KeyError:
            found = self._find(line, prefix)
            if len(prefix) <= _LONGEST:
                self._found[prefix] = found
        if found is None:
            return None
        name, length = found
        text = line[length:]
        return name, text[1:] if text[:1] == " " else text

    def _find(self, line: str, prefix: str) -> tuple[str, int] | None:
        """The name that a line with this prefix has, and where its text begins."""
        count = self._counts.get(prefix, 0)
        shorter = prefix.partition(":")[0]
        if shorter != prefix and count < _OFTEN and shorter in self._counts:
            prefix, count = shorter, self._counts[shorter]
        if not prefix.strip() or len(prefix) > _LONGEST or len(prefix) == len(line):
            return None
        if count < _OFTEN and (_is_note(prefix) or not (count or _may_be_name(line, prefix))):
            return None
        always = self._always.get(prefix)
        if always is not None and count >= _OFTEN and len(always) <= _LONGEST:
            prefix = f"{prefix}: {always[:-2]}"
        return clean_name(prefix), len(prefix) + 1


def clean_name(name: str) -> str:
    """A name without the marks of direction that WhatsApp puts around it."""
    if name.isascii():
        return name.strip()
    return "".join(char for char in name if char not in _MARKS).strip()


def _is_note(prefix: str) -> bool:
    """Whether what stands before the colon begins a note: it has a verb of one, or an open quote."""
    if _NOTE.search(prefix) or _NOTE_UNSPACED.search(prefix):
        return True
    return any(
        prefix.count(left) % 2 if left == right else prefix.count(left) > prefix.count(right)
        for left, right in _QUOTES
        if left in prefix
    )


def _may_be_name(line: str, prefix: str) -> bool:
    """Whether a colon without a space after it ends a name: not that of a time or of an address."""
    after = line[len(prefix) + 1 :][:2]
    return (
        after != "//" and not (prefix[-1].isdigit() and after[:1].isdigit()) and len(prefix) <= _LONGEST // 2
    )
