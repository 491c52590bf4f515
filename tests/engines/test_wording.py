"""Words never said, always said and said first, by an engine of random numbers over real tokenizers."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import regex
from numpy.typing import NDArray

from chatbot.config import DecodingOptions
from chatbot.decoding.engine import Bias, Candidates
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.answering import Answering
from chatbot.errors import OptionError
from chatbot.text.phrases import Phrases
from chatbot.text.tokenizer import Tokenizer

LINES = [
    "he said hello there, my dear",
    "she said: the cat ate the rat",
    "Shut up! I say shut the door",
    "an art in the start of art",
    "you can't or can you, Bob-Ann?",
    "你好 我很好 你不好 你不",
]
NEVER = ("he", "shut up", "Art", "不好", "can", "!", "ß")
KINDS = ["bpe", "words", "chars"]
WAYS = [
    DecodingOptions(beam=1, block_ngram=0),
    DecodingOptions(beam=4, block_ngram=2),
    DecodingOptions(beam=4, beam_groups=2),
    DecodingOptions(search="sample", temperature=1.0, top_p=1.0),
]
LETTER = r"(?![\p{Han}])[\p{L}\p{M}\p{N}_]"


@dataclass(frozen=True)
class Rows:
    said: list[tuple[int, ...]]

    def select(self, rows: NDArray[np.int64]) -> Rows:
        return Rows([self.said[i] for i in rows])


class Babbler:
    """Any token after any other, as chance has it; a row's chances hang on what it has said alone."""

    def __init__(self, vocab: int, extra: int = 0, likes: Sequence[int] = ()) -> None:
        self.vocab = vocab
        self.extra = extra
        self.likes = list(likes)

    def start(self, sources: Sequence[Sequence[int]]) -> Rows:
        return Rows([tuple(source) for source in sources])

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        said = [(*row, token) for row, token in zip(state.said, tokens.tolist(), strict=True)]
        seeds = [zlib.crc32(np.array(row).tobytes()) for row in said]
        words = self.vocab + self.extra
        logits = np.stack([np.random.default_rng(seed).normal(size=words) * 2 for seed in seeds])
        logits[:, self.likes] += 4
        logits[:, 4 : 4 + 256] -= 2.5  # single bytes are seldom said by anybody
        log_probs = (logits - np.log(np.exp(logits).sum(1, keepdims=True))).astype(np.float32)
        if bias is not None:
            np.add.at(log_probs, (bias.rows, bias.tokens), bias.values)
        best = np.argsort(-log_probs, axis=1, kind="stable")[:, :k]
        weights = np.full((len(tokens), 3), 1 / 3, np.float32)
        return Candidates(best, np.take_along_axis(log_probs, best, axis=1), weights, Rows(said))


