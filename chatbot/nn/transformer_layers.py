"""What a Transformer is built from: ways round a sublayer, positions, and the two kinds of layer.

Source: Vaswani et al. 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention
from chatbot.nn.dropout import DROPOUTS
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.multihead import Past, SelfAttention, new_linear

WIDENING = 4
"""Units of the feed-forward layer for each number that goes in (Vaswani et al. 2017, section 3.3)."""


@dataclass(frozen=True, slots=True)
class LayerSizes:
    """What the layers of an encoder or a decoder are made from.

    Args:
        norm: a name of NORMS.
        dropout_kind: a name of DROPOUTS.
    """

    hidden: int
    heads: int
    dropout: float
    norm: str = "pre"
    dropout_kind: str = "input"


class Residual(nn.Module):
    """The contract: the way round a sublayer, with layer normalisation (Ba et al. 2016) before or after.

    Shapes: all [batch, length, hidden]
    """

    def __init__(self, sizes: LayerSizes) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(sizes.hidden)
        self.dropout = DROPOUTS[sizes.dropout_kind](sizes.dropout)

    def read(self, stream: Tensor) -> Tensor:
        """What the sublayer reads."""
        raise NotImplementedError

    def add(self, stream: Tensor, made: Tensor) -> Tensor:
        """The stream and what the sublayer made of it."""
        raise NotImplementedError

    @staticmethod
    def last(hidden: int) -> nn.Module:
        """What follows the last layer."""
        raise NotImplementedError


class PreNorm(Residual):
    """x + f(norm(x)), and a norm after the last layer: the gradient reaches every layer undiminished.

    Source: Xiong et al. 2020, section 3.
    """

    def read(self, stream: Tensor) -> Tensor:
        """norm(x)."""
        normed: Tensor = self.norm(stream)
        return normed

    def add(self, stream: Tensor, made: Tensor) -> Tensor:
        """x + f."""
        added: Tensor = stream + self.dropout(made)
        return added

    @staticmethod
    def last(hidden: int) -> nn.Module:
        """A norm."""
        return nn.LayerNorm(hidden)


class PostNorm(Residual):
    """norm(x + f(x)).

    Source: Vaswani et al. 2017, section 3.1.
    """

    def read(self, stream: Tensor) -> Tensor:
        """x itself."""
        return stream

    def add(self, stream: Tensor, made: Tensor) -> Tensor:
        """norm(x + f)."""
        normed: Tensor = self.norm(stream + self.dropout(made))
        return normed

    @staticmethod
    def last(hidden: int) -> nn.Module:
        """Nothing: the last sublayer's norm is there."""
        return nn.Identity()


NORMS: dict[str, type[Residual]] = {"pre": PreNorm, "post": PostNorm}
"""Where a layer is normalised."""


class FeedForward(nn.Module):
    """Two layers, at every position the same.

        W₂ max(0, W₁ x + b₁) + b₂

    Source: Vaswani et al. 2017, equation 2.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.widen = new_linear(hidden, WIDENING * hidden, bias=True)
        self.narrow = new_linear(WIDENING * hidden, hidden, bias=True)

    def forward(self, inputs: Tensor) -> Tensor:
        """Every position by itself."""
        made: Tensor = self.narrow(torch.relu(self.widen(inputs)))
        return made


def sinusoids(positions: Tensor, size: int) -> Tensor:
    """A vector for every position; there is no last one.

        sin(p / 10000^(2i/size)) at 2i,   cos of the same at 2i + 1

    Source: Vaswani et al. 2017, section 3.5.

    Shapes: positions [..] -> [.., size]
    """
    place = torch.arange(size, device=positions.device)
    rate = torch.exp((place - place % 2) * (-math.log(10000.0) / size))
    return torch.sin(positions[..., None] * rate + place % 2 * (math.pi / 2))  # cos x = sin(x + π/2)


class Entrance(nn.Module):
    """From embeddings to what the first layer reads: in the layers' size, with positions added.

        x_p = W (√embed · e_p) + sinusoids(p)

    Source: Vaswani et al. 2017, sections 3.4 and 3.5. Our embeddings have about length 1, so that their
    numbers become about 1 by the root, the size of the sinusoids'.
    """

    def __init__(self, embed: int, hidden: int) -> None:
        super().__init__()
        self.scale = math.sqrt(embed)
        self.project = nn.Identity() if embed == hidden else new_linear(embed, hidden)
        self.hidden = hidden

    def forward(self, embedded: Tensor, positions: Tensor) -> Tensor:
        """Embedded words [batch, length, embed] at positions [.., length] -> [batch, length, hidden]."""
        entered: Tensor = self.project(self.scale * embedded) + sinusoids(positions, self.hidden)
        return entered


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward layer, each with a way round.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, sizes: LayerSizes) -> None:
        super().__init__()
        self.self_attention = SelfAttention(sizes.hidden, sizes.heads)
        self.feed_forward = FeedForward(sizes.hidden)
        self.around_self, self.around_forward = (NORMS[sizes.norm](sizes) for _ in range(2))

    def forward(self, stream: Tensor, allowed: Tensor) -> Tensor:
        """The stream after the layer."""
        stream = self.around_self.add(stream, self.self_attention(self.around_self.read(stream), allowed)[0])
        return self.around_forward.add(stream, self.feed_forward(self.around_forward.read(stream)))


class DecoderLayer(nn.Module):
    """Self-attention, attention to the source and a feed-forward layer, each with a way round.

    Source: Vaswani et al. 2017, section 3.1.

    Args:
        attention: to the source; its context has the size of the stream.
    """

    def __init__(self, attention: Attention, sizes: LayerSizes) -> None:
        super().__init__()
        self.self_attention = SelfAttention(sizes.hidden, sizes.heads)
        self.attention = attention
        self.feed_forward = FeedForward(sizes.hidden)
        self.around_self, self.around_attention, self.around_forward = (
            NORMS[sizes.norm](sizes) for _ in range(3)
        )

    def forward(
        self, stream: Tensor, allowed: Tensor | None, past: Past, memory: Memory, looked: AttentionState
    ) -> tuple[Tensor, Past, Attended]:
        """The stream after the layer, all it has read and what it looked at."""
        made, past = self.self_attention(self.around_self.read(stream), allowed, past)
        stream = self.around_self.add(stream, made)
        attended: Attended = self.attention(self.around_attention.read(stream), memory, looked)
        stream = self.around_attention.add(stream, attended.context)
        stream = self.around_forward.add(stream, self.feed_forward(self.around_forward.read(stream)))
        return stream, past, attended
