"""Gradients: what the weights learn from the batches of an update, in one process or together with others."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.nn.loss import Loss, sequence_loss
from chatbot.nn.scheduled import sampled_loss
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.precision import Precision


class Gauge(NamedTuple):
    """What the attention tells of itself in a batch that is a share of all."""

    name: str
    share: float
    value: Tensor


@dataclass(frozen=True, slots=True)
class Learned:
    """What batches had to teach, as it is on the device.

    Args:
        nats: of each batch, summed over its tokens.
        tokens: of all together.
    """

    nats: Sequence[Tensor]
    tokens: int
    gauges: Sequence[Gauge] = ()

    def scalars(self) -> list[Tensor]:
        """All numbers in the order in which they are ``told``."""
        return [*self.nats, *(gauge.value for gauge in self.gauges)]

    def loss(self) -> Tensor:
        """Nats per token, on the device."""
        return torch.stack([nats.detach() for nats in self.nats]).sum() / self.tokens

    def told(self, numbers: Sequence[float]) -> tuple[float, dict[str, float]]:
        """Nats per token and the averaged gauges, once the numbers have been read."""
        nats, values = numbers[: len(self.nats)], numbers[len(self.nats) :]
        gauges = defaultdict[str, float](float)
        for gauge, value in zip(self.gauges, values, strict=True):
            gauges[gauge.name] += value * gauge.share
        return sum(nats) / self.tokens, dict(gauges)


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

    def __init__(
        self, network: Seq2Seq, options: TrainingOptions, device: torch.device, precision: Precision
    ) -> None:
        self._network = network
        self._smoothing = options.label_smoothing
        self._device = device
        self._precision = precision

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there."""
        tokens = [batch.tokens for batch in batches]
        whole, nats, gauges = sum(tokens), list[Tensor](), list[Gauge]()
        for batch, count in zip(batches, tokens, strict=True):
            with self._precision.computing():
                loss = loss_of(self._network, batch.to(self._device), self._smoothing, sampled)
            share = count / whole
            objective = loss.objective * share if len(batches) > 1 else loss.objective
            self._precision.scaled(objective).backward()  # type: ignore[no-untyped-call]
            nats.append(loss.nats)
            gauges += [Gauge(name, share, value) for name, value in loss.gauges.items()]
        return Learned(nats, whole, gauges)


class SharedGradients:
    """Gradients of the parts that several processes have of each batch, the same in all of them afterwards.

        g = Σ_r (tokens_r / tokens) · ∇ objective_r

    DistributedDataParallel (Li et al. 2020) takes the mean over the processes, so each objective is
    multiplied by how many there are. A process without a pair adds 0.
    """

    def __init__(
        self,
        network: Seq2Seq,
        options: TrainingOptions,
        device: torch.device,
        precision: Precision,
        world: int,
    ) -> None:
        self._objective = _Objective(network, options.label_smoothing, precision)
        self._precision = precision
        self._device = device
        self._world = world
        self._shared: DistributedDataParallel | None = None  # made at the first batch

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there."""
        shared = self._shared = self._shared or self._joined(batches[0], sampled)
        whole, sums = sum(batch.whole for batch in batches), dict[str, Tensor]()
        nothing = torch.zeros((), dtype=torch.float64, device=self._device)
        for number, batch in enumerate(batches, start=1):
            share = 0.0 if batch.idle else batch.tokens / whole
            alone = contextlib.nullcontext() if number == len(batches) else shared.no_sync()
            with alone:
                objective, nats, gauges = shared(batch.to(self._device), sampled)
                self._precision.scaled(objective * (self._world * share)).backward()  # type: ignore[no-untyped-call]
            found = {"": (float(not batch.idle), nats)} | {
                name: (share, gauge) for name, gauge in gauges.items()
            }
            for name, (weight, value) in found.items():
                counted = value.detach().double() * weight if weight else nothing
                sums[name] = sums.get(name, nothing) + counted
        names = sorted(sums)
        totals = torch.stack([sums[name] for name in names])
        torch.distributed.all_reduce(totals)
        nats, *rest = totals.unbind()  # "" comes first
        return Learned(
            [nats], whole, [Gauge(name, 1.0, each) for name, each in zip(names[1:], rest, strict=True)]
        )

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

    def __init__(self, network: Seq2Seq, smoothing: float, precision: Precision) -> None:
        super().__init__()
        self.network = network
        self._smoothing = smoothing
        self._precision = precision

    def forward(self, batch: Batch, sampled: float) -> tuple[Tensor, Tensor, Mapping[str, Tensor]]:
        """Objective, summed nats and gauges."""
        with self._precision.computing():
            loss = loss_of(self.network, batch, self._smoothing, sampled)
        return loss.objective, loss.nats, loss.gauges


def loss_of(network: Seq2Seq, batch: Batch, smoothing: float, sampled: float) -> Loss:
    """The loss of a batch on the network's device."""
    told = network, batch.src, batch.tgt_in, batch.tgt_out, smoothing
    return sampled_loss(*told, sampled, batch.real) if sampled else sequence_loss(*told, batch.real)
