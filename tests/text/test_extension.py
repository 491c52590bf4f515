"""Words that the vocabulary lacks: numbered a question, copied into its reply, spelt as typed."""

from __future__ import annotations

import unicodedata
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.text.extension import extend, extended_reply
from chatbot.text.tokenizer import UNK, Tokenizer

PAIRS = [("my name is bob .", "hi Bob ."), ("(is it ?)", '"no"')] * 2
TOKENIZERS = {case: Tokenizer.train("words", PAIRS, 300, case) for case in ("keep", "question", "lower")}
EVERY = [
    pytest.param(Tokenizer.train(kind, PAIRS, 300, case), id=f"{kind}-{case}")
    for kind in ("words", "bpe", "chars")
    for case in ("keep", "question", "lower")
]
TEXTS = st.text(st.characters(), max_size=12) | st.lists(
    st.sampled_from(
        [
            "my",
            "name",
            "zorblax",
            "Zorblax",
            "(",
            '"',
            "好",
            "é",
            "e\u0301",
            "\u200b",
            "\ufeff",
            " ",
            "İ",
            "<unk>",
        ]
    )
).map(" ".join)


def read(tokenizer: Tokenizer, question: str) -> tuple[list[str], tuple[str, ...]]:
    """What a question is read as: words of the vocabulary, and of its extension as +0, +1, ...; and these."""
    found = extend(tokenizer, question, tokenizer.encode(question, src=True))
    known = [tokenizer.decode([i]) if i < tokenizer.vocab else f"+{i - tokenizer.vocab}" for i in found.ids]
    return known, found.words


def answered(tokenizer: Tokenizer, question: str, reply: str) -> str:
    """A reply encoded and decoded again beside its question."""
    words = extend(tokenizer, question, tokenizer.encode(question, src=True)).words
    return tokenizer.decode(extended_reply(tokenizer, reply, words), words)


def test_unknown_words_are_numbered_in_order_each_once() -> None:
    known, words = read(TOKENIZERS["question"], "My name is Zorblax or Quux or ZORBLAX .")
    assert known == ["my", "name", "is", "+0", "+1", "+2", "+1", "+0", "."]
    assert words == (" Zorblax", " or", " Quux")


@pytest.mark.parametrize(
    ("case", "question", "alike"),
    [
        ("question", "zorblax ZORBLAX", True),
        ("lower", "zorblax ZORBLAX", True),
        ("keep", "zorblax ZORBLAX", False),
        ("keep", "cafe\u0301 caf\u00e9", True),
        ("keep", "re\u00adad read", True),
    ],
)
def test_words_that_are_read_alike_are_one(case: str, question: str, alike: bool) -> None:
    known, words = read(TOKENIZERS[case], question)
    assert known == (["+0", "+0"] if alike else ["+0", "+1"])
    assert len(words) == len(set(known))


@pytest.mark.parametrize(
    ("case", "question", "reply", "said"),
    [
        ("question", "My name is Zorblax", "hi Zorblax .", "hi Zorblax ."),
        ("question", "my name is zorblax", "hi Zorblax .", "hi zorblax ."),
        ("question", "my name is ZorBlax", "hi zorblax .", "hi ZorBlax ."),
        ("lower", "my name is ZorBlax", "hi zorblax .", "hi ZorBlax ."),
        ("keep", "my name is Zorblax", "hi Zorblax .", "hi Zorblax ."),
        ("keep", "my name is zorblax", "hi Zorblax .", "hi <unk> ."),
        ("question", "my name is (zorblax)", "hi Zorblax .", "hi zorblax ."),
        ("question", "is it zorblax ?", 'hi "Zorblax" .', 'hi "zorblax" .'),
        ("question", "my name is zorblax", "hi Quux .", "hi <unk> ."),
        ("question", "it is José-María !", "hi José-María", "hi José-María"),
        ("question", "my name is 好人", "hi 好人", "hi 好人"),
    ],
)
def test_words_of_the_question_come_back_as_typed_there(
    case: str, question: str, reply: str, said: str
) -> None:
    assert answered(TOKENIZERS[case], question, reply) == said


def test_reply_copies_where_only_its_own_spelling_is_known() -> None:
    """Zorblax is in the vocabulary and zorblax is not: which name was asked about cannot be read."""
    pairs = [("hello", "hi Zorblax")] * 2
    tokenizer = Tokenizer.train("words", pairs, 300, "question")
    assert UNK not in tokenizer.encode("Zorblax").ids
    words = extend(tokenizer, "Zorblax", tokenizer.encode("Zorblax", src=True)).words
    assert extended_reply(tokenizer, "hi Zorblax", words)[1] == tokenizer.vocab


@pytest.mark.parametrize("tokenizer", EVERY)
@given(text=TEXTS)
def test_only_unknown_words_change(tokenizer: Tokenizer, text: str) -> None:
    encoded = tokenizer.encode(text, src=True)
    found = extend(tokenizer, text, encoded)
    assert found.offsets == encoded.offsets
    numbers = count(tokenizer.vocab)
    fresh = next(numbers)
    for before, after in zip(encoded.ids, found.ids, strict=True):
        if before != UNK:
            assert after == before
        elif after == fresh:
            fresh = next(numbers)
        else:
            assert tokenizer.vocab <= after < fresh
    assert len(found.words) == fresh - tokenizer.vocab
    assert tokenizer.kind == "words" or not found.words


@pytest.mark.parametrize("tokenizer", EVERY[:3])
@given(question=TEXTS, reply=TEXTS)
def test_any_reply_reads_with_offsets_and_nothing_a_terminal_would_obey(
    tokenizer: Tokenizer, question: str, reply: str
) -> None:
    words = extend(tokenizer, question, tokenizer.encode(question, src=True)).words
    ids = extended_reply(tokenizer, reply, words)
    plain = tokenizer.encode(reply).ids
    assert [a for a, b in zip(ids, plain, strict=True) if a < tokenizer.vocab and a != b] == []
    decoded = tokenizer.decode_with_offsets(ids, words)
    assert not [c for c in decoded.text if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    assert "".join(decoded.text[start:end] for start, end in decoded.offsets) == decoded.text
    assert len(decoded.offsets) == len(ids)


def test_only_what_is_read_is_numbered() -> None:
    tokenizer = TOKENIZERS["question"]
    encoded = tokenizer.encode("Quux is my Zorblax", src=True).last(2)
    found = extend(tokenizer, "Quux is my Zorblax", encoded)
    assert found.words == (" Zorblax",)
    assert found.ids[-1] == tokenizer.vocab


def test_words_no_longer_known_get_names_to_stand_in() -> None:
    tokenizer = TOKENIZERS["question"]
    ids = extend(tokenizer, "Quux is Zorblax", tokenizer.encode("Quux is Zorblax", src=True)).ids
    assert tokenizer.decode(ids) == "word1 is word2"
