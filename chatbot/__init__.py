"""A chatbot on Seq2Seq with attention, trained offline on your own conversations.

    from chatbot import Chatbot

    bot = Chatbot.load("checkpoints/starter")
    print(bot.reply("hello").text)

Names are loaded when they are first used: importing the package alone is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatbot.bot import Chatbot
    from chatbot.errors import ChatbotError, CheckpointError, CorpusError, OptionError, TrainingError
    from chatbot.reply import Attention, Candidate, Reply, ReplyStream, Word
    from chatbot.trust.why import Why

    __version__: str

__all__ = [
    "Attention",
    "Candidate",
    "Chatbot",
    "ChatbotError",
    "CheckpointError",
    "CorpusError",
    "OptionError",
    "Reply",
    "ReplyStream",
    "TrainingError",
    "Why",
    "Word",
    "__version__",
]

HOMES = {"Chatbot": "chatbot.bot", "Why": "chatbot.trust.why"}
"""Where names live that are neither of a reply nor an error."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _version() if name == "__version__" else _load(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _load(name: str) -> Any:
    import importlib

    home = HOMES.get(name, "chatbot.errors" if name.endswith("Error") else "chatbot.reply")
    return getattr(importlib.import_module(home), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("chatbot")
    except PackageNotFoundError:  # run from a folder, never installed
        return "0+unknown"
