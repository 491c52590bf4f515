"""Roster: every id one name, no name twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.formats.roster import Roster

people = st.dictionaries(
    st.text("ab1", min_size=1, max_size=2), st.lists(st.text("ab() ", max_size=3), max_size=3), max_size=20
)


@given(people)
def test_names_differ_and_stay(people: dict[str, list[str]]) -> None:
    roster = Roster()
    names = {identity: roster.name(identity, shown) for identity, shown in people.items()}
    assert len(set(names.values())) == len(people)
    assert {identity: roster.name(identity) for identity in people} == names


def test_first_of_a_name_has_it_unchanged() -> None:
    roster = Roster()
    assert [roster.name(one, ("Ann", other)) for one, other in (("1", "a"), ("2", "b"), ("3", "b"))] == [
        "Ann",
        "Ann (b)",
        "Ann (3)",
    ]
    assert roster.name("4") == "4"
