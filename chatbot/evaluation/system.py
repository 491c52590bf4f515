"""System: a checkpoint as an evaluation needs it: it encodes pairs, predicts replies and gives some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from chatbot.checkpoint import Checkpoint
from chatbot.config import COPYING, POINTER
from chatbot.corpus.conversation import Pair
from chatbot.dataset.encode import Copying, PairEncoder
from chatbot.dataset.encoded import EncodedPairs
from chatbot.engines.network import load_network
from chatbot.engines.torch_engine import choose_device
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.text.tokenizer import Tokenizer


class Answered(Protocol):
    """A reply as ``chatbot chat`` gives it; it may also have a ``confidence``."""

    @property
    def text(self) -> str:
        """What is said."""

    @property
    def score(self) -> float:
        """The log-probability it was chosen by, normalised for its length."""


Answer = Callable[[Sequence[Pair]], Sequence[Answered]]
"""Replies to the questions of some pairs."""


@dataclass(frozen=True, slots=True)
class System:
    """A checkpoint that is evaluated.

    Args:
        answer: replies as ``chatbot chat`` gives them, with the same engine and search.
    """

    name: str
    checkpoint: Checkpoint
    tokenizer: Tokenizer
    network: Seq2Seq
    device: torch.device
    answer: Answer

    @classmethod
    def of(cls, checkpoint: Checkpoint, device: str, answer: Answer) -> System:
        """Load the network beside what answers.

        Raises:
            CheckpointError: the checkpoint is damaged.
            OptionError: the device is not there.
        """
        chosen, tokenizer = choose_device(device), checkpoint.tokenizer()
        network = load_network(checkpoint, tokenizer.vocab).to(chosen).eval()
        return cls(checkpoint.name, checkpoint, tokenizer, network, chosen, answer)

    def fits(self, pairs: Sequence[Pair]) -> list[bool]:
        """Which pairs the checkpoint would have learned from, had it met them."""
        return self._encoder(only=True).fits(pairs)

    def encode(self, pairs: Sequence[Pair]) -> EncodedPairs:
        """Pairs that fit as ids, each in its place."""
        encoded, _ = self._encoder(only=True).encode(pairs)
        assert len(encoded) == len(pairs), "a pair does not fit"
        return encoded

    def encode_any(self, pairs: Sequence[Pair]) -> EncodedPairs:
        """Pairs as ids, each in its place, even where a reply cannot be said."""
        encoded, _ = self._encoder(only=False, longest=1 << 20).encode(pairs)
        assert len(encoded) == len(pairs), "a side of a pair is empty"
        return encoded

    def encode_training(self, pairs: Iterable[Pair]) -> EncodedPairs:
        """Training pairs as ids; those that the checkpoint could not learn from are left out."""
        return self._encoder(only=True).encode(pairs)[0]

    def _encoder(self, only: bool, longest: int = 0) -> PairEncoder:
        config = self.checkpoint.config
        output = config.model.output
        copying = Copying(extends=output in COPYING, only=only and output == POINTER)
        return PairEncoder(self.tokenizer, config.text.max_src, longest or config.text.max_tgt, copying)
