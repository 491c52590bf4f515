"""Decoders: the contract, and when a decoder with a core asks: now, with its last state, or fed back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from chatbot.nn.attention import Attention
from chatbot.nn.core import Core
from chatbot.nn.encoder import Encoded
from chatbot.nn.memory import Attended, AttentionState, Memory, join, join_gauges
from chatbot.nn.products import Linear
from chatbot.nn.rows import Rows


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a decoder says of the words after the given ones.

    Args:
        log_prob, penalty, gauges: what came of looking, see Attended.

    Shapes: features [batch, tgt_len, embed], weights [batch, tgt_len, src_len]
    """

    features: Tensor
    weights: Tensor
    state: Rows
    log_prob: Tensor | None = None
    penalty: Tensor | None = None
    gauges: Mapping[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, features: Tensor, attended: Attended, state: Rows) -> Decoded:
        """Features made from what was looked at."""
        return cls(features, attended.weights, state, attended.log_prob, attended.penalty, attended.gauges)

    @classmethod
    def join(cls, steps: Sequence[Decoded]) -> Decoded:
        """Steps taken one after the other as one."""
        return cls(
            torch.cat([step.features for step in steps], dim=1),
            torch.cat([step.weights for step in steps], dim=1),
            steps[-1].state,
            join([step.log_prob for step in steps]),
            join([step.penalty for step in steps]),
            join_gauges([step.gauges for step in steps]),
        )


class Decoder(nn.Module):
    """The contract: continue replies, looking at sources.

    ``feeds_back`` says whether what was looked at at one step changes later ones; a decoder that feeds
    nothing back takes a whole reply in one call. Step by step and all at once are the same.

    Shapes: embedded [batch, tgt_len, embed]
    """

    feeds_back = False

    def prepare(self, encoded: Encoded, mask: Tensor) -> tuple[Memory, ...]:
        """Everything that depends on the sources alone: a memory for each attention."""
        raise NotImplementedError

    def start(self, encoded: Encoded, memories: tuple[Memory, ...]) -> Rows:
        """The state before the first word."""
        raise NotImplementedError

    def forward(self, embedded: Tensor, memories: tuple[Memory, ...], state: Rows) -> Decoded:
        """Features of the next words, and the state after."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class DecoderState(Rows):
    """A decoder with a core between two steps.

    Shapes: output [batch, hidden] (the core's last), features [batch, embed] (the last; zeros at first)
    """

    core: Rows
    attention: AttentionState
    output: Tensor
    features: Tensor


class CoreDecoder(Decoder):
    """What decoders with a core and one attention share: their parts, their start and their features.

        o_t = tanh(W [c_t ; h_t ; y_{t-1}])

    Source: Luong et al. 2015, equation 5. That the last word goes straight to the output is the deep output
    of Bahdanau et al. 2015, appendix A.2.2 (Pascanu et al. 2014): which word follows which is learned in a
    few hundred steps.

    Args:
        core: takes inputs of ``input_size`` numbers.
        embed, hidden: sizes of an embedding and of the core's outputs.
    """

    def __init__(self, core: Core, attention: Attention, embed: int, hidden: int) -> None:
        super().__init__()
        self.core = core
        self.attention = attention
        self.combine = Linear(attention.context + hidden + embed, embed)

    @staticmethod
    def input_size(embed: int, context: int) -> int:
        """Numbers the core reads at a step."""
        raise NotImplementedError

    def prepare(self, encoded: Encoded, mask: Tensor) -> tuple[Memory, ...]:
        """The one memory."""
        return (self.attention.prepare(encoded.outputs, mask, encoded.finals[-1]),)

    def start(self, encoded: Encoded, memories: tuple[Memory, ...]) -> DecoderState:
        """The core's start, and nothing looked at."""
        output, core = self.core.start(encoded.finals)
        features = output.new_zeros(output.shape[0], self.combine.out_features)
        return DecoderState(core, self.attention.start(memories[0]), output, features)

    def _features(self, context: Tensor, outputs: Tensor, embedded: Tensor) -> Tensor:
        return torch.tanh(self.combine(torch.cat([context, outputs, embedded], dim=-1)))


class CurrentStateDecoder(CoreDecoder):
    """Ask with the current state, feed nothing back.

        h_t = core(y_{t-1}),   c_t = attention(h_t)

    Source: Luong et al. 2015, section 3, without input feeding. A whole reply is one call.
    """

    @staticmethod
    def input_size(embed: int, context: int) -> int:
        """The last word."""
        return embed

    def forward(self, embedded: Tensor, memories: tuple[Memory, ...], state: Rows) -> Decoded:
        """All words at once."""
        assert isinstance(state, DecoderState)
        outputs, core = self.core(embedded, state.core)  # [batch, tgt_len, hidden]
        attended: Attended = self.attention(outputs, memories[0], state.attention)
        features = self._features(attended.context, outputs, embedded)
        after = DecoderState(core, attended.state, outputs[:, -1], features[:, -1])
        return Decoded.of(features, attended, after)


class SteppingDecoder(CoreDecoder):
    """What decoders share that must go word by word, since they feed back what they looked at."""

    feeds_back = True

    def forward(self, embedded: Tensor, memories: tuple[Memory, ...], state: Rows) -> Decoded:
        """Word by word."""
        steps: list[Decoded] = []
        for t in range(embedded.shape[1]):
            assert isinstance(state, DecoderState)
            steps.append(self._step(embedded[:, t : t + 1], memories[0], state))
            state = steps[-1].state
        return Decoded.join(steps)

    def _step(self, word: Tensor, memory: Memory, state: DecoderState) -> Decoded:
        """One word [batch, 1, embed]."""
        raise NotImplementedError


class PreviousStateDecoder(SteppingDecoder):
    """Ask with the previous state; the core reads what was found.

        c_t = attention(h_{t-1}),   h_t = core([y_{t-1} ; c_t])

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.2.2.
    """

    @staticmethod
    def input_size(embed: int, context: int) -> int:
        """The last word and what was just looked at."""
        return embed + context

    def _step(self, word: Tensor, memory: Memory, state: DecoderState) -> Decoded:
        attended: Attended = self.attention(state.output[:, None], memory, state.attention)
        outputs, core = self.core(torch.cat([word, attended.context], dim=-1), state.core)
        features = self._features(attended.context, outputs, word)
        after = DecoderState(core, attended.state, outputs[:, -1], features[:, -1])
        return Decoded.of(features, attended, after)


class InputFeedingDecoder(SteppingDecoder):
    """Ask with the current state; the core reads the last features, which hold what was looked at then.

        h_t = core([y_{t-1} ; o_{t-1}]),   c_t = attention(h_t)

    Source: Luong et al. 2015, section 3.3.
    """

    @staticmethod
    def input_size(embed: int, context: int) -> int:
        """The last word and the last features."""
        return 2 * embed

    def _step(self, word: Tensor, memory: Memory, state: DecoderState) -> Decoded:
        fed = torch.cat([word, state.features[:, None]], dim=-1)
        outputs, core = self.core(fed, state.core)
        attended: Attended = self.attention(outputs, memory, state.attention)
        features = self._features(attended.context, outputs, word)
        after = DecoderState(core, attended.state, outputs[:, -1], features[:, -1])
        return Decoded.of(features, attended, after)


ASKS: dict[str, type[CoreDecoder]] = {
    "current": CurrentStateDecoder,
    "previous": PreviousStateDecoder,
    "feeding": InputFeedingDecoder,
}
"""When a decoder with a core asks."""
