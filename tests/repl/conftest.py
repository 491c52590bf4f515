"""A bot with no network, and a conversation with it at a terminal made of a pipe and a string."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest
from prompt_toolkit.history import History
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from chatbot.bot import Attention, Candidate, Reply, Word
from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError
from chatbot.repl.history import no_history
from chatbot.repl.loop import converse
from chatbot.repl.memory import Memory
from chatbot.repl.prompt import edited_prompt
from chatbot.repl.screen import Screen
from chatbot.repl.talk import Talk
from chatbot.trust.nearest import Nearest
from chatbot.trust.why import Why

COLUMNS = 40


@dataclass
class EchoBot:
    """Says "re QUESTION"; "refuse" is refused, at "stop" the person presses Ctrl-C."""

    name: str = "echo"
    reads_history: bool = True
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
        ranked = tuple(Candidate(f"re {text} {i}", -1.0 - i) for i in range(candidates))
        attention = Attention((Word(text, 0, len(text)),), (Word("re", 0, 2),), ((1.0,),))
        return Reply(
            text, f"re {text}", -1.0, candidates=ranked, attention=attention if self.attends else None
        )

    def explained(self, reply: Reply, pairs: int) -> Reply:
        near = tuple(Nearest(reply.question, "so", 0.5) for _ in range(pairs))
        return replace(reply, confidence=0.25, why=Why(near, verbatim=False))

    def check(self, options: DecodingOptions) -> None:
        """It can answer in any way."""

    @property
    def questions(self) -> list[str]:
        return [text for text, _, _ in self.asked]


class Terminal:
    """Types keys and collects what is shown."""

    def __init__(self, pipe: PipeInput) -> None:
        self._pipe = pipe
        self.bot = EchoBot()
        self.shown = io.StringIO()
        self.console = Console(file=self.shown, width=COLUMNS)
        self.talk = Talk(self.bot, self.bot.options)
        self.history: History = no_history()

    def remember(self, turns: int) -> None:
        self.talk.memory = Memory(turns)

    def type(self, keys: str, quiet: bool = False) -> list[str]:
        """The lines shown while ``keys`` and then Ctrl-D are typed; returns when the conversation ends."""
        self._pipe.send_text(keys + "\x04")
        converse(
            self.talk, edited_prompt(self.history, self._pipe, DummyOutput()), Screen(self.console, quiet)
        )
        return self.shown.getvalue().splitlines()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with create_pipe_input() as pipe:
        yield Terminal(pipe)
