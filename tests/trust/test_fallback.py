"""The fallback speaks the bot's language."""

from __future__ import annotations

import pytest

from chatbot.text.tokenizer import Tokenizer
from chatbot.trust.fallback import CHINESE, ENGLISH, fallback_text

CHINESE_TALK = [("你好吗", "我很好，谢谢你"), ("今天天气怎么样", "天气很好，我们去公园散步吧")] * 3
ENGLISH_TALK = [("how are you", "I'm fine, thank you"), ("what's the weather like", "it is sunny")] * 3


@pytest.mark.parametrize("kind", ["bpe", "words", "chars"])
@pytest.mark.parametrize(("talk", "expected"), [(CHINESE_TALK, CHINESE), (ENGLISH_TALK, ENGLISH)])
def test_fallback_is_in_the_language_of_the_vocabulary(
    kind: str, talk: list[tuple[str, str]], expected: str
) -> None:
    assert fallback_text(Tokenizer.train(kind, talk, 400, "question")) == expected


def test_fallback_of_a_bot_without_words_is_there() -> None:
    assert fallback_text(Tokenizer.train("chars", [("1", "2")], 300, "question")) == ENGLISH
