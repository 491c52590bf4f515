"""A network from a configuration: the one place where the two meet."""

from __future__ import annotations

import torch

from chatbot.config import ModelOptions
from chatbot.nn.decoder import RnnDecoder
from chatbot.nn.encoder import RnnEncoder
from chatbot.nn.registry import build_attention
from chatbot.nn.seq2seq import Seq2Seq


def build_network(options: ModelOptions, vocab: int, seed: int = 0) -> Seq2Seq:
    """A network with fresh weights; the same seed gives the same ones and leaves torch's own alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attention = build_attention(options.attention, options.align, options.hidden, options.hidden)
        shape = (options.cell, options.embed, options.hidden, options.layers, options.dropout)
        return Seq2Seq(
            vocab,
            options.embed,
            RnnEncoder(*shape),
            RnnDecoder(*shape, attention),
            options.dropout,
            options.tie,
        )
