"""Multi-head attention: over a source, and over the sequence itself with a cache of what came before."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import masked_softmax
from chatbot.nn.attention import Attention
from chatbot.nn.memory import Attended, AttentionState, Memory
from chatbot.nn.rows import Rows
from chatbot.nn.sizes import AttentionSizes


def split_heads(sequence: Tensor, heads: int) -> Tensor:
    """Each head's share of every vector.

    Shapes: [batch, length, size] -> [batch, heads, length, size / heads]
    """
    batch, length, size = sequence.shape
    return sequence.view(batch, length, heads, size // heads).transpose(1, 2)


def join_heads(sequence: Tensor) -> Tensor:
    """The heads' shares side by side again.

    Shapes: [batch, heads, length, size / heads] -> [batch, length, size]
    """
    return sequence.transpose(1, 2).flatten(2)


def check_heads(size: int, heads: int) -> None:
    """Refuse heads of different sizes.

    Raises:
        ValueError: the size cannot be shared evenly.
    """
    if size % heads:
        raise ValueError(f"{heads} heads cannot share {size} numbers evenly")


class MultiHeadAttention(Attention):
    """Several attentions side by side, each over projections of its own; Score and Align in one.

        head_i = Σ_j α_ij W_i^V v_j,   α_i = softmax(W_i^Q q · W_i^K k_j / √d),   context = W^O [head_1 ; ...]

    The weights shown are the mean over the heads. Keys and values are projected once a source.

    Source: Vaswani et al. 2017, section 3.2.2.

    Raises:
        ValueError: ``sizes.inner``, which the heads share, is not divisible by their number.
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__()
        check_heads(sizes.inner, sizes.heads)
        self.heads = sizes.heads
        self.context = sizes.value
        self.query = new_linear(sizes.query, sizes.inner)
        self.key = new_linear(sizes.value, sizes.inner)
        self.value = new_linear(sizes.value, sizes.inner)
        self.output = new_linear(sizes.inner, sizes.value)

    def prepare(self, values: Tensor, mask: Tensor, summary: Tensor) -> Memory:
        """The memory of encoded sources: keys and values of all heads, each [batch, src_len, inner]."""
        return Memory(self.key(values), self.value(values), mask, summary)

    def forward(self, query: Tensor, memory: Memory, state: AttentionState) -> Attended:
        """Context and mean weights of every query."""
        asked, keys, values = (
            split_heads(each, self.heads) for each in (self.query(query), memory.keys, memory.values)
        )
        scores = asked @ keys.transpose(2, 3) / math.sqrt(keys.shape[-1])
        scores = memory.focused(scores)  # [batch, heads, tgt_len, src_len]
        looked = masked_softmax(scores, memory.mask[:, None, None])
        weights = looked.mean(1)
        context = self.output(join_heads(looked @ values))
        return Attended(context, weights, state.after(weights), heads=looked)


@dataclass(frozen=True, slots=True)
class Past(Rows):
    """What self-attention keeps of the positions it has read.

    Shapes: keys, values [batch, past, size]
    """

    keys: Tensor
    values: Tensor

    @classmethod
    def nothing(cls, batch: int, size: int, like: Tensor) -> Past:
        """No position read yet, in the type and on the device of a tensor."""
        empty = like.new_zeros(batch, 0, size)
        return cls(empty, empty)

    def before(self, keys: Tensor, values: Tensor) -> Past:
        """These and then the ones of further positions."""
        return Past(torch.cat([self.keys, keys], dim=1), torch.cat([self.values, values], dim=1))


class SelfAttention(nn.Module):
    """Every position of a sequence looks at the others, and at those read in calls before.

    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3; the keys and values of past positions are kept,
    since nothing that comes later changes them.

    Raises:
        ValueError: the size is not divisible by the number of heads.

    Shapes: inputs [batch, length, size] -> the same; ``allowed`` [.., length, past + length], True where a
    position may look, or None: everywhere
    """

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        check_heads(size, heads)
        self.heads = heads
        self.inputs = new_linear(size, 3 * size)  # queries, keys and values in one product
        self.output = new_linear(size, size)

    def forward(
        self, inputs: Tensor, allowed: Tensor | None, past: Past | None = None
    ) -> tuple[Tensor, Past]:
        """What every position made of those it looked at, and all keys and values so far."""
        query, keys, values = self.inputs(inputs).chunk(3, dim=-1)
        read = Past(keys, values) if past is None else past.before(keys, values)
        made = nn.functional.scaled_dot_product_attention(
            split_heads(query, self.heads),
            split_heads(read.keys, self.heads),
            split_heads(read.values, self.heads),
            attn_mask=allowed,
        )
        return self.output(join_heads(made)), read


def causal(length: int, past: int, device: torch.device) -> Tensor | None:
    """Where positions may look that see only themselves and what came before; None: everywhere.

    Shapes: [length, past + length]
    """
    if length == 1:
        return None
    return torch.ones(length, past + length, dtype=torch.bool, device=device).tril(past)


def new_linear(size: int, out: int, bias: bool = False, gain: float = 1.0) -> nn.Linear:
    """A layer that keeps about the variance of what goes through, times ``gain`` squared.

    Source: Glorot and Bengio 2010, equation 16.
    """
    linear = nn.Linear(size, out, bias)
    nn.init.xavier_uniform_(linear.weight, gain)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear
