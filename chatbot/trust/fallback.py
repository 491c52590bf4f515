"""Fallback: what is said where the bot has no reply worth giving."""

from __future__ import annotations

import re

from chatbot.text.tokenizer import Tokenizer

ENGLISH, CHINESE = "Sorry, I don't know what to say to that.", "抱歉，这个我不知道该怎么回答。"

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")


def fallback_text(tokenizer: Tokenizer) -> str:
    """A neutral text in the bot's language: Chinese where most of what it can say is, else English."""
    words = [word for word in tokenizer.words() if _LETTER.search(word)]
    han = sum(bool(_HAN.search(word)) for word in words)
    return CHINESE if 2 * han > len(words) else ENGLISH
