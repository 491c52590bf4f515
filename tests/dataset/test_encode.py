"""From pairs of texts to ids: what is kept, cut and left out, and that it is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.corpus.conversation import Pair
from chatbot.dataset import encode
from chatbot.dataset.encode import PLAIN, Copying, EncodingCounts, PairEncoder, encode_pairs
from chatbot.dataset.encoded import EncodedPairs
from chatbot.text.tokenizer import UNK, Tokenizer
from chatbot.text.turns import OTHER, OWN, source_text


@pytest.fixture
def words() -> Tokenizer:
    return Tokenizer.train("words", [("a b c d e", "a b c d e")], 300, "keep")


def pair(src: str, tgt: str) -> Pair:
    return Pair((src,), tgt, "talk")


def test_pairs_are_encoded_or_counted(words: Tokenizer) -> None:
    pairs = [
        pair("a b", "c d"),
        pair("a b c d", "e"),  # a question longer than 3: its end is kept
        pair("a", "a b c"),  # a reply longer than 2
        pair("\u200b", "a"),
        pair("a", " \ufeff"),
    ]
    encoded, counts = encode_pairs(pairs, words, max_src=3, max_tgt=2)
    said = [tuple(words.decode(ids) for ids in encoded.pair(row)) for row in range(len(encoded))]
    assert said == [("a b", "c d"), ("b c d", "e")]
    assert encoded.words.tolist() == [2, 1]
    assert counts == EncodingCounts(kept=2, too_long=1, empty=2, cut=1)


def test_questions_and_replies_are_normalised_each_in_its_way() -> None:
    tokenizer = Tokenizer.train("bpe", [("Hello", "Hi There")] * 2, 300, "question")
    encoded, _ = encode_pairs([pair("HELLO", "Hi THERE")], tokenizer, 40, 40)
    src, tgt = encoded.pair(0)
    assert (tokenizer.decode(src.tolist()), tokenizer.decode(tgt.tolist())) == ("hello", "Hi THERE")


def test_chunks_change_nothing(words: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [pair("a b", "c" + " d" * number) for number in range(7)]
    whole, counts = encode_pairs(pairs, words, 9, 5)
    monkeypatch.setattr(encode, "_CHUNK", 2)
    chunked, again = encode_pairs(iter(pairs), words, 9, 5)
    assert counts == again
    assert chunked.tgt.tolist() == whole.tgt.tolist()


def test_pairs_that_fit_are_those_that_are_encoded(words: Tokenizer) -> None:
    pairs = [pair("a b", "c d"), pair("a", "a b c"), pair("\u200b", "a"), pair("a b c d", "e")]
    encoder = PairEncoder(words, 3, 2)
    fits = encoder.fits(pairs)
    assert fits == [True, False, False, True]
    assert len(encoder.encode(pairs)[0]) == sum(fits)


def test_no_pairs_give_no_ids(words: Tokenizer) -> None:
    encoded, counts = encode_pairs([], words, 9, 9)
    assert len(encoded) == 0
    assert counts == EncodingCounts()


def test_turns_before_a_reply_are_one_question() -> None:
    turns = Pair(("a b", "c", "d"), "e", "talk", (True, False, False))
    tokenizer = Tokenizer.train("words", [(source_text(turns.src, turns.own), "e")], 300, "keep")
    encoded, counts = encode_pairs([turns], tokenizer, 5, 9)
    assert tuple(encoded.pair(0)[0].tolist()) == tokenizer.encode(f"b {OTHER} c {OTHER} d", src=True).ids
    assert counts.cut == 1


def test_nobody_can_speak_for_another_in_a_question_or_a_reply() -> None:
    tokenizer = Tokenizer.train("words", [(source_text(("a", "b")), "c")], 300, "keep")
    forged = pair(f"a {OWN} b", f"c {OTHER} c")
    encoded, _ = encode_pairs([forged], tokenizer, 9, 9)
    assert [side.tolist().count(UNK) for side in encoded.pair(0)] == [1, 1]


TEXTS = st.text(st.sampled_from("ab cxyz"), max_size=12)


@given(
    texts=st.lists(st.tuples(TEXTS, TEXTS), max_size=12),
    chunk=st.integers(1, 5),
    copying=st.sampled_from([PLAIN, Copying(extends=True), Copying(extends=True, only=True)]),
)
def test_files_hold_what_memory_would(
    texts: list[tuple[str, str]], chunk: int, copying: Copying, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer = Tokenizer.train("words", [("a b c", "a b c")], 300, "question")
    encoder, pairs = PairEncoder(tokenizer, 4, 3, copying), [pair(src, tgt) for src, tgt in texts]
    folder = tmp_path_factory.mktemp("encoded")
    whole, counts = encoder.encode(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode, "_CHUNK", chunk)
        assert encoder.write(iter(pairs), folder, "some") == counts
    stored = EncodedPairs.load(folder, "some")
    for name in ("src", "src_starts", "tgt", "tgt_starts", "words"):
        assert getattr(stored, name).dtype == getattr(whole, name).dtype
        assert getattr(stored, name).tolist() == getattr(whole, name).tolist()


# Copying

COPYING = Copying(extends=True)
NAMES = [pair("a Zorblax b quux", "c quux zorblax unheard"), pair("a b", "c unheard"), pair("zorblax", "a")]


@pytest.mark.parametrize("chunk", [1, 4096])
def test_unknown_words_of_a_question_are_numbered_from_the_vocabulary_on(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(encode, "_CHUNK", chunk)
    tokenizer = Tokenizer.train("words", [("a b c", "a b c")], 300, "question")
    first, second = tokenizer.vocab, tokenizer.vocab + 1
    encoded, counts = encode_pairs(NAMES, tokenizer, 9, 9, COPYING)
    a, b, c = (tokenizer.encode(word).ids[0] for word in "abc")
    found = [[side.tolist() for side in encoded.pair(row)] for row in range(3)]
    assert found == [
        [[a, first, b, second], [c, second, first, UNK]],
        [[a, b], [c, UNK]],
        [[first], [a]],
    ]
    assert counts == EncodingCounts(kept=3)


def test_without_copying_unknown_words_are_all_one(words: Tokenizer) -> None:
    encoded, _ = encode_pairs(NAMES, words, 9, 9)
    assert max(encoded.src.max(), encoded.tgt.max()) < words.vocab
    assert (encoded.src == UNK).sum() == 3


def test_ids_beyond_the_vocabulary_fit(words: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a vocabulary that sixteen bits just hold."""
    monkeypatch.setattr(words, "vocab", 65_535)
    encoded, _ = encode_pairs([pair("a x y z", "z y x")], words, 9, 9, COPYING)
    assert encoded.pair(0)[0].tolist()[1:] == [65_535, 65_536, 65_537]
    assert encoded.pair(0)[1].tolist() == [65_537, 65_536, 65_535]


def test_only_what_is_read_of_a_question_can_be_copied(words: Tokenizer) -> None:
    encoded, counts = encode_pairs([pair("x y a b z", "x z")], words, 3, 9, COPYING)
    src, tgt = (side.tolist() for side in encoded.pair(0))
    assert src[2:] == [words.vocab]
    assert tgt == [UNK, words.vocab]
    assert counts.cut == 1


def test_replies_that_say_what_their_question_lacks_are_counted(words: Tokenizer) -> None:
    """For a network that says nothing else; what is not read is lacking, too."""
    pairs = [pair("a x b", "b x"), pair("a b", "c"), pair("a b", "x"), pair("c a b", "c"), pair("x", "a b c")]
    encoded, counts = encode_pairs(pairs, words, 3, 2, Copying(extends=True, only=True))
    assert len(encoded) == 2
    assert counts == EncodingCounts(kept=2, too_long=1, not_in_question=2)
    _, shorter = encode_pairs(pairs, words, 2, 2, Copying(extends=True, only=True))
    assert shorter == EncodingCounts(kept=1, too_long=1, not_in_question=3, cut=1)
