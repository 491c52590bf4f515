"""Trainer: teacher forcing as a generator of events. It draws nothing and knows no file format."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from chatbot.config import TrainingOptions
from chatbot.dataset.batches import Batch, TrainingBatches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation.looking import look, troubles
from chatbot.evaluation.perplexity import measure, perplexity
from chatbot.nn.loss import sequence_loss
from chatbot.nn.seq2seq import Seq2Seq, named_tensors
from chatbot.training.data import concatenate, take
from chatbot.training.events import Evaluated, Event, Finished, Looked, Sampled, Saved, Stepped, Warned
from chatbot.training.schedule import progress_of, rate_factor
from chatbot.training.state import Progress, optimizer_tensors, restore_optimizer

EVALUATIONS = 12
"""Validations in a run when ``eval_every`` is 0; fewer where one takes long beside the run."""

LEAST_GAIN = 1e-3
"""A validation loss must fall by this many nats per token to count against stopping early."""

EXPLODED = 1000.0
"""Nats per token of a run that has diverged: guessing among 65,536 tokens costs 11."""

LOOKED_AT = 50, 200
"""Fewest and most held-out pairs that attention is watched on at a validation; between them it is an eighth
of all, since watching a pair costs about twice as much as its loss."""

WARN_FROM = 1 / 3
"""Share of a run before which attention that does nothing is no trouble yet: it is learned late."""

Validation = Sequence[tuple[str, EncodedPairs, float]]
"""Name, held-out pairs and weight in the mix of each corpus."""


class Trainer:
    """Fit a network to pairs.

    Args:
        network: changed in place.
        batches: the stream of training batches.
        validation: what the best weights are chosen by.
        save: is handed the progress and all tensors of the state, to keep them.
        sample: gives (question, reply) pairs of the network as it is.
    """

    def __init__(
        self,
        network: Seq2Seq,
        batches: TrainingBatches,
        validation: Validation,
        options: TrainingOptions,
        device: torch.device,
        save: Callable[[Progress, Mapping[str, Tensor]], str],
        sample: Callable[[], tuple[tuple[str, str], ...]],
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
        self._save = save
        self._sample = sample
        self._stop = False
        self._started = time.monotonic()
        self._optimizer = build_optimizer(network, options, device)

    def stop(self) -> None:
        """Ask the run to finish its step, save and end."""
        self._stop = True

    def run(self) -> Iterator[Event]:
        """Train to the end of the budget, an early stop, a request to stop or a loss that is no number."""
        self._network.train()
        place = self.progress
        self._started = time.monotonic() - place.seconds
        reason = "done"
        for epoch, index, count, batch in self._batches.stream(place.epoch, place.index):
            place.passes, place.seconds = epoch + index / count, self._seconds()
            if self.done >= 1.0:
                break
            event = self._step(batch.to(self._device))
            if self.fault:
                reason = "diverged"
                break
            place.step, place.epoch, place.index = place.step + 1, epoch, index + 1
            place.passes = epoch + place.index / count
            yield event
            if self._evaluation_due():
                yield from self._evaluate()
                if self._exhausted():
                    reason = "early stop"
                    break
            if self._stop:
                reason = "interrupted"
                break
            if self._options.save_every and place.step % self._options.save_every == 0:
                yield self._saved()
        place.seconds = self._seconds()
        yield from self._end(reason)

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
        state |= optimizer_tensors(self._optimizer)
        state |= {f"warned.{name}": torch.ones(1) for name in self._warned}
        state["random.cpu"] = torch.get_rng_state()
        if self._device.type == "cuda":
            state["random.cuda"] = torch.cuda.get_rng_state(self._device)
        return state

    def restore(self, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
        """Go back to a saved state; what follows is what would have followed then."""
        self.progress = progress
        load_weights(self._network, _section(tensors, "model."))
        self.best = _section(tensors, "best.")
        restore_optimizer(self._optimizer, tensors)
        self._warned = set(_section(tensors, "warned."))
        torch.set_rng_state(tensors["random.cpu"])
        if self._device.type == "cuda" and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self._device)

    def _seconds(self) -> float:
        return time.monotonic() - self._started

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

    def _step(self, batch: Batch) -> Stepped:
        """One update; none, and ``fault`` is set, where the numbers have gone wrong."""
        options, place, done = self._options, self.progress, self.done
        lr = options.lr * rate_factor(done, options.warmup)
        for group in self._optimizer.param_groups:
            group["lr"] = lr
        loss = sequence_loss(self._network, batch.src, batch.tgt_in, batch.tgt_out, options.label_smoothing)
        loss.objective.backward()  # type: ignore[no-untyped-call]
        value = float(loss.nats) / loss.tokens
        norm = float(torch.nn.utils.clip_grad_norm_(self._network.parameters(), options.clip or math.inf))
        if not value < EXPLODED:
            self.fault = f"the loss is {value:.3g} nats per token at learning rate {lr:.2g}"
        elif not math.isfinite(norm):
            self.fault = f"the gradient is no number at learning rate {lr:.2g}"
        else:
            self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return Stepped(
            place.step + 1, done, place.passes, value, lr, norm, batch.words, place.seconds, loss.gauges
        )

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
        place = self.progress
        fits = [(name, measure(self._network, pairs, self._device), w) for name, pairs, w in self._validation]
        nats = sum(weight * fit.nats for _, fit, weight in fits)
        tokens = sum(weight * fit.tokens for _, fit, weight in fits)
        words = sum(weight * fit.words for _, fit, weight in fits)
        loss = nats / tokens
        place.stale = 0 if loss < place.best_loss - LEAST_GAIN else place.stale + 1
        better = loss < place.best_loss
        if better:
            place.best_loss, place.best_step = loss, place.step
            self.best = {k: v.detach().cpu().clone() for k, v in own_weights(self._network).items()}
        corpora = {name: fit.perplexity for name, fit, _ in fits}
        yield Evaluated(place.step, loss, perplexity(nats / words), better, corpora)
        yield from self._look()
        yield Sampled(place.step, self._sample())
        self._network.train()
        place.seconds = self._seconds()
        place.evaluated_step, place.evaluated_passes = place.step, place.passes
        place.evaluated_seconds = place.seconds
        if not self._options.save_every:
            yield self._saved()

    def _look(self) -> Iterator[Event]:
        """What attention does, and once a run a warning of each trouble with it."""
        step, seen = self.progress.step, look(self._network, self._looked_at, self._device)
        yield Looked(step, seen.entropy, seen.heaviest, seen.moved, seen.mass, seen.gain, seen.gauges)
        for name, text in troubles(seen).items() if self.done >= WARN_FROM else ():
            if name not in self._warned:
                self._warned.add(name)
                yield Warned(step, text)

    def _saved(self) -> Saved:
        return Saved(self.progress.step, self._save(self.progress, self.tensors()))

    def _end(self, reason: str) -> Iterator[Event]:
        place = self.progress
        if reason == "done" and place.evaluated_step != place.step:
            yield from self._evaluate()
        if reason != "diverged":
            yield self._saved()
        yield Finished(place.step, reason, place.best_step, place.seconds)


def _some(held_out: Sequence[EncodedPairs]) -> EncodedPairs:
    """Those of the held-out pairs that attention is watched on."""
    fewest, most = LOOKED_AT
    every = concatenate(held_out)
    return take(every, min(most, max(fewest, len(every) // 8)))


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
