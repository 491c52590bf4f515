"""TrainingRun: one ``chatbot train`` from corpora to a finished checkpoint, as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

import chatbot
from chatbot import checkpoint
from chatbot.bot import Chatbot
from chatbot.build import build_network
from chatbot.config import Config
from chatbot.corpus.library import DEFAULT_CORPORA
from chatbot.dataset.batches import TrainingBatches
from chatbot.engines.torch_engine import TorchEngine, choose_device
from chatbot.errors import OptionError, TrainingError
from chatbot.evaluation.openings import openings
from chatbot.files import private_folder, write_atomically
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.training.card import model_card
from chatbot.training.data import TrainingData, concatenate, prepare, take
from chatbot.training.events import Event, Finished, Prepared, Reported, Saved, Warned
from chatbot.training.report import perplexities, variety
from chatbot.training.state import STATE, Progress, load_state, save_state
from chatbot.training.trainer import Trainer, load_weights, own_weights

VALIDATION_PAIRS = 1000
"""Held-out pairs a corpus that validations during a run look at; the end looks at all."""

SAMPLES = 3
RUN = "run.json"


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked for.

    Args:
        corpora: names or paths; empty takes the default ones.
        folder: where the checkpoint goes.
        library: the folder of corpora.
        config: every option.
        command: as typed, for the model card.
        start: a checkpoint whose weights and tokenizer are gone on from, or None.
        resume: go on with the state in ``folder``.
        half: store weights in half precision.
    """

    corpora: tuple[str, ...]
    folder: Path
    library: Path
    config: Config
    command: str
    start: Path | None = None
    resume: bool = False
    half: bool = True


