"""Stepper: one optimiser update from a batch, or from several together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.adamw import AdamW
from chatbot.training.figures import Figures
from chatbot.training.fitting import SplitGradients
from chatbot.training.freezing import freeze, frozen_parts
from chatbot.training.gradients import Gradients, Learned
from chatbot.training.precision import Precision
from chatbot.training.processes import Alone, Processes

EXPLODED = 1000.0
"""Nats per token of a run that has diverged: guessing among 65,536 tokens costs 11."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did.

    Args:
        loss: nats per token, without what label smoothing and attention add to the objective.
        gradient_norm: before clipping.
        fault: what went wrong with the numbers; "" where nothing did. The weights are then of no use: they
            were not changed, or to what is no number.
        gauges: what the attention tells of itself.
    """

    loss: float
    gradient_norm: float
    fault: str
    gauges: Mapping[str, float]


class Pending:
    """An update that a device is at work on, or has done.

    Args:
        learned: what its batches had to teach.
        norm: of the gradient.
        finite: whether every weight is a number after it.
    """

    def __init__(
        self, learned: Learned, norm: Tensor, finite: Tensor, lr: float, precision: Precision
    ) -> None:
        self._learned, self._lr, self._precision = learned, lr, precision
        self._figures = Figures([norm, finite, *learned.scalars()], norm.device)

    def read(self) -> Update:
        """What it did; once, and in the order of the updates."""
        norm, finite, *numbers = self._figures.read()
        loss, gauges = self._learned.told(numbers)
        fault = ""
        if not loss < EXPLODED:
            fault = f"the loss is {loss:.3g} nats per token at learning rate {self._lr:.2g}"
        elif self._precision.overflowed(norm):
            fault = ""
        elif not math.isfinite(norm):
            fault = f"the gradient is no number at learning rate {self._lr:.2g}"
        elif not finite:
            fault = f"a weight is no number after learning rate {self._lr:.2g}"
        return Update(loss, norm, fault, gauges)


class Stepper:
    """Updates the weights of a network.

    Args:
        network: changed in place; the parts of ``--freeze`` stay as they are.
        processes: those that take each step together.
    """

    def __init__(
        self,
        network: Seq2Seq,
        options: TrainingOptions,
        device: torch.device,
        processes: Processes | None = None,
    ) -> None:
        self._network = network
        self._options = options
        freeze(network, frozen_parts(options.freeze))
        self._precision = Precision(options.precision, device)
        told = network, options, device, self._precision
        self._gradients: Gradients = (processes or Alone()).gradients(*told)
        self._split: SplitGradients | None = None
        if not processes or processes.world == 1:  # several must all take the same steps
            self._gradients = self._split = SplitGradients(self._gradients, network)
        self._optimizer = build_optimizer(network, options)

    def update(self, batches: Sequence[Batch], lr: float, sampled: float = 0.0) -> Pending:
        """Take a step at a learning rate, see ``Gradients``.

        A GPU is not waited for; where the numbers have gone wrong, it leaves the weights as they are.

        Args:
            sampled: share of the words fed to the decoder that are its own.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = lr
        learned = self._gradients.learn(batches, sampled)
        self._precision.restored(self._optimizer)
        clip = self._options.clip or math.inf
        norm = torch.nn.utils.clip_grad_norm_(self._network.parameters(), clip)
        wrong = ~((learned.loss() < EXPLODED) & norm.isfinite())
        self._precision.step(self._optimizer, wrong)
        self._optimizer.zero_grad()
        return Pending(learned, norm, self._all_finite(), lr, self._precision)

    @torch.no_grad()
    def _all_finite(self) -> Tensor:
        """Whether every weight is a number: a sum is none where a summand is none."""
        return torch.stack([weight.sum() for weight in self._network.parameters()]).isfinite().all()

    def notices(self) -> list[str]:
        """What a person should know of the updates so far that was not told yet."""
        return self._split.notices() if self._split else []

    def tensors(self) -> dict[str, Tensor]:
        """The moments and step counts of the optimiser, and the scale of the loss."""
        return self._optimizer.tensors() | self._precision.tensors()

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Put them back."""
        self._optimizer.restore(tensors)
        self._precision.restore(tensors)


def build_optimizer(network: Seq2Seq, options: TrainingOptions) -> AdamW:
    """Of layers only matrices decay, no embeddings, biases and vectors; what is frozen is not here at all."""
    tables = {
        id(p)
        for module in network.modules()
        if isinstance(module, torch.nn.Embedding)
        for p in module.parameters()
    }
    learned = [p for p in network.parameters() if p.requires_grad]
    decayed = [p for p in learned if p.ndim > 1 and id(p) not in tables]
    kept = [p for p in learned if p.ndim <= 1 or id(p) in tables]
    return AdamW([(decayed, options.weight_decay), (kept, 0.0)], options.lr)
