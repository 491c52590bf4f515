"""Seq2Seq: encoder, attention decoder and output layer as one network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention, NoAttention
from chatbot.nn.decoder import DecoderState, RnnDecoder
from chatbot.nn.encoder import RnnEncoder
from chatbot.nn.memory import Memory

PAD = 0


class Seq2Seq(nn.Module):
    """Map a question to a reply, token by token.

        log p(y | x) = Σ_t log p(y_t | y_{<t}, x)

    Source: Sutskever et al. 2014; Bahdanau et al. 2015. With ``tie`` one table serves question, reply
    and output (Press and Wolf 2017, three-way tying).

    Args:
        vocab: number of tokens.
        embed, hidden: sizes of an embedding and of the decoder's state.
        dropout: share dropped on embeddings, between layers and before the output.
    """

    def __init__(
        self,
        vocab: int,
        embed: int,
        encoder: RnnEncoder,
        decoder: RnnDecoder,
        dropout: float,
        tie: bool,
    ) -> None:
        super().__init__()
        self.src_embedding = _embedding(vocab, embed)
        self.tgt_embedding = self.src_embedding if tie else _embedding(vocab, embed)
        self.output = nn.Linear(embed, vocab)
        nn.init.zeros_(self.output.bias)
        if tie:
            self.output.weight = self.tgt_embedding.weight
        self.encoder = encoder
        self.decoder = decoder
        self.dropout = nn.Dropout(dropout)

    @property
    def attention(self) -> Attention | NoAttention:
        """How the decoder looks at the source."""
        return self.decoder.attention

    @torch.no_grad()
    def set_prior(self, counts: Tensor) -> None:
        """Start from how often each token occurs: the output bias becomes log((n + 1/2) / Σ (n + 1/2)).

        Without it the first hundreds of steps do little else than learn these frequencies.

        Shapes: counts [vocab]
        """
        smoothed = counts.double() + 0.5
        self.output.bias.copy_((smoothed / smoothed.sum()).log())

    def encode(self, src: Tensor) -> tuple[Memory, DecoderState]:
        """Read sources.

        Shapes: src [batch, src_len], padded with 0 on the right.
        """
        mask = src != PAD
        encoded = self.encoder(self.dropout(self.src_embedding(src)), mask.sum(1))
        memory = self.attention.prepare(encoded.outputs, mask, encoded.finals[-1])
        return memory, self.decoder.start(encoded.finals, memory)

    def decode(self, tgt: Tensor, memory: Memory, state: DecoderState) -> tuple[Tensor, Tensor, DecoderState]:
        """Features for the token after each of ``tgt``, the weights, and the state after the last.

        Shapes: tgt [batch, tgt_len] -> [batch, tgt_len, embed], [batch, tgt_len, src_len]
        """
        features, weights, after = self.decoder(self.dropout(self.tgt_embedding(tgt)), memory, state)
        return self.dropout(features), weights, after

    def logits(self, features: Tensor) -> Tensor:
        """Scores of every token.

        Shapes: features [..., embed] -> [..., vocab]
        """
        scores: Tensor = self.output(features)
        return scores

    def forward(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
        """Features and weights under teacher forcing: ``tgt`` is BOS and the reply without its EOS."""
        memory, state = self.encode(src)
        features, weights, _ = self.decode(tgt, memory, state)
        return features, weights


def _embedding(vocab: int, embed: int) -> nn.Embedding:
    table = nn.Embedding(vocab, embed, padding_idx=PAD)
    nn.init.normal_(table.weight, std=embed**-0.5)
    with torch.no_grad():
        table.weight[PAD].zero_()
    return table
