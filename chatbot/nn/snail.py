"""SNAIL: causal convolutions that reach far and attention over all that came before, by turns.

Source: Mishra et al. 2018 (A Simple Neural Attentive Meta-Learner), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.aligns import masked_softmax
from chatbot.nn.core import Core
from chatbot.nn.dropout import DROPOUTS
from chatbot.nn.encoder import Encoded, Encoder
from chatbot.nn.recurrent import last_real
from chatbot.nn.rows import Rows


class Block(nn.Module):
    """The contract: join to each input what is made of it and of the inputs before.

    ``size`` is that of the outputs. A state goes from call to call, so that step by step and all at once
    are the same.

    Shapes: inputs [batch, length, inputs] -> outputs [batch, length, size], state
    """

    size: int

    def empty(self, inputs: Tensor) -> Rows:
        """The state before any of these inputs."""
        raise NotImplementedError

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, Rows]:
        """Outputs, and the state after the last input."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class DenseState(Rows):
    """What the last inputs of a dense block add to later ones: W₁ x, zeros before the first.

    Shapes: past [batch, dilation, 2 · filters]
    """

    past: Tensor


class DenseBlock(Block):
    """Join a gated causal convolution over two inputs, this one and the one ``dilation`` earlier.

        [f_t ; g_t] = W₁ x_{t-R} + W₂ x_t + b,   y_t = [x_t ; tanh(f_t) ⊙ σ(g_t)]

    Source: Mishra et al. 2018, section 3.2, after van den Oord et al. 2016 (WaveNet), equation 2.

    Args:
        inputs: size of the inputs.
        dilation: R.
    """

    def __init__(self, inputs: int, filters: int, dilation: int) -> None:
        super().__init__()
        self.past = nn.Linear(inputs, 2 * filters, bias=False)
        self.now = nn.Linear(inputs, 2 * filters)
        self.dilation = dilation
        self.size = inputs + filters

    def empty(self, inputs: Tensor) -> DenseState:
        """Zeros."""
        return DenseState(inputs.new_zeros(inputs.shape[0], self.dilation, self.past.out_features))

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, DenseState]:
        """All inputs at once."""
        assert isinstance(state, DenseState)
        length = inputs.shape[1]
        past = torch.cat([state.past, self.past(inputs)], dim=1)  # [batch, dilation + length, 2 filters]
        made, gate = (past[:, :length] + self.now(inputs)).chunk(2, dim=-1)
        outputs = torch.cat([inputs, torch.tanh(made) * torch.sigmoid(gate)], dim=-1)
        return outputs, DenseState(past[:, length:])


@dataclass(frozen=True, slots=True)
class ReadState(Rows):
    """All inputs of an attention block so far.

    Shapes: keys [batch, before, key], values [batch, before, value]
    """

    keys: Tensor
    values: Tensor


class AttentionBlock(Block):
    """Join what is read at this input and those before it.

        y_t = [x_t ; Σ_{i≤t} α_i V x_i],   α = softmax over i ≤ t of Q x_t · K x_i / √key

    Source: Mishra et al. 2018, section 3.2; Vaswani et al. 2017, equation 1.

    Args:
        inputs: size of the inputs.
    """

    def __init__(self, inputs: int, key: int, value: int) -> None:
        super().__init__()
        self.query = nn.Linear(inputs, key)
        self.key = nn.Linear(inputs, key, bias=False)  # one would add the same to all scores of a query
        self.value = nn.Linear(inputs, value)
        self.size = inputs + value

    def empty(self, inputs: Tensor) -> ReadState:
        """Nothing to read."""
        batch, keys, values = inputs.shape[0], self.key.out_features, self.value.out_features
        return ReadState(inputs.new_zeros(batch, 0, keys), inputs.new_zeros(batch, 0, values))

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, ReadState]:
        """All inputs at once."""
        assert isinstance(state, ReadState)
        keys = torch.cat([state.keys, self.key(inputs)], dim=1)
        values = torch.cat([state.values, self.value(inputs)], dim=1)
        scores = self.query(inputs) @ keys.transpose(1, 2) / math.sqrt(keys.shape[-1])
        causal = torch.ones_like(scores, dtype=torch.bool).tril(state.keys.shape[1])
        read = masked_softmax(scores, causal) @ values  # [batch, length, value]
        return torch.cat([inputs, read], dim=-1), ReadState(keys, values)


@dataclass(frozen=True, slots=True)
class ChainState(Rows):
    """A state for each block of a chain."""

    blocks: tuple[Rows, ...]


