"""What all tests share: an isolated environment and a checkpoint trained in seconds."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    from chatbot.bot import Chatbot
    from chatbot.training.events import Event

Exchanges = Sequence[tuple[str, str]]
TrainTiny = Callable[..., "list[Event]"]

# A busy machine is no fault of the code; the same examples each time, so that a red run can be repeated.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
hypothesis.settings.load_profile("steady")

EXCHANGES = (
    ("hello", "hi there"),
    ("hi", "hello, nice to meet you"),
    ("q", "that is a letter"),
    ("bye", "see you soon"),
    ("thanks", "you are welcome"),
    ("how are you", "I'm fine, thanks."),
    ("how are you today?", "very well today"),
    ("what is your name", "my name is Tiny"),
    ("tell me a joke", "why did the chicken cross the road?"),
    ("what can you do", "I can talk a little"),
    ("are you a robot", "yes, I am a program"),
    ("I am tired", "then get some sleep"),
    ("I am hungry", "have an apple"),
    ("it is raining", "don't forget your umbrella"),
    ("what time is it", "time for tea"),
    ("do you like music", "I love the blues"),
    ("where do you live", "inside a small folder"),
    ("你好吗", "我很好"),
    ("привет", "рада тебя видеть"),
    ("good night 😀", "sweet dreams 😴"),
)
"""Twenty questions, each with a reply of its own."""


def pytest_configure() -> None:
    """Set before torch is imported, here and in every process: tiny products are slower on many threads.

    Tests started in the background of a script inherit that Ctrl-C is ignored, and would hand it on.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"


@pytest.fixture(autouse=True)
def _environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of somebody who has never used the program: nothing of the real home is read or written."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("CHATBOT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))


@pytest.fixture(scope="session")
def exchanges() -> Exchanges:
    """What ``tiny_checkpoint`` was trained on."""
    return EXCHANGES


@pytest.fixture(scope="session")
def train_tiny() -> TrainTiny:
    """Train a tiny bot until it knows most exchanges by heart: train_tiny(folder, exchanges, steps=300, ...).

    ``folder`` becomes the checkpoint, its parent holds the corpus (or ``exchanges`` is its file); further
    options by name. The events of the run are returned.
    """
    from chatbot.config import PRESETS, Config
    from chatbot.training.request import Request
    from chatbot.training.run import TrainingRun

    # All that the outcome hangs on is said here, so that better defaults for real runs change no test.
    by_heart = PRESETS["tiny"] | {
        "tokenizer": "bpe",
        "case": "question",
        "max_src": 40,
        "max_tgt": 24,
        "cell": "lstm",
        "layers": 1,
        "dropout": 0.0,
        "validation": 0.0,
        "batch_tokens": 480,
        "lr": 0.01,
        "label_smoothing": 0.0,
        "patience": 0,
        "minutes": 0.0,
        "device": "cpu",
    }

    def train(folder: Path, exchanges: Exchanges | Path, steps: int = 300, **options: Any) -> list[Event]:
        corpus = exchanges if isinstance(exchanges, Path) else folder.parent / "talk.tsv"
        if not isinstance(exchanges, Path):
            corpus.write_text("".join(f"{src}\t{tgt}\n" for src, tgt in exchanges), encoding="utf-8")
        limits = {"steps": steps, "eval_every": steps}
        config = Config().replace(by_heart | limits | options)
        request = Request((str(corpus),), folder, folder.parent, config, "chatbot train talk.tsv")
        return list(TrainingRun(request).events())

    return train


@pytest.fixture(scope="session")
def tiny_checkpoint(
    tmp_path_factory: pytest.TempPathFactory, train_tiny: TrainTiny, exchanges: Exchanges
) -> Path:
    """A complete checkpoint that answers twenty questions; treat it as read-only."""
    folder = tmp_path_factory.mktemp("trained") / "tiny"
    train_tiny(folder, exchanges, attention="general")
    return folder


@pytest.fixture(scope="session")
def tiny_bot(tiny_checkpoint: Path) -> Chatbot:
    """The bot of ``tiny_checkpoint``."""
    from chatbot.bot import Chatbot

    return Chatbot.load(tiny_checkpoint, device="cpu")
