"""Replies to many questions as plain text, for samples, figures and model cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chatbot.config import Config
from chatbot.decoding.engine import Engine
from chatbot.decoding.search import search
from chatbot.text.tokenizer import Tokenizer

Answer = Callable[[Sequence[str]], list[str]]
"""Questions in, replies out, in order."""

_BATCH = 64


def answering(engine: Engine, tokenizer: Tokenizer, config: Config) -> Answer:
    """How a model answers with its own decoding options; a question without tokens gets ""."""
    text, decoding = config.text, config.decoding

    def answer_batch(questions: Sequence[str]) -> list[str]:
        sources = [ids[-text.max_src :] for ids in tokenizer.encode_batch(questions, src=True)]
        asked = [row for row, source in enumerate(sources) if source]
        replies = [""] * len(questions)
        if asked:
            found = search(
                engine,
                [sources[row] for row in asked],
                beam=decoding.beam,
                max_length=(decoding.max_tokens or text.max_tgt) + 1,
                length_penalty=decoding.length_penalty,
                block_ngram=decoding.block_ngram,
            )
            for row, hypotheses in zip(asked, found, strict=True):
                replies[row] = tokenizer.decode(hypotheses[0].tokens).strip()
        return replies

    def answer(questions: Sequence[str]) -> list[str]:
        replies: list[str] = []
        for start in range(0, len(questions), _BATCH):
            replies += answer_batch(questions[start : start + _BATCH])
        return replies

    return answer
