"""The lists of everyday words do not contradict each other."""

from __future__ import annotations

from chatbot.corpus.privacy.everyday import EVERYDAY, NAMES_FIRST, NEVER_NAMES


def test_word_is_in_one_list() -> None:
    assert not NAMES_FIRST & EVERYDAY
    assert NEVER_NAMES < EVERYDAY


def test_words_are_in_small_letters() -> None:
    assert [word for word in EVERYDAY | NAMES_FIRST if word != word.lower()] == []
