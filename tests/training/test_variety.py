"""The variety of replies in little memory is the variety of replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.statistics import reply_statistics
from chatbot.training import variety as module
from chatbot.training.variety import reply_variety

REPLIES = st.lists(
    st.text(st.sampled_from(["a", "B", "b", " ", "\n", "好", "é"]), max_size=8) | st.text(max_size=6)
)


@given(replies=REPLIES, together=st.integers(0, 5))
def test_variety_is_that_of_all_replies_at_once(replies: list[str], together: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", together)
        assert reply_variety(replies) == reply_statistics(replies)


@given(order=st.permutations([f"reply {n}" for n in range(9)] * 2 + [f"rare {n}" for n in range(9)]))
def test_commonest_replies_are_the_first_of_equally_frequent_ones(order: list[str]) -> None:
    assert reply_variety(order).commonest == reply_statistics(order).commonest
