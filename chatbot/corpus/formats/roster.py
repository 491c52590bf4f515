"""Roster: the people of a chat whose export knows them by an id, each by a name that nobody else has."""

from __future__ import annotations

from collections.abc import Sequence


class Roster:
    """Gives every id one name and keeps it.

    Two people may go by the same name; the second is told apart by another name of hers, or by the id:
    "Ann", "Ann (ann_b)", "Ann (U0173)".
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()

    def name(self, identity: str, names: Sequence[str] = ()) -> str:
        """The name of a person.

        Args:
            identity: what the export knows the person by.
            names: that the person goes by, the one that is shown first.
        """
        known = self._names.get(identity)
        if known is None:
            known = self._free(identity, [name for name in names if name.strip()])
            self._names[identity] = known
            self._taken.add(known)
        return known

    def __contains__(self, identity: str) -> bool:
        return identity in self._names

    def _free(self, identity: str, names: Sequence[str]) -> str:
        first = names[0] if names else identity
        other = [f"{first} ({name})" for name in (*names[1:], identity) if name != first]
        free = next((name for name in (first, *other) if name not in self._taken), "")
        count = 2
        while not free:
            numbered = f"{first} ({count})"
            free = "" if numbered in self._taken else numbered
            count += 1
        return free
