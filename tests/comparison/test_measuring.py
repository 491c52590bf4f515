from __future__ import annotations

import math
from pathlib import Path

import pytest

from chatbot.bot import Chatbot
from chatbot.comparison.grid import Grid
from chatbot.comparison.measuring import entropy, fingerprint, mean_entropy, measured
from chatbot.comparison.questions import Question
from chatbot.config import Config
from chatbot.reply import Attention, Reply, Word

QUESTIONS = [Question("how are you", "I'm fine, thanks."), Question("thanks", "you are welcome")]


def reply(*rows: tuple[float, ...]) -> Reply:
    words = tuple(Word("w", 0, 1) for _ in rows)
    return Reply("q", "r", attention=Attention(tuple(Word("w", 0, 1) for _ in rows[0]), words, rows))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((1.0, 0.0), 0.0),
        ((0.25, 0.25, 0.25, 0.25), 1.0),
        ((0.1, 0.1), 1.0),
        ((0.5, 0.25, 0.25, 0.0), 0.75),  # 1.5 bits of 2
    ],
)
def test_entropy_is_a_share_of_the_highest(row: tuple[float, ...], expected: float) -> None:
    assert math.isclose(entropy(row), expected, abs_tol=1e-12)


def test_entropy_is_the_mean_over_rows_that_can_have_one() -> None:
    replies = [reply((1.0, 0.0), (0.5, 0.5)), reply((1.0,)), reply((0.0, 0.0)), Reply("q", "r")]
    assert mean_entropy(replies) == 0.5
    assert mean_entropy([Reply("q", "r"), reply((1.0,))]) is None


def test_trained_variant_is_measured(tiny_checkpoint: Path) -> None:
    variant = Grid().variants(Config().replace({"device": "cpu", "beam": 1}))[0]
    outcome = measured(tiny_checkpoint, variant, QUESTIONS)
    replies = Chatbot.load(tiny_checkpoint, "cpu").replies(
        [q.text for q in QUESTIONS], variant.config.decoding
    )
    assert outcome.replies == tuple(reply.text for reply in replies)
    assert outcome.figures is not None
    assert outcome.figures.steps == 300
    assert outcome.figures.perplexity is not None
    assert outcome.figures.loss is not None
    assert outcome.figures.bleu == 100.0  # it knows both replies by heart
    assert outcome.figures.distinct2 == 1.0
    assert outcome.figures.entropy is not None
    assert 0 < outcome.figures.entropy < 1
    assert outcome.attention is not None
    assert [word["text"] for word in outcome.attention["reply"]] == ["I'm", "fine", ",", "thanks", "."]


def test_fingerprint_tells_what_figures_hang_on(tiny_checkpoint: Path, tmp_path: Path) -> None:
    one, four = Grid({"decoding.beam": (1, 4)}).variants(Config())
    first = fingerprint(tiny_checkpoint, one, QUESTIONS)
    assert first == fingerprint(tiny_checkpoint, one, list(QUESTIONS)) != ""
    assert first != fingerprint(tiny_checkpoint, four, QUESTIONS)
    assert first != fingerprint(tiny_checkpoint, one, QUESTIONS[:1])
    assert fingerprint(tmp_path, one, QUESTIONS) == ""
