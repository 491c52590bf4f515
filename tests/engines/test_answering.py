"""Answering with words that the vocabulary lacks, by an engine that says its question backwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.bot import Chatbot
from chatbot.config import Config, DecodingOptions
from chatbot.decoding.engine import EOS, Bias, Candidates
from chatbot.engines.answering import Answering
from chatbot.errors import OptionError
from chatbot.text.tokenizer import UNK, Tokenizer

PAIRS = [("my name is bob", "hi Bob !")] * 2


@dataclass(frozen=True)
class Rows:
    sources: list[tuple[int, ...]]
    said: int = 0

    def select(self, rows: NDArray[np.int64]) -> Rows:
        return Rows([self.sources[i] for i in rows], self.said)


class Backwards:
    """Says the words of a source from its end, looking at each; there is one branch alone."""

    def __init__(self, vocab: int) -> None:
        self.vocab = vocab
        self.asked: list[tuple[int, ...]] = []

    def start(self, sources: Sequence[Sequence[int]]) -> Rows:
        self.asked += [tuple(source) for source in sources]
        return Rows([tuple(source) for source in sources])

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        longest = max(map(len, state.sources))
        weights = np.zeros((len(tokens), longest + 1), np.float32)
        best = np.full((len(tokens), 1), EOS)
        for row, source in enumerate(state.sources):
            place = len(source) - 1 - state.said
            if place >= 0:
                best[row, 0] = source[place]
            weights[row, place if place >= 0 else len(source)] = 1.0  # a pointer's end lies behind
        return Candidates(
            best, np.zeros(best.shape, np.float32), weights, Rows(state.sources, state.said + 1)
        )


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train("words", PAIRS, 300, "question")


def bot(tokenizer: Tokenizer, extends: bool = True, max_src: int = 9) -> tuple[Chatbot, Backwards]:
    engine = Backwards(tokenizer.vocab)
    return Chatbot("back", Answering(tokenizer, engine, max_src, 9, extends), DecodingOptions()), engine


@pytest.mark.parametrize("beam", [1, 4])
def test_words_come_back_as_typed_whatever_else_is_asked(tokenizer: Tokenizer, beam: int) -> None:
    back, _ = bot(tokenizer)
    questions = ["My name is Zorblax", "", "name ZORBLAX Quux zorblax", "is", "好人"]
    replies = back.replies(questions, DecodingOptions(beam=beam, block_ngram=0))
    wanted = ["Zorblax is name my", "", "ZORBLAX Quux ZORBLAX name", "is", "人好"]
    assert [reply.text for reply in replies] == wanted
    assert [reply.candidates[0].reply for reply in replies if reply.candidates] == [w for w in wanted if w]


def test_attention_and_offsets_are_of_the_copied_words(tokenizer: Tokenizer) -> None:
    reply = bot(tokenizer)[0].reply("my name is  Mary-Ann, (Zorblax)")
    attention = reply.attention
    assert attention is not None
    assert reply.text == ") Zorblax (, Mary-Ann is name my"
    assert all(reply.text[word.start : word.end] == word.text for word in attention.reply)
    looked = [attention.source[int(np.argmax(row))].text for row in attention.weights]
    assert looked == [word.text for word in attention.reply]
    assert sum(attention.end) == 0  # it looked behind the question


def test_what_is_not_read_is_not_numbered(tokenizer: Tokenizer) -> None:
    back, engine = bot(tokenizer, max_src=2)
    reply = back.reply("Quux Frobnitz my Zorblax")
    assert reply.truncated
    assert reply.text == "Zorblax my"
    assert engine.asked[0][1] == tokenizer.vocab


def test_engines_that_do_not_copy_are_asked_as_ever(tokenizer: Tokenizer) -> None:
    back, engine = bot(tokenizer, extends=False)
    back.reply("my Zorblax is Quux")
    assert engine.asked == [tokenizer.encode("my Zorblax is Quux", src=True).ids]
    assert max(engine.asked[0]) < tokenizer.vocab


@pytest.mark.parametrize(
    ("output", "extends"), [("softmax", False), ("pointer-generator", True), ("pointer", True)]
)
def test_the_output_says_whether_words_are_numbered(tokenizer: Tokenizer, output: str, extends: bool) -> None:
    config = Config().replace({"output": output})
    assert Answering.of(config, tokenizer, Backwards(tokenizer.vocab)).extends == extends


@pytest.mark.parametrize("beam", [1, 4])
def test_unknown_word_looked_at_most_stands_for_one_that_is_not_known(
    tokenizer: Tokenizer, beam: int
) -> None:
    """The engine is given and gives back UNK; the words are told apart by where it looks."""
    back, engine = bot(tokenizer, extends=False)
    options = DecodingOptions(beam=beam, block_ngram=0, unknown="attended")
    questions = ["My name is Zorblax", "name ZORBLAX Quux", "is my"]
    replies = back.replies(questions, options)
    assert [reply.text for reply in replies] == ["Zorblax is name my", "Quux ZORBLAX name", "my is"]
    assert max(max(ids) for ids in engine.asked) < tokenizer.vocab
    attention = replies[1].attention
    assert attention is not None
    assert [word.text for word in attention.reply] == ["Quux", "ZORBLAX", "name"]
    greedy = dataclasses.replace(options, beam=1)
    assert [back.stream(question, options=greedy).reply.text for question in questions] == [
        reply.text for reply in replies
    ]


class Wishing(Backwards):
    """Wants to say UNK whatever it is asked, or else the second best."""

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        forbidden = {} if bias is None else set(zip(bias.rows.tolist(), bias.tokens.tolist(), strict=True))
        best = [[EOS if state.said else 5 if (row, UNK) in forbidden else UNK] for row in range(len(tokens))]
        weights = np.ones((len(tokens), max(map(len, state.sources))), np.float32)
        return Candidates(
            np.array(best),
            np.zeros((len(tokens), 1), np.float32),
            weights,
            Rows(state.sources, state.said + 1),
        )


def test_nothing_unknown_is_said_unless_a_word_can_stand_for_it(tokenizer: Tokenizer) -> None:
    wishing = Chatbot("wish", Answering(tokenizer, Wishing(tokenizer.vocab), 9, 9), DecodingOptions())
    other = tokenizer.decode([5]).strip()
    questions = ["my name", "my Zorblax", "is"]
    assert [reply.text for reply in wishing.replies(questions)] == [other] * 3
    replies = wishing.replies(questions, DecodingOptions(unknown="attended"))
    assert [reply.text for reply in replies] == [other, "Zorblax", other]


@pytest.mark.parametrize(
    ("kind", "parts"), [("bpe", {}), ("words", {"extends": True}), ("words", {"attends": False})]
)
def test_looking_words_up_where_that_makes_no_sense_is_refused(kind: str, parts: dict[str, bool]) -> None:
    tokenizer = Tokenizer.train(kind, PAIRS, 300, "question")
    odd = Chatbot("odd", Answering(tokenizer, Backwards(tokenizer.vocab), 9, 9, **parts), DecodingOptions())
    with pytest.raises(OptionError, match="--unknown"):
        odd.reply("my name", options=DecodingOptions(unknown="attended"))
    with pytest.raises(OptionError, match="--unknown"):
        odd.stream("my name", options=DecodingOptions(beam=1, unknown="attended")).reply  # noqa: B018
