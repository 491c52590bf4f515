"""A bot with no network: it answers from its question, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from chatbot.config import DecodingOptions
from chatbot.errors import ChatbotError, OptionError
from chatbot.reply import Attention, Candidate, Reply, Word
from chatbot.trust.nearest import Nearest
from chatbot.trust.why import Why

LONGEST = 100


@dataclass
class EchoBot:
    """Says "re QUESTION" with one reply word for the whole; "refuse" is refused; a long question is cut."""

    name: str = "echo"
    context: int = 9
    fingerprint: str = "0f" * 32
    options: DecodingOptions = field(default_factory=DecodingOptions)
    asked: list[tuple[str, tuple[str, ...], DecodingOptions | None, int]] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def reply(
        self,
        text: str,
        history: Sequence[str] = (),
        options: DecodingOptions | None = None,
        candidates: int = 1,
    ) -> Reply:
        self.asked.append((text, tuple(history), options, candidates))
        if text == "refuse":
            raise ChatbotError("refuse", "not today", "ask another time")
        if not text.strip():
            return Reply(text, "")
        answer = f"re {text[-LONGEST:]}"
        ranked = tuple(Candidate(answer if i == 0 else f"other {i}", -1.0 - i) for i in range(candidates))
        attention = Attention((Word(text, 0, len(text)),), (Word("re", 0, 2),), ((1.0,),))
        fallback = text == "unknown"
        return Reply(
            text, answer, -1.0, fallback, len(text) > LONGEST, ranked, None if fallback else attention
        )

    def replies(
        self,
        texts: Sequence[str],
        options: DecodingOptions | None = None,
        candidates: int = 1,
        histories: Sequence[Sequence[str]] = (),
        attention: bool = True,
    ) -> list[Reply]:
        self.batches.append(len(texts))
        if "refuse" in texts:
            raise ChatbotError("refuse", "not today", "ask another time")
        asked = zip(texts, histories or [()] * len(texts), strict=True)
        return [self.reply(text, history, options, candidates) for text, history in asked]

    @property
    def reads_history(self) -> bool:
        return self.context > 0

    def explained(self, reply: Reply, pairs: int) -> Reply:
        near = tuple(Nearest(f"like {reply.question}", "so", 0.5) for _ in range(pairs))
        return replace(reply, why=Why(near, verbatim=True))

    def check(self, options: DecodingOptions) -> None:
        if options.threshold:
            raise OptionError("--threshold", "an echo is never sure", "leave it out")


@pytest.fixture
def bot() -> EchoBot:
    return EchoBot()