class TrainingRun:
    """Prepare, train, measure, write.

    Raises (while ``events`` is consumed):
        ChatbotError: a corpus, an option or the disk does not allow it.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._notices: list[str] = []
        self._trainer: Trainer | None = None

    def stop(self) -> bool:
        """Ask the run to finish its step, save and end.

        Returns:
            False while there is nothing to save yet and the caller may end it at once.
        """
        if self._trainer is None:
            return False
        self._trainer.stop()
        return True

    def events(self) -> Iterator[Event]:
        """Everything that happens, each event also a line of ``metrics.jsonl``."""
        folder = private_folder(self._request.folder)
        metrics = folder / checkpoint.METRICS
        if not self._request.resume:
            write_atomically(metrics, b"")
        with metrics.open("a", encoding="utf-8") as log:
            for event in self._events():
                log.write(json.dumps(event.to_json(), ensure_ascii=False) + "\n")
                log.flush()
                yield event

    def _events(self) -> Iterator[Event]:
        request = self._request
        device = choose_device(request.config.training.device)
        torch.set_flush_denormal(True)  # denormals cost up to a hundred times a normal product
        base = checkpoint.load(request.start) if request.start else None
        tokenizer = base.tokenizer() if base else None
        data = prepare(
            request.corpora or DEFAULT_CORPORA,
            request.library,
            request.config,
            self._notices.append,
            tokenizer,
        )
        yield from self._warnings(data)
        yield Prepared(0, self._summary(data))
        network = build_network(request.config.model, data.tokenizer.vocab, request.config.training.seed)
        if base:
            load_weights(network, {name: torch.from_numpy(w) for name, w in base.weights().items()})
        torch.manual_seed(request.config.training.seed)
        trainer = self._trainer = self._new_trainer(network, data, device)
        self._begin(trainer, data)
        finished = None
        for event in trainer.run():
            yield event
            finished = event if isinstance(event, Finished) else finished
        assert finished is not None
        yield from self._finish(network, trainer, data, device, finished)

    def _new_trainer(self, network: Seq2Seq, data: TrainingData, device: torch.device) -> Trainer:
        options = self._request.config.training
        sizes = [len(corpus.train) for corpus in data.corpora]
        times = [corpus.times for corpus in data.corpora]
        batches = TrainingBatches(data.joined(), sizes, times, options.batch_tokens, options.seed)
        validation = [
            (name, take(pairs, VALIDATION_PAIRS), weight) for name, pairs, weight in data.held_out()
        ]
        everything = concatenate([pairs for _, pairs, _ in validation])
        questions = [_text(data, everything, row) for row in _spread(len(everything), SAMPLES)]

        def sample() -> tuple[tuple[str, str], ...]:
            bot = self._bot(network, data, device)
            return tuple((reply.question, reply.text) for reply in bot.replies(questions))

        return Trainer(network, batches, validation, options, device, self._save_state, sample)

    def _begin(self, trainer: Trainer, data: TrainingData) -> None:
        """Write what a resumed run needs, or go back to where the run was."""
        resume = self._request.folder / checkpoint.RESUME
        if self._request.resume:
            progress, tensors = load_state(resume)
            saved = checkpoint.read_json(resume / RUN)
            if saved.get("data_key") != data.key:
                raise OptionError(
                    "--resume",
                    f"the corpora are not those of the run ({data.key}, not {saved.get('data_key')})",
                    "restore them, or fine-tune on the new ones with --from",
                )
            trainer.restore(progress, tensors)
        else:
            private_folder(resume)
            (resume / STATE).unlink(missing_ok=True)
            write_atomically(resume / checkpoint.TOKENIZER, data.tokenizer.to_json().encode())
        write_atomically(resume / RUN, checkpoint.to_json(run_record(self._request, data.key)))

    def _save_state(self, progress: Progress, tensors: Mapping[str, Tensor]) -> str:
        folder = self._request.folder / checkpoint.RESUME
        save_state(folder, progress, tensors)
        return str(folder)

    def _finish(
        self, network: Seq2Seq, trainer: Trainer, data: TrainingData, device: torch.device, finished: Finished
    ) -> Iterator[Event]:
        """Measure the best weights and write the checkpoint; an interrupted run is not measured."""
        if finished.reason == "diverged" and not trainer.best:
            raise TrainingError(
                f"step {finished.step}",
                "the loss is no number and there are no good weights yet",
                "lower --lr",
            )
        load_weights(network, trainer.best or own_weights(network))
        bot = self._bot(network, data, device)
        report: dict[str, Any] = {}
        if finished.reason != "interrupted":
            report = perplexities(network, data, device)
            report["variety"] = variety(data, lambda asked: [reply.text for reply in bot.replies(asked)])
            yield Reported(finished.step, report)
        record = self._record(network, data, finished, report)
        weights = {name: _stored(tensor, self._request.half) for name, tensor in own_weights(network).items()}
        card = model_card(self._request.folder.name, record, self._card_samples(bot, data))
        checkpoint.save(self._request.folder, record, data.tokenizer, weights, card)
        yield Saved(finished.step, str(self._request.folder))
        if finished.reason == "diverged":
            raise TrainingError(
                f"step {finished.step}",
                f"the loss is no number; the weights of step {finished.best_step} are kept",
                "lower --lr or set --clip",
            )

    def _bot(self, network: Seq2Seq, data: TrainingData, device: torch.device) -> Chatbot:
        config = self._request.config
        return Chatbot(
            self._request.folder.name,
            data.tokenizer,
            TorchEngine(network, data.tokenizer.vocab, device),
            config.text.max_src,
            config.text.max_tgt,
            config.decoding,
            config.model.attention != "none",
        )

    def _card_samples(self, bot: Chatbot, data: TrainingData) -> list[tuple[str, str]]:
        """Replies to everyday openings of a bot that learned English small talk, else to held-out questions."""
        names = {corpus.name for corpus in data.corpora}
        if names & {"smalltalk", "smalltalk:english", "chatterbot:english"}:
            questions = openings()
        else:
            pairs = concatenate([pairs for _, pairs, _ in data.held_out()])
            questions = [_text(data, pairs, row) for row in _spread(len(pairs), 20)]
        return [(reply.question, reply.text) for reply in bot.replies(questions)]

    def _record(
        self, network: Seq2Seq, data: TrainingData, finished: Finished, report: Mapping[str, Any]
    ) -> dict[str, Any]:
        return {
            "command": self._request.command,
            "versions": {"chatbot": chatbot.__version__, "torch": torch.__version__, "numpy": np.__version__},
            "corpora": _corpora(data),
            "options": self._request.config.to_json(),
            "vocab": data.tokenizer.vocab,
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            "precision": "half" if self._request.half else "single",
            "steps": finished.step,
            "best_step": finished.best_step,
            "ended": finished.reason,
            "training_seconds": round(finished.seconds, 1),
            "data": data.summary,
            "report": report,
        }

    def _summary(self, data: TrainingData) -> dict[str, Any]:
        return {**data.summary, "mix": _corpora(data), "vocab": data.tokenizer.vocab}

    def _warnings(self, data: TrainingData) -> Iterator[Warned]:
        for notice in self._notices:
            yield Warned(0, notice)
        pairs = sum(len(corpus.train) for corpus in data.corpora)
        if pairs < 100:
            yield Warned(0, f"only {pairs} training pairs: the bot will know little more than these")
        if not any(len(corpus.valid) for corpus in data.corpora):
            yield Warned(0, "no conversation was held out: validation looks at the training pairs")
        for name, parts in data.summary["corpora"].items():
            long, kept = (sum(part[k] for part in parts.values()) for k in ("too_long", "kept"))
            if long > kept:
                longest = self._request.config.text.max_tgt
                yield Warned(
                    0,
                    f"{name}: {long} of {long + kept} replies are longer than {longest} tokens; raise --max-tgt",
                )


def run_record(request: Request, data_key: str) -> dict[str, Any]:
    """What ``resume/run.json`` holds: enough to go on with the run."""
    return {
        "corpora": list(request.corpora),
        "options": request.config.to_json(),
        "command": request.command,
        "half": request.half,
        "start": str(request.start) if request.start else None,
        "data_key": data_key,
    }


def _corpora(data: TrainingData) -> list[dict[str, Any]]:
    return [
        {
            "name": corpus.name,
            "origin": corpus.origin,
            "sha256": corpus.sha256,
            "times": corpus.times,
            "train": len(corpus.train),
            "valid": len(corpus.valid),
        }
        for corpus in data.corpora
    ]


def _text(data: TrainingData, pairs: Any, row: int) -> str:
    return data.tokenizer.decode(pairs.pair(row)[0].tolist())


def _spread(size: int, most: int) -> Sequence[int]:
    """At most so many places, spread evenly."""
    return sorted({int(place) for place in np.linspace(0, size - 1, most)}) if size else []


def _stored(tensor: Tensor, half: bool) -> Any:
    return tensor.detach().cpu().to(torch.float16 if half else torch.float32).numpy()
