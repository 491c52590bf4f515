"""Processes: what those that train one network together tell each other, by torch.distributed.

Each has the whole network and its part of every batch; gradients are summed (``gradients``), so all take the
same steps. Everything that could differ between them is the leading process' alone: the clock, validation
and with it what is the best and when to stop, and all that is written.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch
from chatbot.errors import TrainingError
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.gradients import Gradients, Learned, OwnGradients, SharedGradients
from chatbot.training.launch import Launch
from chatbot.training.precision import Precision
from chatbot.training.state import Progress, States, Stored


class LostProcessError(TrainingError):
    """Another process of the run has ended, so that this one cannot go on."""


class Processes(Protocol):
    """Those that train together, as one of them sees them; every call but ``stops`` is made by all."""

    rank: int
    world: int

    @property
    def leads(self) -> bool:
        """Whether this is the one that decides and writes."""

    def agree(self, seconds: float, stop: bool) -> float:
        """The seconds of the leading process; whether any is asked to stop is known to all from here on."""

    def stops(self, asked: bool) -> bool:
        """Whether the run is to stop; this process is asked or not."""

    def follow(self, progress: Progress) -> None:
        """Take over the progress of the leading process."""

    def first(self) -> contextlib.AbstractContextManager[None]:
        """The block is run by the leading process, then by the others; where it fails there they end."""

    def gradients(
        self, network: Seq2Seq, options: TrainingOptions, device: torch.device, precision: Precision
    ) -> Gradients:
        """What gives a network its gradients."""

    def random_states(self, device: torch.device) -> dict[str, Tensor]:
        """The random states of all but the leading process."""

    def restore_random(self, tensors: Mapping[str, Tensor], device: torch.device) -> None:
        """Go back to them, from the random state of the leading process."""


class Alone:
    """One process."""

    rank, world, leads = 0, 1, True

    def agree(self, seconds: float, stop: bool) -> float:
        """Its own clock."""
        return seconds

    def stops(self, asked: bool) -> bool:
        """As it is asked."""
        return asked

    def follow(self, progress: Progress) -> None:
        """Its own progress."""

    def first(self) -> contextlib.AbstractContextManager[None]:
        """At once."""
        return contextlib.nullcontext()

    def gradients(
        self, network: Seq2Seq, options: TrainingOptions, device: torch.device, precision: Precision
    ) -> Gradients:
        """Its own gradients."""
        return OwnGradients(network, options, device, precision)

    def random_states(self, device: torch.device) -> dict[str, Tensor]:
        """There is no other."""
        return {}

    def restore_random(self, tensors: Mapping[str, Tensor], device: torch.device) -> None:
        """There is no other."""


class Several:
    """Several processes, in a group of torch.distributed.

    Raises (of every call):
        LostProcessError: another one is gone.
    """

    def __init__(self, launch: Launch) -> None:
        self.rank, self.world = launch.rank, launch.world
        self._stop = False

    @property
    def leads(self) -> bool:
        """The first one."""
        return self.rank == 0

    def agree(self, seconds: float, stop: bool) -> float:
        """The seconds of the leading process, and whether any is asked to stop, in one sum."""
        told = self._summed([seconds if self.leads else 0.0, float(stop)])
        self._stop = told[1] > 0
        return told[0]

    def stops(self, asked: bool) -> bool:
        """As was agreed last: a request that came since then counts from the next time on."""
        return self._stop

    def follow(self, progress: Progress) -> None:
        """Take over the progress of the leading process, every number of it."""
        names = [field.name for field in dataclasses.fields(progress)]
        own = torch.tensor([float(getattr(progress, name)) for name in names], dtype=torch.float64)
        self._called(lambda: dist.broadcast(own, 0))
        for name, value in zip(names, own.tolist(), strict=True):
            setattr(progress, name, type(getattr(progress, name))(value))

    @contextlib.contextmanager
    def first(self) -> Iterator[None]:
        """The leading process, then the others."""
        if not self.leads:
            if self._summed([0.0])[0]:
                raise self._ended()
            yield
            return
        failed = 1.0
        try:
            yield
            failed = 0.0
        finally:
            self._summed([failed])

    def gradients(
        self, network: Seq2Seq, options: TrainingOptions, device: torch.device, precision: Precision
    ) -> Gradients:
        """The sum of all gradients."""
        return _Watched(SharedGradients(network, options, device, precision, self.world), self._called)

    def random_states(self, device: torch.device) -> dict[str, Tensor]:
        """By "random.RANK.DEVICE"."""
        states: dict[str, Tensor] = {}
        for kind, own in _random(device).items():
            found = self._gathered(own)
            states |= {f"random.{rank}.{kind}": each for rank, each in enumerate(found) if rank}
        return states

    def restore_random(self, tensors: Mapping[str, Tensor], device: torch.device) -> None:
        """A process that was not there when the state was saved makes its own of that of the leading one."""
        if self.leads:
            return
        if f"random.{self.rank}.cpu" not in tensors:
            torch.manual_seed(int(torch.randint(2**62, ())) + self.rank)
            return
        torch.set_rng_state(tensors[f"random.{self.rank}.cpu"])
        if device.type == "cuda" and f"random.{self.rank}.cuda" in tensors:
            torch.cuda.set_rng_state(tensors[f"random.{self.rank}.cuda"], device)

    def _gathered(self, own: Tensor) -> list[Tensor]:
        """What each process has."""
        found = [torch.empty_like(own) for _ in range(self.world)]
        self._called(lambda: dist.all_gather(found, own))
        return found

    def _summed(self, numbers: Sequence[float]) -> list[float]:
        """The sums over all processes."""
        sums = torch.tensor(numbers, dtype=torch.float64)
        self._called(lambda: dist.all_reduce(sums))
        found: list[float] = sums.tolist()
        return found

    def _called(self, call: Callable[[], Returned]) -> Returned:
        """What a call returns that needs the others."""
        try:
            return call()
        except RuntimeError as error:
            if not _is_loss(error):
                raise
            raise self._ended() from error

    def _ended(self) -> LostProcessError:
        return LostProcessError(
            f"process {self.rank + 1} of {self.world}",
            "another process of the run has ended",
            "see what it told; torchrun --max-restarts goes on by itself, chatbot train --resume by hand",
        )


Returned = TypeVar("Returned")


class _Watched:
    """Gradients that tell when another process is gone."""

    def __init__(self, gradients: Gradients, called: Callable[[Callable[[], Learned]], Learned]) -> None:
        self._gradients = gradients
        self._called = called

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there."""
        return self._called(lambda: self._gradients.learn(batches, sampled))


class LedStates:
    """The states of a run that several processes share: the leading one writes, all read."""

    def __init__(self, states: States, processes: Processes) -> None:
        self._states = states
        self._processes = processes

    def save(self, progress: Progress, tensors: Mapping[str, Tensor]) -> str:
        """Keep a state; where it lies is returned."""
        if self._processes.leads:
            return self._states.save(progress, tensors)
        return str(self._states.folder)

    def load(self) -> Stored:
        """The one that was kept last; none is written before all have read it."""
        stored = self._states.load()
        with self._processes.first():
            return stored


def _random(device: torch.device) -> dict[str, Tensor]:
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def _is_loss(error: RuntimeError) -> bool:
    """Whether an error says that another process cannot be reached; gloo has no type of its own for that."""
    text = str(error)
    return isinstance(error, dist.DistError) or any(word in text for word in ("gloo", "onnection", "NCCL"))
