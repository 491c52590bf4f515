"""A bot with no network, and a conversation with it at a terminal made of a pipe and a string."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from prompt_toolkit.history import History
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError, CheckpointError, OptionError
from chatbot.repl.history import no_history
from chatbot.repl.loop import converse
from chatbot.repl.prompt import EditedPrompt
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Places, Talk
from chatbot.reply import Attention, Candidate, Reply, Word
from chatbot.trust.why import Nearest, Why

COLUMNS = 40
MOST = 5
"""Different replies that the bot has."""


@dataclass
class EchoBot:
    """Says "re QUESTION"; "refuse" is refused, at "stop" the person presses Ctrl-C."""

    name: str = "echo"
    fingerprint: str = "0f" * 32
    reads_history: bool = True
    context: int = 4
    options: DecodingOptions = field(default_factory=DecodingOptions)
    asked: list[tuple[str, tuple[str, ...], int]] = field(default_factory=list)
    attends: bool = True

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        assert options is not None
        self.asked.append((text, tuple(history), options.beam))
        if text == "stop":
            raise KeyboardInterrupt
        if text == "refuse":
            raise ChatbotError("refuse", "not today", "ask another time")
        said = [f"re {text} {place}".removesuffix(" 0") for place in range(min(candidates, MOST))]
        ranked = tuple(Candidate(each, -1.0 - place) for place, each in enumerate(said))
        attention = Attention((Word(text, 0, len(text)),), (Word("re", 0, 2),), ((1.0,),))
        return Reply(
            text, f"re {text}", -1.0, candidates=ranked, attention=attention if self.attends else None
        )

    def check(self, options: DecodingOptions) -> None:
        if options.coverage_penalty:
            raise OptionError("--coverage-penalty", "an echo has no attention", "leave it out")

    def given(
        self, text: str, reply: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> Reply:
        assert options is not None
        words = tuple(Word(text, 0, len(text)) for text in reply.split())
        looked = Attention((Word(text, 0, len(text)),), words, ((1.0,),) * len(words))
        return Reply(text, reply, -5.0, attention=looked)

    def explained(self, reply: Reply, pairs: int) -> Reply:
        near = tuple(Nearest(f"like {reply.question}", "so", 0.5) for _ in range(pairs))
        return replace(reply, why=Why(near, verbatim=True))

    def stream(
        self, text: str, history: Sequence[str] = (), options: DecodingOptions | None = None
    ) -> EchoSaying:
        return EchoSaying(self.reply(text, history, options))

    @property
    def questions(self) -> list[str]:
        return [text for text, _, _ in self.asked]


@dataclass
class EchoSaying:
    """The words of a reply one by one; at "stop in the middle" the person presses Ctrl-C after the second."""

    reply: Reply

    def __iter__(self) -> Iterator[str]:
        for place, word in enumerate(self.reply.text.split(" ")):
            if place == 2 and self.reply.question == "stop in the middle":
                raise KeyboardInterrupt
            yield f" {word}" if place else word


class Terminal:
    """Types keys and collects what is shown."""

    def __init__(self, pipe: PipeInput, folder: Path) -> None:
        self._pipe = pipe
        self.folder = folder
        self.bot = EchoBot()
        self.shown = io.StringIO()
        self.console = Console(file=self.shown, width=COLUMNS)
        places = Places(folder / "checkpoints", folder / "corpora", self._load)
        self.talk = Talk(self.bot, self.bot.options, places)
        self.history: History = no_history()

    def _load(self, name: str) -> EchoBot:
        if name != "other":
            raise CheckpointError(name, "no checkpoint of that name", "say other")
        return EchoBot("other", "1e" * 32, options=DecodingOptions(beam=2))

    def type(self, keys: str, quiet: bool = False, vi: bool = False) -> list[str]:
        """The lines shown while ``keys`` and then Ctrl-D are typed; returns when the conversation ends."""
        self._pipe.send_text(keys + "\x04")
        prompt = EditedPrompt(self.talk, self.history, vi=vi, reads=self._pipe, writes=DummyOutput())
        converse(self.talk, prompt, Screen(self.console, quiet))
        return self.shown.getvalue().splitlines()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with create_pipe_input() as pipe:
        yield Terminal(pipe, tmp_path)
