"""What works against dull replies, from training to chat: it must not harm a bot that knows its answers."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from chatbot.bot import Chatbot
from chatbot.checkpoint import REPLIES, find, load, update
from chatbot.decoding.engine import EOS
from chatbot.decoding.hypothesis import Hypothesis
from chatbot.engines.loading import load_reversed
from chatbot.errors import CheckpointError, OptionError

Exchanges = Sequence[tuple[str, str]]


@pytest.fixture(scope="module")
def reverse_checkpoint(
    tmp_path_factory: pytest.TempPathFactory, train_tiny: Callable[..., object], exchanges: Exchanges
) -> Path:
    """A complete checkpoint that guesses the question of each of twenty replies."""
    folder = tmp_path_factory.mktemp("reversed") / "back"
    train_tiny(folder, exchanges, reverse=True)
    return folder


@pytest.mark.parametrize("weight", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("beam", [1, 4])
def test_bot_that_knows_its_answers_gives_them(
    tiny_bot: Chatbot, exchanges: Exchanges, weight: float, beam: int
) -> None:
    options = dataclasses.replace(tiny_bot.options, anti_lm=weight, beam=beam)
    found = [reply.text for reply in tiny_bot.replies([question for question, _ in exchanges], options)]
    plain = dataclasses.replace(options, anti_lm=0.0)
    assert found == [reply.text for reply in tiny_bot.replies([q for q, _ in exchanges], plain)]
    assert sum(reply == said for reply, (_, said) in zip(found, exchanges, strict=True)) >= 18


def test_dull_replies_are_marked_down(
    tmp_path: Path, train_tiny: Callable[..., object], exchanges: Exchanges
) -> None:
    """Each question got its own reply once and the same dull one once; both are as likely."""
    folder = tmp_path / "dull"
    train_tiny(
        folder, [pair for q, a in exchanges[:10] for pair in ((q, "I don't know."), (q, a))], reply_cap=0
    )
    bot, questions = Chatbot.load(folder, device="cpu"), [question for question, _ in exchanges[:10]]

    def dull(weight: float) -> int:
        options = dataclasses.replace(bot.options, anti_lm=weight)
        return sum(reply.text == "I don't know." for reply in bot.replies(questions, options))

    assert dull(0.6) < dull(0.0)


def test_a_draw_by_chance_is_not_touched(tiny_bot: Chatbot) -> None:
    draw = dataclasses.replace(tiny_bot.options, search="sample")
    bare = dataclasses.replace(draw, anti_lm=0.0)
    assert tiny_bot.reply("hello", options=draw) == tiny_bot.reply("hello", options=bare)


def test_checkpoint_without_a_model_of_replies_answers_as_if_it_were_off(
    tiny_checkpoint: Path, tiny_bot: Chatbot, tmp_path: Path
) -> None:
    older = _without_replies(tiny_checkpoint, tmp_path / "older")
    bot = Chatbot.load(older, device="cpu")
    off = dataclasses.replace(bot.options, anti_lm=0.0)
    assert bot.reply("hello") == tiny_bot.reply("hello", options=off)
    bot.check(bot.options)
    bot.check(off)
    with pytest.raises(OptionError, match="--anti-lm: this checkpoint has no language model of its replies"):
        bot.check(dataclasses.replace(bot.options, anti_lm=0.3))


def test_reversed_checkpoint_is_no_bot(reverse_checkpoint: Path, tiny_checkpoint: Path) -> None:
    assert load(reverse_checkpoint).config.training.reverse
    assert REPLIES not in load(reverse_checkpoint).files
    with pytest.raises(CheckpointError, match=r"guesses questions from replies.*--reverse-model"):
        Chatbot.load(reverse_checkpoint)
    with pytest.raises(CheckpointError, match=r"was trained to answer.*train --reverse"):
        Chatbot.load(tiny_checkpoint, reverse=tiny_checkpoint)
    assert "nobody can talk with it" in (reverse_checkpoint / "README.md").read_text()


def test_reversed_checkpoint_is_not_taken_for_the_newest_bot(
    reverse_checkpoint: Path, tiny_checkpoint: Path
) -> None:
    assert find(None, reverse_checkpoint.parent) != reverse_checkpoint
    assert find(None, tiny_checkpoint.parent) == tiny_checkpoint
    assert find("back", reverse_checkpoint.parent) == reverse_checkpoint


def test_reversed_checkpoint_knows_which_question_a_reply_was_to(
    reverse_checkpoint: Path, exchanges: Exchanges
) -> None:
    model = load_reversed(reverse_checkpoint, "cpu")
    empty = Hypothesis((EOS,), 0.0, 0.0, np.zeros((1, 1), np.float32))
    first = exchanges[:8]
    ranked = model.rerank([q for q, _ in first], [[(a, empty) for _, a in first]] * len(first), 1.0, 1.0)
    right = sum(replies[0][0] == said for replies, (_, said) in zip(ranked, first, strict=True))
    assert right >= 7


def test_reverse_model_has_the_last_word(
    tiny_checkpoint: Path, tiny_bot: Chatbot, reverse_checkpoint: Path
) -> None:
    bot = Chatbot.load(tiny_checkpoint, device="cpu", reverse=reverse_checkpoint)
    options = dataclasses.replace(bot.options, beam=6, bidi=0.0)
    plain = tiny_bot.reply("hello", options=options, candidates=6)
    assert bot.reply("hello", options=options, candidates=6) == plain
    both = bot.reply("hello", options=dataclasses.replace(options, bidi=0.5), candidates=6)
    assert sorted(each.reply for each in both.candidates) == sorted(each.reply for each in plain.candidates)
    scores = [each.score for each in both.candidates]
    assert scores == sorted(scores, reverse=True)
    assert both.score == scores[0] != plain.score


def _without_replies(checkpoint: Path, folder: Path) -> Path:
    shutil.copytree(checkpoint, folder)
    (folder / REPLIES).unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["sha256"][REPLIES]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    update(folder, {})
    return folder
