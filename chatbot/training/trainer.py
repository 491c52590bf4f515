"""Trainer: teacher forcing as a generator of events. It draws nothing and knows no file format."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch, TrainingBatches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import joined, take
from chatbot.evaluation.looking import look, troubles
from chatbot.evaluation.perplexity import measure
from chatbot.nn.seq2seq import Seq2Seq, named_tensors
from chatbot.training.averaging import WeightAverage
from chatbot.training.events import (
    Evaluated,
    Event,
    Finished,
    Looked,
    Reverted,
    Sampled,
    Saved,
    Stepped,
    Warned,
)
from chatbot.training.processes import Alone, Processes
from chatbot.training.recovery import REVERTS, revert
from chatbot.training.sampling_schedule import sampling_share
from chatbot.training.schedule import SCHEDULES, progress_of
from chatbot.training.score import COSTS, Score
from chatbot.training.state import Progress, Stored
from chatbot.training.stepping import Pending, Stepper

EVALUATIONS = 12
"""Validations in a run when ``eval_every`` is 0; fewer where one takes long beside the run."""

LEAST_GAIN = 1e-3
"""A validation must be better by this much, in nats or in share of right tokens, to put off an early stop."""

LOOKED_AT = 50, 200
"""Fewest and most held-out pairs that attention is watched on at a validation; between them it is an eighth
of all, since watching a pair costs about twice as much as its loss."""

WARN_FROM = 1 / 3
"""Share of a run before which attention that does nothing is no trouble yet: it is learned late."""

Validation = Sequence[tuple[str, EncodedPairs, float]]
"""Name, held-out pairs and weight in the mix of each corpus."""


class States(Protocol):
    """Where the states of a run are kept."""

    def save(self, progress: Progress, tensors: Mapping[str, Tensor]) -> str:
        """Keep a state; where it lies is returned."""

    def load(self) -> Stored:
        """The one that was kept last."""


class Trainer:
    """Fit a network to pairs.

    Args:
        network: changed in place.
        batches: the stream of training batches.
        validation: what the best weights are chosen by.
        states: the last one is gone back to where the numbers go wrong.
        sample: gives the network's replies to a few questions as it is, for the step it is told.
        processes: those that train together, each with a trainer of its own.
    """

    def __init__(
        self,
        network: Seq2Seq,
        batches: TrainingBatches,
        validation: Validation,
        options: TrainingOptions,
        device: torch.device,
        states: States,
        sample: Callable[[int], Sampled],
        processes: Processes | None = None,
    ) -> None:
        self.progress = Progress()
        self.best: dict[str, Tensor] = {}
        self.fault = ""  # what went wrong with the numbers, when the run ends "diverged"
        self._network = network.to(device)
        self._batches = batches
        self._validation = validation
        self._looked_at = _some([pairs for _, pairs, _ in validation])
        self._warned: set[str] = set()  # troubles that were told of
        self._options = options
        self._device = device
        self._states = states
        self._saved_as: tuple[int, int] | None = None  # what tells the last state from the others
        self._sample = sample
        self._stop = False
        self._behind = (
            1 if device.type == "cuda" else 0
        )  # updates whose figures a GPU may still be at work on
        self._underway: deque[tuple[dict[str, Any], Pending, Progress]] = deque()
        self._started = time.monotonic()
        self._processes = processes or Alone()
        self._stepper = Stepper(self._network, options, device, self._processes)
        self._average = WeightAverage(self._network, options.average) if options.average else None

    def stop(self) -> None:
        """Ask the run to finish its step, save and end."""
        self._stop = True

    def run(self) -> Iterator[Event]:
        """Train to the end of the budget, an early stop, a request to stop or numbers that stay wrong."""
        self._network.train()
        self._started = time.monotonic() - self.progress.seconds
        if self._saved_as is None:
            yield self._saved()
        reason = yield from self._stretch()
        while reason == "diverged" and self.progress.reverts < REVERTS:
            yield self._revert()
            self._states.save(self.progress, self.tensors())
            reason = yield from self._stretch()
        self.progress.seconds = self._seconds()
        yield from self._end(reason)

    def _stretch(self) -> Generator[Event, None, str]:
        """Train from where the run is; why it went no further is returned."""
        place, self.fault = self.progress, ""
        stream, together = self._batches.stream(place.epoch, place.index), self._options.accumulate
        for taken in iter(lambda: list(itertools.islice(stream, together)), []):
            epoch, index, count, _ = taken[0]
            place.passes, place.seconds = epoch + index / count, self._seconds()
            if self.done >= 1.0:
                break
            epoch, index, count, _ = taken[-1]
            self._step([batch for *_, batch in taken])
            place.step, place.epoch, place.index = place.step + 1, epoch, index + 1
            place.passes = epoch + place.index / count
            evaluates = self._evaluation_due()
            saves = self._options.save_every and place.step % self._options.save_every == 0
            yield from self._told(0 if evaluates or saves else self._behind)
            if self.fault:
                return "diverged"
            if evaluates:
                yield from self._evaluate()
                if self._exhausted():
                    return "early stop"
            if self._processes.stops(self._stop):
                return (yield from self._settled("interrupted"))
            if saves:
                yield self._saved()
        return (yield from self._settled("done"))

    def _settled(self, reason: str) -> Generator[Event, None, str]:
        """Tell of all updates; the reason to go no further, or that one of them went wrong."""
        yield from self._told(0)
        return "diverged" if self.fault else reason

    def _told(self, behind: int) -> Iterator[Event]:
        """Tell of the updates but for the last so many; where one went wrong, the run is at its beginning.

        What was computed after that one is of no account, since the run goes back to its last state.
        """
        while len(self._underway) > behind:
            told, pending, before = self._underway.popleft()
            update = pending.read()
            self.fault = update.fault
            if self.fault:
                self._underway.clear()
                self.progress = before
                return
            told |= {"loss": update.loss, "gradient_norm": update.gradient_norm, "gauges": update.gauges}
            yield Stepped(**told)
            yield from (Warned(told["step"], text) for text in self._stepper.notices())

    @property
    def done(self) -> float:
        """The share of the run that is done, 0 to 1."""
        place = self.progress
        return self._share(place.step, place.passes, place.seconds)

    def used_up(self) -> tuple[str, str] | None:
        """Why nothing is left to do, and the option to raise; None while something is."""
        options, place = self._options, self.progress
        if self._exhausted():
            what = f"validation has not improved {place.stale} times in a row"
            return what, f"raise --patience above {place.stale}, or set it to 0"
        if self.done < 1.0:
            return None
        limits = [
            ("minutes", options.minutes, place.seconds / 60),
            ("epochs", options.epochs, place.passes),
            ("steps", options.steps, place.step),
        ]
        name, limit, _ = max((each for each in limits if each[1]), key=lambda each: each[2] / each[1])
        return f"all {limit:g} {name} are used", f"raise --{name} above {limit:g}"

    def tensors(self) -> dict[str, Tensor]:
        """All tensors of the state: weights, best weights, optimiser, troubles told of, random state."""
        state = {f"model.{name}": tensor for name, tensor in own_weights(self._network).items()}
        state |= {f"best.{name}": tensor for name, tensor in self.best.items()}
        state |= self._stepper.tensors() | (self._average.tensors() if self._average else {})
        state |= {f"warned.{name}": torch.ones(1) for name in self._warned}
        state["random.cpu"] = torch.get_rng_state()
        if self._device.type == "cuda":
            state["random.cuda"] = torch.cuda.get_rng_state(self._device)
        return state | self._processes.random_states(self._device)

    def restore(self, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
        """Go back to a saved state; what follows is what would have followed then."""
        self.progress = progress
        self._saved_as = progress.step, progress.evaluated_step
        load_weights(self._network, _section(tensors, "model."))
        self.best = _section(tensors, "best.")
        self._stepper.restore(tensors)
        if self._average:
            self._average.restore(tensors)
        self._warned = set(_section(tensors, "warned."))
        torch.set_rng_state(tensors["random.cpu"])
        if self._device.type == "cuda" and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self._device)
        self._processes.restore_random(tensors, self._device)

    def _seconds(self) -> float:
        """Training time so far, by the clock of the leading process."""
        return self._processes.agree(time.monotonic() - self._started, self._stop)

    def _share(self, step: int, passes: float, seconds: float) -> float:
        options = self._options
        return progress_of(
            seconds=seconds,
            minutes=options.minutes,
            step=step,
            steps=options.steps,
            epoch=passes,
            epochs=options.epochs,
        )

    def _step(self, batches: Sequence[Batch]) -> None:
        """Begin one update."""
        options, place, done = self._options, self.progress, self.done
        lr = options.lr * place.lr_scale * SCHEDULES[options.schedule](done, options.warmup)
        sampled = sampling_share(options.sampling_schedule, options.scheduled_sampling, done)
        pending = self._stepper.update(batches, lr, sampled)
        if self._average:
            self._average.update()
        told = {
            "step": place.step + 1,
            "progress": done,
            "epoch": place.passes,
            "lr": lr,
            "words": sum(batch.words for batch in batches),
            "seconds": place.seconds,
        }
        self._underway.append((told, pending, dataclasses.replace(place)))

    def _evaluation_due(self) -> bool:
        """Every ``eval_every`` steps, else once a twelfth of the run since the last one ended."""
        place = self.progress
        if self._options.eval_every:
            return place.step % self._options.eval_every == 0
        last = self._share(place.evaluated_step, place.evaluated_passes, place.evaluated_seconds)
        return self.done - last >= 1 / EVALUATIONS - 1e-9

    def _exhausted(self) -> bool:
        return 0 < self._options.patience <= self.progress.stale

    def _evaluate(self) -> Iterator[Event]:
        """Validate in the leading process, whose progress the others take over."""
        place = self.progress
        if self._processes.leads:
            yield from self._validate()
        self._processes.follow(place)
        self._network.train()
        place.seconds = self._seconds()
        place.evaluated_step, place.evaluated_passes = place.step, place.passes
        place.evaluated_seconds = place.seconds
        if not self._options.save_every:
            yield self._saved()

    def _validate(self) -> Iterator[Event]:
        place, cost = self.progress, COSTS[self._options.stop_on]
        score, averaged = self._score(), False
        if self._average:
            with self._average.in_place():
                other = self._score()
            averaged = cost(other) < cost(score)
            score = other if averaged else score
        place.stale = 0 if cost(score) < place.best_loss - LEAST_GAIN else place.stale + 1
        better = cost(score) < place.best_loss
        if better and place.step >= place.fault_step:
            place.reverts = 0
        if better:
            place.best_loss, place.best_step = cost(score), place.step
            chosen = self._average.weights() if self._average and averaged else own_weights(self._network)
            self.best = {k: v.detach().cpu().clone() for k, v in chosen.items()}
        yield Evaluated(
            place.step, score.loss, score.perplexity, better, score.corpora, score.accuracy, averaged
        )
        yield from self._look()
        yield self._sample(place.step)

    def _score(self) -> Score:
        """The validation pairs with the weights the network has."""
        return Score.of(
            [(name, measure(self._network, pairs, self._device), w) for name, pairs, w in self._validation]
        )

    def _look(self) -> Iterator[Event]:
        """What attention does, and once a run a warning of each trouble with it."""
        step, seen = self.progress.step, look(self._network, self._looked_at, self._device)
        yield Looked(step, seen.entropy, seen.heaviest, seen.moved, seen.mass, seen.gain, seen.gauges)
        for name, text in troubles(seen).items() if self.done >= WARN_FROM else ():
            if name not in self._warned:
                self._warned.add(name)
                yield Warned(step, text)

    def _saved(self) -> Saved:
        place = self.progress
        self._saved_as = place.step, place.evaluated_step
        return Saved(place.step, self._states.save(place, self.tensors()))

    def _revert(self) -> Reverted:
        """Go back to the last state, on from which the learning rate is half; the best weights stay."""
        now, best = self.progress, self.best
        stored = self._states.load()
        self.restore(stored.progress, stored.tensors)
        place = self.progress
        if now.best_loss < place.best_loss:
            place.best_loss, place.best_step, self.best = now.best_loss, now.best_step, best
        return revert(place, now, self.fault, self._options.lr)

    def _end(self, reason: str) -> Iterator[Event]:
        place = self.progress
        if reason == "done" and place.evaluated_step != place.step:
            yield from self._evaluate()
        if reason != "diverged" and self._saved_as != (place.step, place.evaluated_step):
            yield self._saved()
        yield Finished(place.step, reason, place.best_step, place.seconds)


def _some(held_out: Sequence[EncodedPairs]) -> EncodedPairs:
    """Those of the held-out pairs that attention is watched on."""
    fewest, most = LOOKED_AT
    every = joined(held_out)
    return take(every, min(most, max(fewest, len(every) // 8)))


def own_weights(network: Seq2Seq) -> dict[str, Tensor]:
    """Parameters and buffers by name, a shared one once."""
    return {name: tensor.detach() for name, tensor in named_tensors(network)}


@torch.no_grad()
def load_weights(network: Seq2Seq, weights: Mapping[str, Tensor]) -> None:
    """Set parameters and buffers by name.

    Raises:
        KeyError, RuntimeError: a name or shape is another.
    """
    for name, tensor in named_tensors(network):
        tensor.copy_(weights[name])


def _section(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}
