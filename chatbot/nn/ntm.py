"""The Neural Turing Machine: a core that writes what it wants to keep into a memory and reads it again."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.core import Core
from chatbot.nn.memory import AttentionState
from chatbot.nn.ntm_align import NtmAlign
from chatbot.nn.rows import Rows
from chatbot.nn.scores import CosineScore
from chatbot.nn.sizes import AttentionSizes

BLANK = 1e-6
"""What stands everywhere in a memory nobody has written to (Collier and Beel 2018: a small constant)."""


@dataclass(frozen=True, slots=True)
class NtmState(Rows):
    """The machine between two steps.

    Shapes: memory [batch, slots, slot_size], read [batch, slot_size] (what was read last); reader and
    writer: where the two heads look, the slots being their source
    """

    controller: Rows
    memory: Tensor
    read: Tensor
    reader: AttentionState
    writer: AttentionState


@dataclass(frozen=True, slots=True)
class NoState(Rows):
    """What a controller without a memory of its own carries: nothing."""


class FeedForwardController(Core):
    """A controller that keeps nothing itself, so that all it needs later must go through the memory.

        h_t = tanh(W [x_t ; r_{t-1}])

    Source: Graves et al. 2014, section 3.4, where such a controller's use of the memory is the easier to
    follow. What a recurrent one learns to keep in its own state it does not learn to write down: trained
    on copies of 5 vectors, this one copies 20 and a recurrent one hardly 6.

    Args:
        size: numbers it reads at a step.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.w = nn.Linear(size, hidden)

    def start(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, NoState]:
        """The final state itself, for it counts only before the first input."""
        return finals[-1], NoState()

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, Rows]:
        """Each input by itself."""
        return torch.tanh(self.w(inputs)), state


class Head(nn.Module):
    """Where a controller looks in its memory: by content, or on from where it looked last.

    Source: Graves et al. 2014, section 3.3.

    Args:
        hidden: size of the controller's output.
        slot_size: numbers in a slot of the memory.

    Shapes: output [batch, hidden], memory [batch, slots, slot_size]
    """

    def __init__(self, hidden: int, slot_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(hidden, slot_size)
        self.score = CosineScore(AttentionSizes.square(slot_size))
        self.align = NtmAlign(AttentionSizes(query=hidden, value=slot_size, inner=slot_size))

    def start(self, memory: Tensor) -> AttentionState:
        """All the weight on the first slot."""
        weights = self.align.before(_all_slots(memory))
        position = torch.zeros(memory.shape[0], dtype=torch.long, device=memory.device)
        return AttentionState(position, weights, torch.zeros_like(weights))

    def forward(self, output: Tensor, memory: Tensor, state: AttentionState) -> AttentionState:
        """The state whose weights [batch, slots] are the new ones."""
        mask, asked = _all_slots(memory), output[:, None]
        scores = self.score(self.key(asked), self.score.project(memory, mask))  # [batch, 1, slots]
        return state.after(self.align(scores, asked, mask, state).weights)


class NtmCore(Core):
    """A controller with an external memory, which it writes to and then reads from at each step.

        h_t = controller([x_t ; r_{t-1}])
        M_t(i) = M_{t-1}(i) · (1 - w_t(i) e_t) + w_t(i) a_t,   e_t = sigmoid(E h_t),   a_t = tanh(A h_t)
        r_t = Σ_i w'_t(i) M_t(i),   output = W [h_t ; r_t]

    w and w' are the weights of a writing and of a reading head; the first looks at M_{t-1}, the second at
    M_t.

    Source: Graves et al. 2014, sections 3.1 and 3.2, equations 2 to 4. That what is added is bounded by a
    tanh is ours: a memory that is only ever added to grows no faster than by 1 a step.

    Args:
        controller: takes inputs of ``slot_size`` numbers more than this core does.
        hidden: size of its outputs.
    """

    def __init__(self, controller: Core, hidden: int, slots: int, slot_size: int) -> None:
        super().__init__()
        self.slots, self.slot_size = slots, slot_size
        self.controller = controller
        self.writer = Head(hidden, slot_size)
        self.reader = Head(hidden, slot_size)
        self.erase = nn.Linear(hidden, slot_size)
        self.add = nn.Linear(hidden, slot_size)
        self.combine = nn.Linear(hidden + slot_size, hidden)

    def start(self, finals: tuple[Tensor, ...]) -> tuple[Tensor, NtmState]:
        """The controller's start, a blank memory, and nothing read."""
        output, controller = self.controller.start(finals)
        memory = output.new_full((output.shape[0], self.slots, self.slot_size), BLANK)
        read = torch.zeros_like(memory[:, 0])
        state = NtmState(controller, memory, read, self.reader.start(memory), self.writer.start(memory))
        return self._output(output, read), state

    def forward(self, inputs: Tensor, state: Rows) -> tuple[Tensor, NtmState]:
        """Input by input."""
        outputs = []
        for t in range(inputs.shape[1]):
            assert isinstance(state, NtmState)
            output, state = self._step(inputs[:, t], state)
            outputs.append(output)
        assert isinstance(state, NtmState)
        return torch.stack(outputs, dim=1), state

    def _step(self, word: Tensor, state: NtmState) -> tuple[Tensor, NtmState]:
        """One input [batch, size] -> output [batch, hidden]."""
        read_on = torch.cat([word, state.read], dim=-1)[:, None]
        controlled, controller = self.controller(read_on, state.controller)
        output = controlled[:, 0]
        writer: AttentionState = self.writer(output, state.memory, state.writer)
        memory = self._written(output, state.memory, writer.weights[:, :, None])
        reader: AttentionState = self.reader(output, memory, state.reader)
        read = (reader.weights[:, None] @ memory)[:, 0]
        return self._output(output, read), NtmState(controller, memory, read, reader, writer)

    def _written(self, output: Tensor, memory: Tensor, weights: Tensor) -> Tensor:
        """The memory after an erasing and an adding; weights [batch, slots, 1]."""
        erase, add = torch.sigmoid(self.erase(output))[:, None], torch.tanh(self.add(output))[:, None]
        return memory * (1 - weights * erase) + weights * add

    def _output(self, output: Tensor, read: Tensor) -> Tensor:
        made: Tensor = self.combine(torch.cat([output, read], dim=-1))
        return made


def _all_slots(memory: Tensor) -> Tensor:
    """A mask that leaves no slot out."""
    return torch.ones(memory.shape[:2], dtype=torch.bool, device=memory.device)
