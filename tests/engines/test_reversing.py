from __future__ import annotations

import numpy as np
import pytest

from chatbot.decoding.engine import EOS, Candidates
from chatbot.decoding.hypothesis import Hypothesis, length_penalty
from chatbot.engines.reversing import Reversed
from chatbot.text.tokenizer import Tokenizer


class Rows:
    def __init__(self, sources):
        self.sources = sources

    def select(self, rows):
        return Rows([self.sources[row] for row in rows])


class Overlap:
    """Finds every token of a question likelier, the more tokens its source has."""

    def __init__(self, vocab: int) -> None:
        self.vocab = vocab

    def start(self, sources):
        assert all(sources)
        return Rows([list(source) for source in sources])

    def step(self, tokens, state, k, bias=None):
        log_probs = np.array([[-1.0 / len(source)] * self.vocab for source in state.sources], np.float32)
        if bias is not None:
            np.add.at(log_probs, (bias.rows, bias.tokens), bias.values)
        best = np.argsort(-log_probs, axis=1, kind="stable")[:, :k]
        weights = np.zeros((len(tokens), 1), np.float32)
        return Candidates(best, np.take_along_axis(log_probs, best, axis=1), weights, state)


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train("chars", [("abcdefg", "hijkl")], 300, "question")


def found(text: str, score: float, whole: bool = True) -> tuple[str, Hypothesis]:
    tokens = (7, EOS) if whole else (7,)
    return text, Hypothesis(tokens, score, score, np.zeros((len(tokens), 1), np.float32))


def rerank(tokenizer: Tokenizer, replies, weight: float, question: str = "abc"):
    model = Reversed(tokenizer, Overlap(tokenizer.vocab), 40)
    [ranked] = model.rerank([question], [replies], weight, 1.0)
    return [text for text, _ in ranked], [hypothesis.score for _, hypothesis in ranked]


def test_score_is_the_mean_of_both_directions(tokenizer: Tokenizer) -> None:
    _, scores = rerank(tokenizer, [found("hij", -1.0)], 0.25)
    tokens, read = len(tokenizer.encode("abc").ids) + 1, len(tokenizer.encode("hij", src=True).ids)
    back = -tokens / read / length_penalty(tokens, 1.0)
    assert scores == pytest.approx([0.75 * -1.0 + 0.25 * back])


def test_the_reply_that_tells_of_the_question_comes_first_when_that_counts(tokenizer: Tokenizer) -> None:
    replies = [found("h", -1.0), found("hijkl", -1.2)]
    assert rerank(tokenizer, replies, 0.0) == (["h", "hijkl"], [-1.0, -1.2])
    assert rerank(tokenizer, replies, 0.9)[0] == ["hijkl", "h"]


def test_cut_and_silent_replies_stay_behind(tokenizer: Tokenizer) -> None:
    replies = [found("h", -9.0), found("hijklhijkl", -0.1, whole=False), found("", -0.1)]
    assert rerank(tokenizer, replies, 0.5)[0] == ["h", "hijklhijkl", ""]


def test_questions_are_answered_as_one_by_one(tokenizer: Tokenizer) -> None:
    model = Reversed(tokenizer, Overlap(tokenizer.vocab), 40)
    replies = [[found("h", -1.0), found("hij", -1.1)], [], [found("", -1.0)], [found("kl", -2.0)]]
    questions = ["a", "b", "c", "abcdefg"]
    together = model.rerank(questions, replies, 0.5, 1.0)
    for question, some, ranked in zip(questions, replies, together, strict=True):
        [alone] = model.rerank([question], [some], 0.5, 1.0)
        assert [(text, each.score) for text, each in alone] == [(text, each.score) for text, each in ranked]
