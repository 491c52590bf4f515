"""Gradients: what the weights learn from the batches of an update, in one process or together with others."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.nn.embedding import PAD
from chatbot.nn.loss import Loss, sequence_loss
from chatbot.nn.scheduled import sampled_loss
from chatbot.nn.seq2seq import Seq2Seq


class Learned(NamedTuple):
    """What batches had to teach: nats per token, and what the attention tells of itself."""

    loss: float
    gauges: dict[str, float]


class Gradients(Protocol):
    """Puts the gradient of some batches into the parameters of a network.

    The objective is that of all pairs of the batches together: every token weighs the same, so that each
    batch counts by its share of the tokens.
    """

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there.

        Args:
            sampled: share of the words fed to the decoder that are its own.
        """


class OwnGradients:
    """Gradients of one process alone."""

    def __init__(self, network: Seq2Seq, options: TrainingOptions, device: torch.device) -> None:
        self._network = network
        self._smoothing = options.label_smoothing
        self._device = device

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there."""
        tokens = [tokens_of(batch) for batch in batches]
        nats, gauges = 0.0, defaultdict[str, float](float)
        for batch, count in zip(batches, tokens, strict=True):
            loss = loss_of(self._network, batch.to(self._device), self._smoothing, sampled)
            share = count / sum(tokens)
            objective = loss.objective * share if len(batches) > 1 else loss.objective
            objective.backward()  # type: ignore[no-untyped-call]
            nats += float(loss.nats)
            for name, gauge in loss.gauges.items():
                gauges[name] += gauge * share
        return Learned(nats / sum(tokens), dict(gauges))


class SharedGradients:
    """Gradients of the parts that several processes have of each batch, the same in all of them afterwards.

        g = Σ_r (tokens_r / tokens) · ∇ objective_r

    DistributedDataParallel (Li et al. 2020) takes the mean over the processes, so each objective is
    multiplied by how many there are. A process without a pair adds 0.
    """

    def __init__(self, network: Seq2Seq, options: TrainingOptions, device: torch.device, world: int) -> None:
        self._objective = _Objective(network, options.label_smoothing)
        self._device = device
        self._world = world
        self._shared: DistributedDataParallel | None = None  # made at the first batch

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there."""
        shared = self._shared = self._shared or self._joined(batches[0], sampled)
        whole, sums = sum(batch.whole for batch in batches), defaultdict[str, float](float)
        for number, batch in enumerate(batches, start=1):
            share = 0.0 if batch.idle else tokens_of(batch) / whole
            alone = contextlib.nullcontext() if number == len(batches) else shared.no_sync()
            with alone:
                moved = batch.to(self._device)
                objective, nats, gauges = shared(moved, sampled)
                (objective * (self._world * share)).backward()
            sums[""] += 0.0 if batch.idle else float(nats)
            for name, gauge in gauges.items():
                sums[name] += gauge * share if share else 0.0
        names = sorted(sums)
        totals = torch.tensor([sums[name] for name in names], dtype=torch.float64)
        torch.distributed.all_reduce(totals)
        found = dict(zip(names, totals.tolist(), strict=True))
        return Learned(found.pop("") / whole, found)

    def _joined(self, batch: Batch, sampled: float) -> DistributedDataParallel:
        """The objective of all; that some weights are in no objective costs time, and is found by a trial."""
        network = self._objective.network
        buffers = {name: buffer.clone() for name, buffer in network.named_buffers()}
        with torch.random.fork_rng([self._device] if self._device.type == "cuda" else []):
            self._objective(batch.to(self._device), sampled)[0].backward()
        unused = any(p.grad is None for p in network.parameters() if p.requires_grad)
        network.zero_grad(set_to_none=True)
        for name, buffer in network.named_buffers():
            buffer.copy_(buffers[name])
        devices = [self._device] if self._device.type == "cuda" else None
        return DistributedDataParallel(self._objective, devices, find_unused_parameters=unused)


class _Objective(nn.Module):
    """The loss of a batch as one call, which is what DistributedDataParallel watches."""

    def __init__(self, network: Seq2Seq, smoothing: float) -> None:
        super().__init__()
        self.network = network
        self._smoothing = smoothing

    def forward(self, batch: Batch, sampled: float) -> tuple[Tensor, Tensor, Mapping[str, float]]:
        """Objective, summed nats and gauges."""
        loss = loss_of(self.network, batch, self._smoothing, sampled)
        return loss.objective, loss.nats, loss.gauges


def loss_of(network: Seq2Seq, batch: Batch, smoothing: float, sampled: float) -> Loss:
    """The loss of a batch on the network's device."""
    told = network, batch.src, batch.tgt_in, batch.tgt_out, smoothing
    return sampled_loss(*told, sampled) if sampled else sequence_loss(*told)


def tokens_of(batch: Batch) -> int:
    """Tokens of the replies, ends counted."""
    return int((batch.tgt_out != PAD).sum())
