"""From pairs of texts to ids: what is kept, cut and left out, and that it is counted."""

from __future__ import annotations

import pytest

from chatbot.corpus.conversation import Pair
from chatbot.dataset import encode
from chatbot.dataset.encode import EncodingCounts, encode_pairs, source_text
from chatbot.text.tokenizer import Tokenizer


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


def test_no_pairs_give_no_ids(words: Tokenizer) -> None:
    encoded, counts = encode_pairs([], words, 9, 9)
    assert len(encoded) == 0
    assert counts == EncodingCounts()


def test_turns_before_a_reply_are_one_question() -> None:
    assert source_text(("how are you", "fine")) == "how are you\nfine"
