"""Bots that say words nobody taught them: from a file of made-up pairs to the command line's answer."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from chatbot.bot import Chatbot
from chatbot.build import OUTPUTS
from chatbot.cli import main
from chatbot.config import ModelOptions, option_field
from chatbot.dataset.encode import Copying
from chatbot.training.cache import copying

SYLLABLES = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]
TEMPLATES = [
    ("my name is {}", "hi {}"),
    ("I am {}", "hello {}, nice to meet you"),
    ("{} is my brother", "tell {} I said hello"),
    ("do you know {}?", "no, who is {}?"),
    ("call me {} please", "of course, {}!"),
]
SIZE = ("--tokenizer", "words", "--vocabulary", "300", "--embed", "64", "--hidden", "64")
RUN = ("--device", "cpu", "--minutes", "0", "--validation", "0.02", "--eval-every", "100", "--quiet")


def names(count: int, seed: int) -> list[str]:
    """Different made-up names."""
    random = np.random.default_rng(seed)
    made = ("".join(random.choice(SYLLABLES, random.integers(2, 5))).capitalize() for _ in range(10 * count))
    return list(dict.fromkeys(made))[:count]


def train(folder: Path, pairs: list[tuple[str, str]], *options: str) -> Chatbot:
    (folder / "talk.tsv").write_text("".join(f"{src}\t{tgt}\n" for src, tgt in pairs), encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["train", "talk.tsv", "--name", "bot", *SIZE, *RUN, *options])
    assert left.value.code == 0
    return Chatbot.load(folder / "checkpoints" / "bot", device="cpu")


def test_every_output_can_be_chosen() -> None:
    assert sorted(OUTPUTS) == sorted(option_field("model", "output").metadata["choices"])


def test_options_say_what_replies_take_from_their_questions() -> None:
    found = {output: copying(ModelOptions(output=output)) for output in OUTPUTS}
    generator, pointer = Copying(extends=True), Copying(extends=True, only=True)
    assert found == {"softmax": Copying(), "pointer-generator": generator, "pointer": pointer}


@pytest.mark.slow
def test_names_never_heard_are_said_as_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    heard, new = names(500, seed=0), [name for name in names(80, seed=1) if name not in names(500, seed=0)]
    random = np.random.default_rng(0)
    chosen = [(TEMPLATES[place], name) for name in heard for place in random.choice(len(TEMPLATES), 2, False)]
    taught = [(src.format(name), tgt.format(name)) for (src, tgt), name in chosen]
    bot = train(tmp_path, taught, "--output", "pointer-generator", "--steps", "100", "--lr", "0.008")

    asked = [(src.format(name), tgt.format(name)) for (src, tgt), name in product(TEMPLATES, new)]
    replies = bot.replies([question for question, _ in asked])
    right = [reply.text == wanted for reply, (_, wanted) in zip(replies, asked, strict=True)]
    assert sum(right) >= 0.95 * len(asked)

    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["chat", "--question", "My name is ZORblax", "--json", "--attention"])
    said = json.loads(capsys.readouterr().out)
    assert said["reply"] == "hi ZORblax"
    assert said["attention"]["reply"][1] == {"text": "ZORblax", "start": 3, "end": 10}
    assert said["attention"]["source"][3] == {"text": "ZORblax", "start": 11, "end": 18}
    assert np.argmax(said["attention"]["weights"][1]) == 3

    given = bot.given("My name is ZORblax", "hi zorblax")
    assert given.attention is not None
    assert np.argmax(given.attention.weights[1]) == 3
    assert -3 < given.score < 0
    assert given.score > bot.given("My name is ZORblax", "hi Nobody").score


@pytest.mark.slow
def test_pointer_turns_round_words_never_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    heard, new = ([name.lower() for name in names(600, seed)] for seed in (0, 1))
    rows = [random.choice(heard, random.integers(1, 5), replace=False).tolist() for _ in range(800)]
    taught = [(" ".join(row), " ".join(row[::-1])) for row in rows]
    steps = ("--steps", "150", "--lr", "0.01", "--cell", "gru")
    bot = train(tmp_path, [*taught, ("left", "out")], "--output", "pointer", *steps)

    rows = [random.choice(new, random.integers(1, 5), replace=False).tolist() for _ in range(100)]
    replies = bot.replies([" ".join(row) for row in rows])
    assert sum(reply.text.split() == row[::-1] for reply, row in zip(replies, rows, strict=True)) >= 90
    for reply, row in zip(replies, rows, strict=True):
        assert reply.attention is not None
        assert len(reply.attention.end) == len(row)