@pytest.fixture(scope="module", params=KINDS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer.train(request.param, [(line, line) for line in LINES], 340, "question")


def answering(tokenizer: Tokenizer, longest: int = 12, **engine: object) -> Answering:
    return Answering(tokenizer, Babbler(tokenizer.vocab, **engine), 9, longest)  # type: ignore[arg-type]


def questions(count: int) -> list[str]:
    return [" ".join(np.random.default_rng(seed).permutation(LINES[0].split())) for seed in range(count)]


def spoken(tokenizer: Tokenizer, *words: str) -> list[int]:
    """Tokens that have to do with some words, so that they are often said."""
    return [token for word in words for token in tokenizer.encode(word).ids if token > 3]


def as_words(word: str) -> regex.Pattern[str]:
    before = rf"(?<!{LETTER})" if regex.match(LETTER, word[0]) else ""
    after = rf"(?!{LETTER})" if regex.match(LETTER, word[-1]) else ""
    return regex.compile(before + regex.escape(word) + after, regex.IGNORECASE)


@pytest.mark.parametrize("options", WAYS)
def test_no_reply_says_what_is_never_said(tokenizer: Tokenizer, options: DecodingOptions) -> None:
    likes = spoken(tokenizer, *NEVER, "start", "hello", "she", "up")
    bot = answering(tokenizer, likes=likes)
    free = bot.answers(questions(40), options)
    kept = bot.answers(questions(40), _with(options, never=NEVER))
    patterns = [as_words(phrase) for phrase in NEVER]
    said = [any(pattern.search(answer.text) for pattern in patterns) for answer in free]
    assert sum(said) > 10, "nothing of it would have been said anyway"
    assert sum(bool(answer.text) for answer in kept) > 30
    for answer in kept:
        assert not any(pattern.search(answer.text) for pattern in patterns), answer.text


def test_words_that_hold_a_forbidden_one_are_said() -> None:
    tokenizer = Tokenizer.train("chars", [(line, line) for line in LINES], 340, "question")
    bot = answering(tokenizer, likes=spoken(tokenizer, "hear he then"))
    replies = bot.answers(questions(60), DecodingOptions(beam=1, never=("he",), block_ngram=0))
    assert any(regex.search("he", answer.text) for answer in replies)
    assert not any(as_words("he").search(answer.text) for answer in replies)


def test_last_check_drops_a_reply_that_says_it_all_the_same(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Phrases, "held", lambda self, text: "e" in text)
    answer = answering(tokenizer).answers(["hello"], DecodingOptions(never=("zz",), begin=""), 4)[0]
    assert all("e" not in text for text, _ in answer.ranked)


def test_copied_words_of_the_question_are_not_said_either() -> None:
    tokenizer = Tokenizer.train("words", [(line, line) for line in LINES], 340, "question")
    for never, is_said in (((), True), (("zorblax",), False)):
        bot = Answering(tokenizer, Babbler(tokenizer.vocab, 1, [tokenizer.vocab]), 9, 5, extends=True)
        options = DecodingOptions(beam=1, never=never, block_ngram=0)
        replies = bot.answers(["Zorblax?", "my ZORBLAX", "she said Zorblax"], options)
        assert any("zorblax" in reply.text.lower() for reply in replies) == is_said


@pytest.mark.parametrize("word", ["art", "the door", "hello", "你不", "up!"])
def test_every_reply_holds_what_it_must_as_a_word(tokenizer: Tokenizer, word: str) -> None:
    wide = len(tokenizer.encode(word).ids) + 2
    options = DecodingOptions(beam=wide, must=(word,), block_ngram=0)
    for answer in answering(tokenizer, 16).answers(questions(12), options, 2):
        assert answer.ranked
        for text, _ in answer.ranked:
            assert as_words(word).search(text), text


def test_several_words_are_all_said(tokenizer: Tokenizer) -> None:
    options = DecodingOptions(beam=14, must=("hello", "art"))
    for answer in answering(tokenizer, 20).answers(questions(6), options):
        assert as_words("hello").search(answer.text)
        assert as_words("art").search(answer.text)


@pytest.mark.parametrize("options", WAYS)
def test_every_reply_begins_as_asked_and_has_weights_for_it(
    tokenizer: Tokenizer, options: DecodingOptions
) -> None:
    for answer in answering(tokenizer).answers(questions(8), _with(options, begin="my dear")):
        text, hypothesis = answer.ranked[0]
        assert text.startswith("my dear")
        assert len(hypothesis.weights) == len(hypothesis.tokens)


@pytest.mark.parametrize("options", WAYS)
def test_runs_of_the_question_are_not_copied(tokenizer: Tokenizer, options: DecodingOptions) -> None:
    question = "Shut the door"
    bot = answering(tokenizer, 14, likes=spoken(tokenizer, question, question.lower()))
    for ids in (tokenizer.encode(question).ids, tokenizer.encode(question, src=True).ids):
        runs = {ids[i : i + 2] for i in range(len(ids) - 1)}
        free, kept = (
            _runs(bot.answers([question], _with(options, block_source_ngram=n), 1)[0].ranked[0][1])
            for n in (0, 2)
        )
        assert not runs & kept
    assert free


def test_lengths_are_those_asked_for(tokenizer: Tokenizer) -> None:
    bot = answering(tokenizer)
    for options in WAYS:
        for answer in bot.answers(questions(10), _with(options, min_tokens=4, max_tokens=6)):
            tokens = [token for token in answer.ranked[0][1].tokens if token != 3]
            assert 4 <= len(tokens) <= 6


def test_sampled_reply_is_never_empty(tokenizer: Tokenizer) -> None:
    bot = answering(tokenizer, likes=[3, 3, 3])
    options = DecodingOptions(search="sample", temperature=0.2)
    assert all(len(answer.ranked[0][1].tokens) > 1 for answer in bot.answers(questions(10), options))


def test_samples_hang_on_question_and_seed_alone(tokenizer: Tokenizer) -> None:
    bot, options = answering(tokenizer), DecodingOptions(search="sample", sample_seed=5)
    many = [answer.text for answer in bot.answers(questions(9), options)]
    assert many == [bot.answers([question], options)[0].text for question in questions(9)]
    assert many != [a.text for a in bot.answers(questions(9), _with(options, sample_seed=6))]
    more = bot.answers(questions(9), options, 4)
    assert [answer.text for answer in more] == many
    assert all(len({text for text, _ in answer.ranked}) == 4 for answer in more)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"never": ("Hello",), "must": ("say hello",)}, "--must: 'say hello' holds what --never forbids"),
        ({"never": ("dear",), "begin": "My dear"}, "--begin: 'My dear' holds what --never forbids"),
        ({"must": ("hello", "art"), "beam": 2}, r"--must: takes \d+ tokens and so a beam of \d+"),
        ({"must": ("hello",), "beam": 1}, "--must: takes"),
        ({"must": ("hello",), "search": "sample"}, "--must: contradicts --sample"),
        ({"must": ("hello hello hello hello",), "block_ngram": 1, "beam": 64}, "--block-ngram 1 forbids"),
        ({"must": ("say hello there",), "beam": 64, "max_tokens": 2, "block_ngram": 0}, "--must: takes"),
        ({"begin": "she said: the cat", "max_tokens": 3}, "--begin: takes"),
        ({"min_tokens": 13}, "--min-tokens: is 13, but replies have at most 12 tokens"),
        ({"beam": 4, "beam_groups": 3}, "beam_groups: 3 do not share"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(
    tokenizer: Tokenizer, options: dict[str, object], told: str
) -> None:
    bot = answering(tokenizer)
    with pytest.raises(OptionError, match=told):
        bot.check(DecodingOptions(**options))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=told):
        bot.answers(["hello"], DecodingOptions(**options))  # type: ignore[arg-type]


def test_words_the_checkpoint_does_not_know_are_refused() -> None:
    tokenizer = Tokenizer.train("words", [(line, line) for line in LINES], 340, "question")
    for options in (DecodingOptions(must=("cat", "hello zorblax")), DecodingOptions(begin="zorblax ,")):
        with pytest.raises(OptionError, match="does not know the word 'zorblax'"):
            answering(tokenizer).check(options)


def test_coverage_without_attention_is_refused(tokenizer: Tokenizer) -> None:
    bot = Answering(tokenizer, Babbler(tokenizer.vocab), 9, 12, attends=False)
    with pytest.raises(OptionError, match="--coverage-penalty: this checkpoint has no attention"):
        bot.check(DecodingOptions(coverage_penalty=0.1))


def _runs(hypothesis: Hypothesis) -> set[tuple[int, ...]]:
    return {hypothesis.tokens[i : i + 2] for i in range(len(hypothesis.tokens) - 1)}


def _with(options: DecodingOptions, **changes: object) -> DecodingOptions:
    return dataclasses.replace(options, **changes)  # type: ignore[arg-type]
