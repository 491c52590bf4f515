"""Systems whose figures are known: networks that find all tokens equally likely, and answers from a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from chatbot.build import build_network
from chatbot.checkpoint import Checkpoint
from chatbot.config import Config
from chatbot.corpus.conversation import Pair
from chatbot.evaluation.system import System
from chatbot.text.tokenizer import Tokenizer

MakeSystem = Callable[..., System]


@dataclass(frozen=True)
class Given:
    """A reply that is known beforehand."""

    text: str
    score: float = -1.0
    confidence: float | None = None


@pytest.fixture
def make_system() -> MakeSystem:
    """make_system(pairs, replies=None, record={}, bias=None, **options).

    A system with words as tokens and uniform probabilities, or those of a bias for some words; it answers
    with the replies by question, else with the true ones.
    """

    def make(
        pairs: Sequence[Pair],
        replies: Mapping[str, Given] | None = None,
        record: Mapping[str, Any] | None = None,
        bias: Mapping[str, float] | None = None,
        **options: Any,
    ) -> System:
        config = Config().replace({"tokenizer": "words", "embed": 8, "hidden": 8, "case": "keep"} | options)
        tokenizer = Tokenizer.train("words", [(p.src[-1], p.tgt) for p in pairs], 9000, "keep")
        network = build_network(config.model, tokenizer.vocab)
        with torch.no_grad():
            network.output.table.weight.zero_()
            network.output.bias.zero_()
            for word, value in (bias or {}).items():
                network.output.bias[tokenizer.encode(word).ids[0]] = value
        known = replies or {pair.src[-1]: Given(pair.tgt) for pair in pairs}
        checkpoint = Checkpoint(Path("toy"), config, record or {}, Path("toy"))

        def answer(asked: Sequence[Pair]) -> list[Given]:
            return [known[pair.src[-1]] for pair in asked]

        return System("toy", checkpoint, tokenizer, network.eval(), torch.device("cpu"), answer)

    return make
