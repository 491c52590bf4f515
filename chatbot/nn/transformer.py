"""The Transformer: an encoder and a decoder that remember by attention alone.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention
from chatbot.nn.decoder import Decoded, Decoder
from chatbot.nn.encoder import Encoded, Encoder
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.multihead import Past, causal, new_linear
from chatbot.nn.rows import Rows
from chatbot.nn.transformer_layers import NORMS, DecoderLayer, EncoderLayer, Entrance, LayerSizes


class TransformerEncoder(Encoder):
    """Read a source by self-attention alone; ``finals`` is the mean of the real outputs.

    Source: Vaswani et al. 2017, sections 3.1, 3.4 and 3.5. Embeddings come with dropout, so their sums with
    the positions get none of their own.
    """

    def __init__(self, embed: int, layers: int, sizes: LayerSizes) -> None:
        super().__init__()
        self.entrance = Entrance(embed, sizes.hidden)
        self.layers = nn.ModuleList(EncoderLayer(sizes) for _ in range(layers))
        self.last = NORMS[sizes.norm].last(sizes.hidden)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        stream = self.entrance(embedded, torch.arange(embedded.shape[1], device=embedded.device))
        for layer in self.layers:
            stream = layer(stream, mask[:, None, None])
        outputs: Tensor = self.last(stream)
        real = outputs.masked_fill(~mask[:, :, None], 0.0)
        return Encoded(outputs, (real.sum(1) / mask.sum(1, keepdim=True),))


@dataclass(frozen=True, slots=True)
class TransformerState(Rows):
    """A Transformer decoder between two steps.

    Shapes: position [batch] (how many words came before); past and attention: a layer each
    """

    position: Tensor
    past: tuple[Past, ...]
    attention: tuple[AttentionState, ...]


class TransformerDecoder(Decoder):
    """Continue replies by causal self-attention, each layer looking at the source with its own attention.

        features = W x_t

    What a layer looked at is in the keys and values of the layer above at all later positions, so that two
    layers or more feed back. Weights and gauges are the last layer's; what layers add to the loss is summed.

    Source: Vaswani et al. 2017, section 3.1. W is ours: it goes back to the size of an embedding, and is
    small at first, so that the loss starts at that of the output's prior.

    Args:
        attention: makes the attention of a layer.
    """

    def __init__(
        self, embed: int, layers: int, sizes: LayerSizes, attention: Callable[[], Attention]
    ) -> None:
        super().__init__()
        self.hidden = sizes.hidden
        self.entrance = Entrance(embed, sizes.hidden)
        self.layers = nn.ModuleList(DecoderLayer(attention(), sizes) for _ in range(layers))
        self.last = NORMS[sizes.norm].last(sizes.hidden)
        self.project = new_linear(sizes.hidden, embed, gain=0.1)
        self.feeds_back = layers > 1

    def _each(self) -> Iterator[DecoderLayer]:
        for layer in self.layers:
            assert isinstance(layer, DecoderLayer)
            yield layer

    def prepare(self, encoded: Encoded, mask: Tensor) -> tuple[Memory, ...]:
        """A memory a layer."""
        return tuple(
            layer.attention.prepare(encoded.outputs, mask, encoded.finals[-1]) for layer in self._each()
        )

    def start(self, encoded: Encoded, memories: tuple[Memory, ...]) -> TransformerState:
        """Nothing read, nothing looked at."""
        looked = tuple(
            layer.attention.start(memory) for layer, memory in zip(self._each(), memories, strict=True)
        )
        nothing = Past.nothing(encoded.outputs.shape[0], self.hidden, encoded.outputs)
        return TransformerState(looked[0].position, (nothing,) * len(looked), looked)

    def forward(self, embedded: Tensor, memories: tuple[Memory, ...], state: Rows) -> Decoded:
        """All words at once."""
        assert isinstance(state, TransformerState)
        length, before = embedded.shape[1], state.past[0].keys.shape[1]
        ahead = torch.arange(length, device=embedded.device)
        stream = self.entrance(embedded, state.position[:, None] + ahead)
        allowed, past, looks = causal(length, before, embedded.device), [], []
        for layer, read, memory, looked in zip(
            self.layers, state.past, memories, state.attention, strict=True
        ):
            stream, read, attended = layer(stream, allowed, read, memory, looked)
            past.append(read)
            looks.append(attended)
        after = TransformerState(state.position + length, tuple(past), tuple(each.state for each in looks))
        return self._decoded(stream, looks, after)

    def _decoded(self, stream: Tensor, looks: list[Attended], state: TransformerState) -> Decoded:
        return Decoded(
            self.project(self.last(stream)),
            looks[-1].weights,
            state,
            total([each.log_prob for each in looks]),
            total([each.penalty for each in looks]),
            looks[-1].gauges,
        )


def total(parts: Sequence[Tensor | None]) -> Tensor | None:
    """The sum of what there is; None where there is nothing."""
    there = [part for part in parts if part is not None]
    return torch.stack(there).sum(0) if there else None
