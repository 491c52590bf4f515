"""Several turns as one text in which nobody can speak for another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.tokenizer import UNK, Tokenizer
from chatbot.text.turns import OTHER, OWN, SEPARATORS, alternating, has_separator, source_text, typed

KINDS = ("bpe", "words", "chars")
CASES = ("keep", "question", "lower")
SAID = ("how are you?", "I'm fine", "really?")
WHOSE = (False, True, False)
TYPED = st.text(st.characters(exclude_characters="".join(SEPARATORS)))


@given(text=TYPED, own=st.sampled_from([(), (False,), (True,)]))
def test_single_turn_is_itself(text: str, own: tuple[bool, ...]) -> None:
    assert source_text((text,), own) == text


def test_several_turns_say_who_spoke() -> None:
    assert source_text(SAID, WHOSE) == f"{OTHER} how are you? {OWN} I'm fine {OTHER} really?"
    assert source_text(SAID) == f"{OTHER} how are you? {OTHER} I'm fine {OTHER} really?"
    with pytest.raises(ValueError, match="shorter"):
        source_text(SAID, (True,))


@given(turns=st.lists(st.text(st.sampled_from([*SEPARATORS, "a", " "]), max_size=9), min_size=1, max_size=4))
def test_nobody_can_forge_a_separator(turns: list[str]) -> None:
    text = source_text(turns)
    assert sum(map(text.count, SEPARATORS)) == (len(turns) if len(turns) > 1 else 0)
    assert [len(typed(turn)) for turn in turns] == [len(turn) for turn in turns]
    assert not any(has_separator(typed(turn)) for turn in turns)


def test_those_who_talk_in_turn_alternate_before_a_question_of_the_other() -> None:
    assert [alternating(turns) for turns in range(4)] == [(), (False,), (True, False), (False, True, False)]


# Tokens


def tokens(tokenizer: Tokenizer, text: str, src: bool = True) -> list[str]:
    return [tokenizer._tgt.id_to_token(i) for i in tokenizer.encode(text, src=src).ids]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("vocabulary", [300, 4096])
def test_separator_is_one_token_and_says_nothing(kind: str, case: str, vocabulary: int) -> None:
    """However rare: here it occurs in one text of many with more frequent characters and words."""
    common = [(f"{a}{b} {a}?", f"{b}好 {a}{b}") for a in "abcdefghijklmnop" for b in "qrstuvwxyz"] * 2
    tokenizer = Tokenizer.train(kind, [*common, (source_text(SAID, WHOSE), "yes")], vocabulary, case)
    assert tokenizer.vocab <= vocabulary
    for said in (SAID, ("好", "http://x.org...", ":-)"), ("1", "2", "\u0301x")):
        found = tokens(tokenizer, source_text(said, WHOSE))
        assert [token for token in found if has_separator(token)] == [f" {OTHER}", f" {OWN}", f" {OTHER}"]
        ids = tokenizer.encode(source_text(said, WHOSE), src=True).ids
        assert not has_separator(tokenizer.decode(ids))
        assert tokenizer.encode_batch([source_text(said, WHOSE)], src=True) == [list(ids)]
    again = Tokenizer.from_json(tokenizer.to_json(), kind, case)
    assert tokens(again, source_text(SAID, WHOSE)) == tokens(tokenizer, source_text(SAID, WHOSE))
    assert not any(has_separator(word) for word in again.words())


@pytest.mark.parametrize("kind", KINDS)
def test_turns_are_read_as_they_are_alone(kind: str) -> None:
    """A separator changes no other token."""
    tokenizer = Tokenizer.train(kind, [(source_text(SAID, WHOSE), "yes, I am")] * 3, 400, "keep")
    found = tokens(tokenizer, source_text(SAID, WHOSE))
    assert [token for token in found if not has_separator(token)] == [
        token for turn in SAID for token in tokens(tokenizer, turn)
    ]
    assert tokenizer.decode(tokenizer.encode(source_text(SAID, WHOSE)).ids) == "how are you? I'm fine really?"


@pytest.mark.parametrize("kind", KINDS)
def test_both_separators_are_known_where_one_occurs(kind: str) -> None:
    tokenizer = Tokenizer.train(kind, [(source_text(("a", "b")), "c")], 400, "keep")
    ids = tokenizer.encode(f"{OWN} a", src=True).ids
    assert UNK not in ids
    assert tokens(tokenizer, f"{OWN} a")[0] == f" {OWN}"


@pytest.mark.parametrize("kind", KINDS)
def test_cut_question_keeps_its_end(kind: str) -> None:
    tokenizer = Tokenizer.train(kind, [(source_text(SAID, WHOSE), "yes")] * 2, 400, "keep")
    encoded = tokenizer.encode(source_text(SAID, WHOSE), src=True)
    assert tokenizer.decode(encoded.last(len(tokens(tokenizer, SAID[-1]))).ids) == "really?"


@pytest.mark.parametrize("kind", KINDS)
def test_turns_come_back_from_the_ids_of_a_source(kind: str) -> None:
    tokenizer = Tokenizer.train(kind, [(source_text(SAID, WHOSE), "yes")] * 2, 400, "keep")
    ids = tokenizer.encode(source_text(SAID, WHOSE), src=True).ids
    assert tokenizer.decode_turns(ids) == SAID
    assert tokenizer.decode_turns(ids[2:])[1:] == SAID[1:]
    assert tokenizer.decode_turns(tokenizer.encode("really?", src=True).ids) == ("really?",)
