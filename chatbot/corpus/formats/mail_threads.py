"""The threads of a mailbox: which mails belong together, and in which order they were written.

Mails belong together that name each other, or a third one, in References or In-Reply-To. A mail that names
none, though its subject says it is a reply, belongs to the latest one before it with that subject.

Source: the idea of J. Zawinski's "message threading", without its tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from chatbot.corpus.formats.mail import Mail
from chatbot.corpus.formats.mail_phrases import REPLY, phrases

_REPLY = "|".join(map(re.escape, phrases(REPLY)))
_PREFIX = re.compile(
    rf"[ \t]*(?:(?:{_REPLY})(?:[ \t]?[\[(]\d{{1,3}}[\])]|\^?\d{{1,3}})?[ \t]?[:：]|\[[^\[\]]{{1,40}}\])",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def base_subject(subject: str) -> tuple[str, bool]:
    """A subject without "Re:", its kin and the name of a mailing list; and whether it is a reply's."""
    is_reply = False
    at = 0
    while found := _PREFIX.match(subject, at):
        is_reply = is_reply or not found[0].lstrip().startswith("[")
        at = found.end()
    return _SPACES.sub(" ", subject[at:]).strip(), is_reply


def threads_of(mails: Sequence[Mail]) -> Iterator[list[int]]:
    """The places of the mails that belong together, in order; threads as they begin in the mailbox."""
    groups = _Groups(len(mails))
    by_id: dict[str, int] = {}
    for place, mail in enumerate(mails):
        for name in filter(None, (mail.id, *mail.answered)):
            groups.join(by_id.setdefault(name, place), place)
    _join_by_subject(mails, groups)
    threads: dict[int, list[int]] = {}
    for place in range(len(mails)):
        threads.setdefault(groups.first(place), []).append(place)
    own = {mail.id: place for place, mail in enumerate(mails) if mail.id}
    for places in threads.values():
        yield _in_order(places, mails, own)


def _join_by_subject(mails: Sequence[Mail], groups: _Groups) -> None:
    latest: dict[str, int] = {}
    for place in sorted(range(len(mails)), key=lambda place: mails[place].time or datetime.min):
        subject, is_reply = base_subject(mails[place].subject)
        key = subject.casefold()
        if not key:
            continue
        if is_reply and not mails[place].answered and key in latest:
            groups.join(latest[key], place)
        latest[key] = place


class _Groups:
    """Disjoint sets of numbers, each known by its least."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def first(self, place: int) -> int:
        """The least number of the set."""
        while self._above[place] != place:
            self._above[place] = self._above[self._above[place]]
            place = self._above[place]
        return place

    def join(self, one: int, other: int) -> None:
        """Make one set of two."""
        least, most = sorted((self.first(one), self.first(other)))
        self._above[most] = least


def _in_order(places: Sequence[int], mails: Sequence[Mail], own: dict[str, int]) -> list[int]:
    """By time; nothing before what it answers, whatever the clocks said."""
    if len(places) == 1:
        return list(places)
    keys: dict[int, tuple[datetime, int]] = {}
    for place in places:
        chain = _unknown_above(place, mails, own, keys)
        for each in reversed(chain):
            above = _answered_place(mails[each], own)
            before, depth = keys.get(above, (datetime.min, -1))
            keys[each] = max(mails[each].time or before, before), depth + 1
    return sorted(places, key=lambda place: (*keys[place], place))


def _unknown_above(
    place: int, mails: Sequence[Mail], own: dict[str, int], keys: dict[int, tuple[datetime, int]]
) -> list[int]:
    """A mail, the one it answers, and so on, as far as their order is not known; a circle is cut."""
    chain: dict[int, None] = {}
    while place >= 0 and place not in keys and place not in chain:
        chain[place] = None
        place = _answered_place(mails[place], own)
    return list(chain)


def _answered_place(mail: Mail, own: dict[str, int]) -> int:
    return own.get(mail.answered[-1], -1) if mail.answered else -1
