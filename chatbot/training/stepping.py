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
from chatbot.training.fitting import SplitGradients
from chatbot.training.freezing import freeze, frozen_parts
from chatbot.training.gradients import Gradients
from chatbot.training.processes import Alone, Processes
from chatbot.training.state import optimizer_tensors, restore_optimizer

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
        self._gradients: Gradients = (processes or Alone()).gradients(network, options, device)
        self._split: SplitGradients | None = None
        if not processes or processes.world == 1:  # several must all take the same steps
            self._gradients = self._split = SplitGradients(self._gradients, network)
        self._optimizer = build_optimizer(network, options, device)

    def update(self, batches: Sequence[Batch], lr: float, sampled: float = 0.0) -> Update:
        """Take a step at a learning rate, unless the numbers have gone wrong, see ``Gradients``.

        Args:
            sampled: share of the words fed to the decoder that are its own.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = lr
        learned = self._gradients.learn(batches, sampled)
        return self._updated(learned.loss, lr, learned.gauges)

    def _updated(self, loss: float, lr: float, gauges: Mapping[str, float]) -> Update:
        """Follow the gradient that there is."""
        clip = self._options.clip or math.inf
        norm = float(torch.nn.utils.clip_grad_norm_(self._network.parameters(), clip))
        fault = ""
        if not loss < EXPLODED:
            fault = f"the loss is {loss:.3g} nats per token at learning rate {lr:.2g}"
        elif not math.isfinite(norm):
            fault = f"the gradient is no number at learning rate {lr:.2g}"
        else:
            self._optimizer.step()
            fault = "" if self._is_finite() else f"a weight is no number after learning rate {lr:.2g}"
        self._optimizer.zero_grad(set_to_none=True)
        return Update(loss, norm, fault, gauges)

    @torch.no_grad()
    def _is_finite(self) -> bool:
        """Whether every weight is a number: a sum is none where a summand is none."""
        sums = torch.stack([weight.sum() for weight in self._network.parameters()])
        return bool(sums.isfinite().all())

    def notices(self) -> list[str]:
        """What a person should know of the updates so far that was not told yet."""
        return self._split.notices() if self._split else []

    def tensors(self) -> dict[str, Tensor]:
        """The moments and step counts of the optimiser."""
        return optimizer_tensors(self._optimizer)

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Put them back."""
        restore_optimizer(self._optimizer, tensors)


def build_optimizer(network: Seq2Seq, options: TrainingOptions, device: torch.device) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019).

    Only matrices of layers decay, not embeddings, biases and vectors; what is frozen is not here at all.
    """
    tables = {
        id(p)
        for module in network.modules()
        if isinstance(module, torch.nn.Embedding)
        for p in module.parameters()
    }
    learned = [p for p in network.parameters() if p.requires_grad]
    decayed = [p for p in learned if p.ndim > 1 and id(p) not in tables]
    kept = [p for p in learned if p.ndim <= 1 or id(p) in tables]
    groups = [
        {"params": decayed, "weight_decay": options.weight_decay},
        {"params": kept, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=options.lr, betas=(0.9, 0.98), eps=1e-9, fused=device.type != "mps")
