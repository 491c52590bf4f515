"""Stepper: one optimiser update from a batch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.nn.loss import sequence_loss
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.state import optimizer_tensors, restore_optimizer

EXPLODED = 1000.0
"""Nats per token of a run that has diverged: guessing among 65,536 tokens costs 11."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did.

    Args:
        loss: nats per token, without what label smoothing and attention add to the objective.
        gradient_norm: before clipping.
        fault: what went wrong with the numbers, and no weight was changed; "" where nothing did.
        gauges: what the attention tells of itself.
    """

    loss: float
    gradient_norm: float
    fault: str
    gauges: Mapping[str, float]


class Stepper:
    """Updates the weights of a network, a batch at a time.

    Args:
        network: changed in place.
    """

    def __init__(self, network: Seq2Seq, options: TrainingOptions, device: torch.device) -> None:
        self._network = network
        self._options = options
        self._device = device
        self._optimizer = build_optimizer(network, options, device)

    def update(self, batch: Batch, lr: float) -> Update:
        """Take a step at a learning rate, unless the numbers have gone wrong."""
        for group in self._optimizer.param_groups:
            group["lr"] = lr
        batch = batch.to(self._device)
        options = self._options
        loss = sequence_loss(self._network, batch.src, batch.tgt_in, batch.tgt_out, options.label_smoothing)
        loss.objective.backward()  # type: ignore[no-untyped-call]
        value = float(loss.nats) / loss.tokens
        norm = float(torch.nn.utils.clip_grad_norm_(self._network.parameters(), options.clip or math.inf))
        fault = ""
        if not value < EXPLODED:
            fault = f"the loss is {value:.3g} nats per token at learning rate {lr:.2g}"
        elif not math.isfinite(norm):
            fault = f"the gradient is no number at learning rate {lr:.2g}"
        else:
            self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return Update(value, norm, fault, loss.gauges)

    def tensors(self) -> dict[str, Tensor]:
        """The moments and step counts of the optimiser."""
        return optimizer_tensors(self._optimizer)

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Put them back."""
        restore_optimizer(self._optimizer, tensors)


def build_optimizer(network: Seq2Seq, options: TrainingOptions, device: torch.device) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019).

    Only matrices of layers decay, not embeddings, biases and vectors.
    """
    tables = {
        id(p)
        for module in network.modules()
        if isinstance(module, torch.nn.Embedding)
        for p in module.parameters()
    }
    decayed = [p for p in network.parameters() if p.ndim > 1 and id(p) not in tables]
    kept = [p for p in network.parameters() if p.ndim <= 1 or id(p) in tables]
    groups = [
        {"params": decayed, "weight_decay": options.weight_decay},
        {"params": kept, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=options.lr, betas=(0.9, 0.98), eps=1e-9, fused=device.type != "mps")
