"""Perplexity per word: comparable whatever the tokenizer.

perplexity = exp(nats of the replies, their ends included / (white-space words + 1 a reply))
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from chatbot.dataset.batches import evaluation_batches
from chatbot.dataset.joined import Pairs, pieces
from chatbot.nn.loss import reply_fits
from chatbot.nn.seq2seq import Seq2Seq


@dataclass(frozen=True, slots=True)
class Fit:
    """How well replies are predicted.

    Args:
        nats: negative log-likelihood of all replies, their ends included.
        tokens: their tokens, an end a reply counted.
        words: their white-space words, an end a reply counted.
        correct: tokens that are the likeliest ones after the gold ones before them, where that was counted.
    """

    nats: float
    tokens: int
    words: int
    correct: int = 0

    @property
    def loss(self) -> float:
        """Nats per token."""
        return self.nats / max(self.tokens, 1)

    @property
    def perplexity(self) -> float:
        """Per word; infinite where the number is too large for a float."""
        return perplexity(self.nats / max(self.words, 1))

    @property
    def accuracy(self) -> float:
        """Share of the tokens that are the likeliest ones."""
        return self.correct / max(self.tokens, 1)

    def __add__(self, other: Fit) -> Fit:
        return Fit(
            self.nats + other.nats,
            self.tokens + other.tokens,
            self.words + other.words,
            self.correct + other.correct,
        )


def perplexity(nats: float) -> float:
    """e to the nats, infinity instead of an overflow."""
    return math.inf if nats > 700 else math.exp(nats)


def fit_of(pairs: Pairs, nats: float, correct: int = 0) -> Fit:
    """The fit of a model that needs so many nats for the replies of ``pairs``, so many tokens right."""
    tokens = sum(int(piece.tgt_starts[-1]) + len(piece) for piece in pieces(pairs))
    words = sum(int(piece.words.sum()) for piece in pieces(pairs))
    return Fit(float(nats), tokens, words + len(pairs), correct)


@torch.inference_mode()
def by_reply(
    network: Seq2Seq, pairs: Pairs, device: torch.device, batch_tokens: int = 8192
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Nats of each reply, its end included, and how many of its tokens are the likeliest ones.

    There is no dropout; the training mode of the network is put back afterwards.

    Args:
        batch_tokens: size of a batch, see ``bucket``; it changes speed and memory, not the figures.

    Shapes: each [pairs]
    """
    training = network.training
    network.eval()
    nats, correct = np.zeros(len(pairs)), np.zeros(len(pairs), dtype=np.int64)
    try:
        for rows, batch in evaluation_batches(pairs, batch_tokens):
            moved = batch.to(device)
            fits = reply_fits(network, moved.src, moved.tgt_in, moved.tgt_out)
            nats[rows], correct[rows] = (found.double().cpu().numpy() for found in fits)
    finally:
        network.train(training)
    return nats, correct


def measure(network: Seq2Seq, pairs: Pairs, device: torch.device, batch_tokens: int = 8192) -> Fit:
    """The fit of a network to all replies together, see ``by_reply``."""
    nats, correct = by_reply(network, pairs, device, batch_tokens)
    return fit_of(pairs, float(nats.sum()), int(correct.sum()))