class Chain(Block):
    """Blocks one after another, each made for the outputs of the one before."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.size = [block.size for block in self._each()][-1]

    def _each(self) -> Iterator[Block]:
        for block in self.blocks:
            assert isinstance(block, Block)
            yield block

    def empty(self, inputs: Tensor) -> ChainState:
        """Every block's own."""
        return ChainState(tuple(block.empty(inputs) for block in self._each()))

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, ChainState]:
        """Through all blocks."""
        assert isinstance(state, ChainState)
        after = []
        for block, before in zip(self._each(), state.blocks, strict=True):
            inputs, passed = block(inputs, before)
            after.append(passed)
        return inputs, ChainState(tuple(after))


class TCBlock(Chain):
    """Join temporal convolutions: dense blocks whose dilations double until they reach ``reach`` inputs back.

        dilations 1, 2, 4, ..., 2^(n-1) with n = ⌈log₂ reach⌉, so that output t has read the last 2^n inputs

    Source: Mishra et al. 2018, section 3.2.

    Args:
        inputs: size of the inputs.
        reach: T, the longest sequence.
    """

    def __init__(self, inputs: int, reach: int, filters: int) -> None:
        count = max(1, (reach - 1).bit_length())
        super().__init__(DenseBlock(inputs + i * filters, filters, 2**i) for i in range(count))


class SnailStack(Chain):
    """Attention, then pairs of temporal convolutions and attention.

    Source: Mishra et al. 2018, section 3.1; the order is that of its networks for few-shot classification.
    A convolution has ``hidden`` / 4 filters, attention keys and values of ``hidden`` / 2 numbers, so a pair
    adds ``hidden`` · (⌈log₂ reach⌉ / 4 + 1/2) numbers to the outputs.

    Args:
        inputs: size of the inputs.
        pairs: of convolutions and attention.
        reach: inputs that the convolutions of a pair reach back over; attention reads all.
    """

    def __init__(self, inputs: int, hidden: int, pairs: int, reach: int) -> None:
        filters, read = max(1, hidden // 4), max(1, hidden // 2)
        blocks: list[Block] = [AttentionBlock(inputs, read, read)]
        for _ in range(pairs):
            blocks.append(TCBlock(blocks[-1].size, reach, filters))
            blocks.append(AttentionBlock(blocks[-1].size, read, read))
        super().__init__(blocks)


class SnailEncoder(Encoder):
    """Read a source from left to right with SNAIL.

        h_j = W snail(x_1 ... x_j)

    Source: Mishra et al. 2018, section 3. Reading is causal, and padding stands on the right, so no real
    position ever sees it. The one final is the last real output, which has seen the whole source.

    Args:
        layers: pairs of convolutions and attention.
        reach: longest source that the convolutions reach over, in tokens.
        dropout: share of the stack's outputs dropped before W.
        dropout_kind: a name of DROPOUTS.
    """

    def __init__(
        self, embed: int, hidden: int, layers: int, reach: int, dropout: float, *, dropout_kind: str = "input"
    ) -> None:
        super().__init__()
        self.stack = SnailStack(embed, hidden, layers, reach)
        self.dropout = DROPOUTS[dropout_kind](dropout)
        self.w = nn.Linear(self.stack.size, hidden)

    def forward(self, embedded: Tensor, mask: Tensor) -> Encoded:
        """Encode a batch."""
        read, _ = self.stack(embedded, self.stack.empty(embedded))
        outputs = self.w(self.dropout(read))
        return Encoded(outputs, (last_real(outputs, mask.sum(1)),))


class SnailCore(Core):
    """Remember a reply's words with SNAIL.

        h_t = W snail(U s, x_1 ... x_t)

    Source: Mishra et al. 2018, section 3. The encoder's last final s, projected to the size of an input,
    is read before the first. Between two steps go what convolutions still need and the keys and values of
    all inputs, so a step costs no second reading.

    Args:
        size: of the inputs.
        layers: pairs of convolutions and attention.
        reach: inputs that the convolutions reach back over; attention reads all, however many.
        dropout: share of the stack's outputs dropped before W.
        dropout_kind: a name of DROPOUTS.
    """

    def __init__(
        self, size: int, hidden: int, layers: int, reach: int, dropout: float, *, dropout_kind: str = "input"
    ) -> None:
        super().__init__()
        self.u = nn.Linear(hidden, size)
        self.stack = SnailStack(size, hidden, layers, reach)
        self.dropout = DROPOUTS[dropout_kind](dropout)
        self.w = nn.Linear(self.stack.size, hidden)

    def start(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, Rows]:
        """What reading the summary gives."""
        first = self.u(finals[-1])[:, None]  # [batch, 1, size]
        outputs, state = self(first, self.stack.empty(first))
        return outputs[:, 0], state

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, Rows]:
        """Outputs, and the state after the last input."""
        read, after = self.stack(inputs, state)
        return self.w(self.dropout(read)), after
