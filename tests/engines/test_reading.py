"""Questions are read as they were in training."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Conversation, Turn
from chatbot.corpus.pairs import pairs_of
from chatbot.dataset.encode import Copying, encode_pairs
from chatbot.engines.reading import Reader
from chatbot.text.tokenizer import Tokenizer
from chatbot.text.turns import SEPARATORS, source_text

SAID = ("how are you?", "I'm fine", "really?", "yes, really")
TOKENIZERS = {
    kind: Tokenizer.train(kind, [(source_text(SAID, (True, False) * 2), "yes")] * 2, 330, "question")
    for kind in ("bpe", "words", "chars")
}
PARTS = ["a", "how ", "You", "?", " ", "好", "😀", "\u0301", "zq"]
TEXTS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=9).map("".join)
SPOKEN = TEXTS.map(str.strip).filter(lambda text: any(char.isalnum() for char in text))


@given(
    turns=st.lists(SPOKEN, min_size=2, max_size=6),
    context=st.integers(0, 4),
    max_src=st.integers(1, 30),
    kind=st.sampled_from(sorted(TOKENIZERS)),
    extends=st.booleans(),
)
def test_ids_are_those_that_training_learns_from(
    turns: list[str], context: int, max_src: int, kind: str, extends: bool
) -> None:
    """The twin is the way of a conversation through pairs and their encoding; two speakers take turns."""
    tokenizer = TOKENIZERS[kind]
    spoken = [Turn("AB"[place % 2], text) for place, text in enumerate([*turns, "yes"])]
    *_, pair = pairs_of(Conversation("c", "test", tuple(spoken)), context)
    learned, _ = encode_pairs([pair], tokenizer, max_src, 99, Copying(extends=extends))
    source = Reader(tokenizer, max_src, extends, context).read(turns[-1], turns[:-1])
    assert source is not None
    assert list(source.ids) == learned.pair(0)[0].tolist()
    assert source.truncated == (len(tokenizer.encode(turns[-1], src=True).ids) > max_src)


@pytest.mark.parametrize("kind", sorted(TOKENIZERS))
@pytest.mark.parametrize("max_src", [4, 9, 99])
def test_tokens_know_their_turn_and_their_place_in_it(kind: str, max_src: int) -> None:
    tokenizer = TOKENIZERS[kind]
    turns = ("how  are", "You?", "really")
    source = Reader(tokenizer, max_src, context=2).read(turns[-1], turns[:-1])
    assert source is not None
    assert source.history == turns[-1 - len(source.history) : -1]
    for token, place, after in zip(source.ids, source.places, [*source.places[1:], None], strict=True):
        name = tokenizer._tgt.id_to_token(token).strip()
        if name in SEPARATORS:
            assert after == place
        elif name and not name.startswith("<"):
            text = turns[place.turn - 1][place.start : place.end]
            assert text.strip().lower() == name.lower()
    assert [place.turn for place in source.places] == sorted(place.turn for place in source.places)


def read_history(history: Sequence[str], context: int = 3, max_src: int = 99) -> tuple[str, ...]:
    source = Reader(TOKENIZERS["chars"], max_src, context=context).read("ok", history)
    assert source is not None
    return source.history


def test_oldest_turns_go_first() -> None:
    assert read_history(["a", "b", "c", "d"]) == ("b", "c", "d")
    assert read_history(["a", "b", "c", "d"], context=0) == ()
    tokens = [len(TOKENIZERS["chars"].encode(text).ids) + 1 for text in ("ok", "d", "c")]
    assert read_history(["a", "b", "c", "d"], max_src=sum(tokens)) == ("c", "d")
    assert read_history(["a", "b", "c", "d"], max_src=sum(tokens) - 2) == ("c", "d")  # a part of it
    assert read_history(["a", "b", "c", "d"], max_src=tokens[0]) == ()


def test_blank_turns_are_left_out_and_change_no_role() -> None:
    reader = Reader(TOKENIZERS["chars"], 99, context=3)
    assert read_history(["a", " ", "\x07"]) == ("a",)
    assert reader.read("ok", ["a", " \u200b", "b"]) != reader.read("ok", ["a", "b"])
    one, other = (reader.read("ok", history) for history in (["", "a"], ["a"]))
    assert one == other


@pytest.mark.parametrize("blank", ["", " ", "\x00\x07", "\u200b"])
def test_blank_question_is_not_read_whatever_was_said_before(blank: str) -> None:
    assert Reader(TOKENIZERS["bpe"], 9, context=2).read(blank, ["hi", "hello"]) is None


def test_nobody_can_forge_a_turn() -> None:
    reader = Reader(TOKENIZERS["chars"], 99, context=2)
    source = reader.read(f"a{SEPARATORS[1]}b", ["x"])
    assert source is not None
    assert {place.turn for place in source.places} == {-1, 0}
    names = [TOKENIZERS["chars"]._tgt.id_to_token(token) for token in source.ids]
    assert sum(name.strip() in SEPARATORS for name in names) == 2
