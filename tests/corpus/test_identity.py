"""Ids come from what is said, and no two conversations of a corpus share one."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.identity import content_id, with_unique_ids

Talk = Callable[..., Conversation]


def test_content_id_tells_where_one_text_ends() -> None:
    assert content_id(["ab", "c"]) != content_id(["a", "bc"])
    assert content_id(["ab", "c"]) == content_id(iter(["ab", "c"]))


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "b"])))
def test_unique_ids_are_unique_and_first_comers_keep_theirs(ids: list[str]) -> None:
    talks = [Conversation(name, "test", (Turn("A", "Hi"),)) for name in ids]
    found = [talk.id for talk in with_unique_ids(talks)]
    assert len(found) == len(ids) == len(set(found))
    assert found[:1] == ids[:1]


def test_later_conversation_of_an_id_is_numbered(talk: Talk) -> None:
    talks = [talk("Hi", "Hello", id="x"), talk("Bye", "Bye", id="y"), talk("Hi", "Hello", id="x")]
    assert [found.id for found in with_unique_ids(talks)] == ["x", "y", "x-2"]
