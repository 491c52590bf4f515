"""Seq2Seq: encoder, decoder and output as one network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from chatbot.nn.decoder import Decoded, Decoder
from chatbot.nn.dropout import DROPOUTS, BatchMasked
from chatbot.nn.embedding import PAD
from chatbot.nn.encoder import Encoded, Encoder
from chatbot.nn.memory import Memory
from chatbot.nn.output import Output
from chatbot.nn.rows import Rows

UNK, BOS, EOS = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Source(Rows):
    """A batch of encoded sources, prepared once and read at every step.

    Shapes: ids and mask [batch, src_len]; memories: one for each attention of the decoder
    """

    ids: Tensor
    mask: Tensor
    memories: tuple[Memory, ...]


class Seq2Seq(nn.Module):
    """Map a question to a reply, token by token.

        log p(y | x) = Σ_t log p(y_t | y_{<t}, x)

    Source: Sutskever et al. 2014; Bahdanau et al. 2015. Ids from the size of the vocabulary on stand for
    words of the source that it lacks; to the embeddings they are all <unk>.

    Args:
        src_embedding, tgt_embedding: may be one table (Press and Wolf 2017).
        dropout: share dropped on embeddings and before the output.
        dropout_kind: a name of DROPOUTS.
    """

    def __init__(
        self,
        src_embedding: nn.Embedding,
        tgt_embedding: nn.Embedding,
        encoder: Encoder,
        decoder: Decoder,
        output: Output,
        dropout: float,
        dropout_kind: str = "input",
    ) -> None:
        super().__init__()
        self.src_embedding = src_embedding
        self.tgt_embedding = tgt_embedding
        self.encoder = encoder
        self.decoder = decoder
        self.output = output
        self.src_dropout, self.tgt_dropout, self.dropout = (DROPOUTS[dropout_kind](dropout) for _ in range(3))
        self._masked = [each for each in self.modules() if isinstance(each, BatchMasked)]
        self.baseline: Tensor
        self.register_buffer("baseline", torch.zeros(1))

    def encode(self, src: Tensor) -> tuple[Source, Rows]:
        """Read sources; what a decoder needs of them and its state before the first word.

        An output may want each source to end with EOS: then everything has one column more, and what was
        looked at past a source's own length is its end.

        Shapes: src [batch, src_len], padded with 0 on the right.
        """
        for masked in self._masked:
            masked.renew()
        src = with_ends(src) if self.output.ends_source else src
        mask = src != PAD
        encoded: Encoded = self.encoder(self.src_dropout(_embed(self.src_embedding, src)), mask)
        memories = self.decoder.prepare(encoded, mask)
        return Source(src, mask, memories), self.decoder.start(encoded, memories)

    def focused(self, source: Source, focus: Tensor) -> Source:
        """The same sources, some positions of which every attention looks at more than it would.

        Args:
            focus: by how much the score of each position is raised, in nats; an EOS behind the source gets 0.

        Shapes: focus [batch, src_len]
        """
        if self.output.ends_source:
            focus = nn.functional.pad(focus, (0, 1))
        memories = tuple(replace(memory, focus=focus) for memory in source.memories)
        return replace(source, memories=memories)

    def summary(self, src: Tensor) -> Tensor:
        """The mean of the encoder's outputs over each source's own tokens, an EOS behind them not counted.

        Shapes: src [batch, src_len], padded with 0 on the right -> [batch, hidden]
        """
        read = with_ends(src) if self.output.ends_source else src
        encoded: Encoded = self.encoder(_embed(self.src_embedding, read), read != PAD)
        own = (src != PAD)[..., None]
        outputs = encoded.outputs[:, : src.shape[1]].masked_fill(~own, 0)
        mean: Tensor = outputs.sum(1) / own.sum(1).clamp(min=1)
        return mean

    def decode(self, tgt: Tensor, source: Source, state: Rows) -> Decoded:
        """Features for the token after each of ``tgt`` and what was looked at.

        Shapes: tgt [batch, tgt_len]
        """
        embedded = self.tgt_dropout(_embed(self.tgt_embedding, tgt))
        decoded: Decoded = self.decoder(embedded, source.memories, state)
        return decoded

    def logits(self, decoded: Decoded, source: Source, index: Tensor | None = None) -> Tensor:
        """Scores of every word at the positions of a batch, counted row by row.

        Args:
            index: which positions; all when None.

        Shapes: index [positions] -> [positions, words]
        """
        batch, tgt_len, _ = decoded.features.shape
        if index is None:
            index = torch.arange(batch * tgt_len, device=source.ids.device)
        features = self.dropout.at(decoded.features, index)
        weights = decoded.weights.flatten(0, 1)[index]
        ids = source.ids[torch.div(index, tgt_len, rounding_mode="floor")]
        scores: Tensor = self.output(features, weights, ids)
        return scores

    def forward(self, src: Tensor, tgt: Tensor) -> tuple[Decoded, Source]:
        """Teacher forcing: ``tgt`` is BOS and the reply without its EOS."""
        source, state = self.encode(src)
        return self.decode(tgt, source, state), source


def _embed(table: nn.Embedding, ids: Tensor) -> Tensor:
    """Embeddings of ids; what the table lacks is <unk>."""
    embedded: Tensor = table(ids.masked_fill(ids >= table.num_embeddings, UNK))
    return embedded


def with_ends(src: Tensor) -> Tensor:
    """Sources with EOS behind the last token of each.

    Shapes: [batch, src_len] -> [batch, src_len + 1]
    """
    ends = (src != PAD).sum(1, keepdim=True)  # [batch, 1]
    return nn.functional.pad(src, (0, 1), value=PAD).scatter(1, ends, EOS)


def named_tensors(network: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Everything a network is made of besides its code: parameters and buffers, a shared one once."""
    yield from network.named_parameters()
    yield from network.named_buffers()
