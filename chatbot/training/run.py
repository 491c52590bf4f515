"""TrainingRun: one ``chatbot train`` from corpora to a finished checkpoint, as a stream of events."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch

from chatbot import checkpoint
from chatbot.build import build_network, check_model
from chatbot.config import AUTO
from chatbot.corpus.library import DEFAULT_CORPORA
from chatbot.dataset.batches import TrainingBatches
from chatbot.dataset.joined import take
from chatbot.display.drawing import can_draw
from chatbot.engines.network import fill
from chatbot.engines.torch_engine import choose_device
from chatbot.errors import CheckpointError, OptionError, TrainingError
from chatbot.files import held, private_folder, remove_leftovers, write_atomically
from chatbot.nn.seq2seq import Seq2Seq
from chatbot.text.tokenizer import Tokenizer
from chatbot.training.board import NO_PICTURES, board, folder_of, writer_class
from chatbot.training.data import TrainingData, prepare
from chatbot.training.embeddings import check_embeddings, start_from_vectors
from chatbot.training.events import Event, Finished, Prepared, Reported, Sampled, Saved, Warned
from chatbot.training.fitting import LEAST, batch_trial, largest
from chatbot.training.freezing import frozen_parts
from chatbot.training.launch import Launch
from chatbot.training.meeting import own_device, processes_of
from chatbot.training.metrics import metrics_log
from chatbot.training.planting import planted, planted_notice
from chatbot.training.precision import Precision, check_precision
from chatbot.training.processes import Alone, LedStates, Processes
from chatbot.training.recovery import REVERTS
from chatbot.training.replay import check_replay, remembered_corpora
from chatbot.training.request import LOCK, RUN, STATE, Request, RunRecord, has_state, read_run
from chatbot.training.state import Progress, States, Stored
from chatbot.training.trained import Trained, spread_questions
from chatbot.training.trainer import Trainer, load_weights, own_weights
from chatbot.training.warnings import unknown_words, warnings
from chatbot.trust.seen import Seen
from chatbot.trust.stored import Trust

VALIDATION_PAIRS = 1000
"""Held-out pairs a corpus that validations during a run look at; the end looks at all."""

SAMPLES = 3
"""Questions whose replies are shown at each validation."""


class TrainingRun:
    """Prepare, train, measure, write.

    Raises (while ``events`` is consumed):
        ChatbotError: a corpus, an option or the disk does not allow it.
    """

    def __init__(self, request: Request, launch: Launch | None = None) -> None:
        self._request = request
        self._launch = launch or Launch()
        self._resume = request.folder / checkpoint.RESUME
        self._record = read_run(request.folder) if request.resume else None
        self._states = States(self._resume, request.config.training.keep)
        self._processes: Processes = Alone()
        self._kept = LedStates(self._states, self._processes)
        self._trainer: Trainer | None = None
        self._replayed: Mapping[str, float] = self._record.replayed if self._record else {}

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
        _check_limits(self._request)
        check_model(self._request.config)
        device = own_device(choose_device(self._request.config.training.device), self._launch)
        check_precision(self._request.config.training.precision, device)
        if self._request.config.training.tensorboard:
            writer_class()
        base = self._base()
        check_embeddings(self._request.config, base)
        frozen_parts(self._request.config.training.freeze)
        check_replay(self._request.config, goes_on=bool(base or self._record))
        notices: list[str] = []
        with processes_of(self._launch, device) as processes, contextlib.ExitStack() as alone:
            with processes.first():
                data = self._data(base, notices)
                if processes.leads:
                    alone.enter_context(self._held())
            self._processes, self._kept = processes, LedStates(self._states, processes)
            stored = self._kept.load() if self._record else None
            since = stored.progress.step if stored else None
            with self._recorded(since) as record, no_denormals():
                for event in self._events(data, base, stored, notices, device):
                    record(event)
                    yield event

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The run's folders, tidy, and no other process at work on them."""
        private_folder(self._request.folder)
        private_folder(self._resume)
        with held(self._resume / LOCK, self._request.folder.name):
            for place in (self._request.folder, self._resume):
                remove_leftovers(place)
            if not self._record and has_state(self._request.folder):
                what, remedy = "another process has begun a run here meanwhile", "choose another name"
                raise TrainingError(self._request.folder.name, what, remedy)
            yield

    @contextmanager
    def _recorded(self, since: int | None) -> Iterator[Callable[[Event], None]]:
        """What writes each event down; the leading process alone does.

        Args:
            since: the step a resumed run goes on from.
        """
        if not self._processes.leads:
            yield lambda event: None
            return
        folder = self._request.folder
        where = folder_of(self._request.config.training.tensorboard, folder.name)
        with metrics_log(folder / checkpoint.METRICS, since) as log, board(where, since) as show:

            def record(event: Event) -> None:
                log.write(event)
                show(event)

            yield record

    def _events(
        self,
        data: TrainingData,
        base: checkpoint.Checkpoint | None,
        stored: Stored | None,
        notices: list[str],
        device: torch.device,
    ) -> Iterator[Event]:
        yield from warnings(data, notices, self._request.config)
        if self._request.config.training.tensorboard and not can_draw():
            yield Warned(0, NO_PICTURES)
        if base:
            yield from unknown_words(data, self._request.config)
        summary = {**data.summary, "mix": data.described(), "vocab": data.tokenizer.vocab}
        yield Prepared(0, summary)
        if stored:
            yield from _skipped(stored)
        network = self._network(data, base)
        if self._request.config.training.embeddings and not self._record:
            yield Warned(0, start_from_vectors(network, data.tokenizer, self._request.config))
        yield from self._settle_size(network, device)
        trained = Trained(self._request, data, network, device, self._seen(data, base))
        trainer = self._new_trainer(trained)
        self._begin(trainer, data, stored, fine_tuned=base is not None)
        self._trainer = trainer
        finished = None
        for event in trainer.run():
            yield event
            finished = event if isinstance(event, Finished) else finished
        assert finished is not None
        with self._processes.first():
            if self._processes.leads:
                yield from _finish(trained, trainer, finished)

    def _base(self) -> checkpoint.Checkpoint | None:
        """The checkpoint a new run starts from; a resumed one no longer needs it."""
        start = self._request.start
        return checkpoint.load(start) if start and not self._record else None

    def _data(self, base: checkpoint.Checkpoint | None, notices: list[str]) -> TrainingData:
        """What is learned from; for a resumed run it must be what it was.

        Raises:
            OptionError: the corpora, or what is made of them, have changed.
        """
        request, record = self._request, self._record
        tokenizer = base.tokenizer() if base else None
        if record and record.fine_tuned:
            tokenizer = self._saved_tokenizer()
        names = request.corpora or (() if request.config.reading.src else DEFAULT_CORPORA)
        if base and request.config.training.replay:
            self._replayed = remembered_corpora(base, names, request.library, notices.append)
        data = prepare(names, request.library, request.config, notices.append, tokenizer, self._replayed)
        if not request.force:
            data.check()
        same = record is None or (
            record.data_key == data.key and self._saved_tokenizer().to_json() == data.tokenizer.to_json()
        )
        if same and request.config.training.canaries:
            notices.append(planted_notice(request.config))
            return planted(data, request.config)
        if not same:
            what = f"what {', '.join(names)} holds is not what the run learned from"
            raise OptionError("--resume", what, "restore it, or fine-tune on what is there now with --from")
        return data

    def _seen(self, data: TrainingData, base: checkpoint.Checkpoint | None) -> Seen:
        """What the network has met: in these corpora, and before in the checkpoint it started from."""
        where = self._resume / checkpoint.SEEN
        earlier = Trust(base).seen if base else None
        if base is None and self._record and self._record.fine_tuned and where.is_file():
            earlier = Seen.from_bytes(where.read_bytes(), str(where))
        elif earlier is not None and self._processes.leads:
            private_folder(self._resume)
            write_atomically(where, earlier.to_bytes())
        return data.seen if earlier is None else data.seen | earlier

    def _saved_tokenizer(self) -> Tokenizer:
        where = self._resume / checkpoint.TOKENIZER
        text = self._request.config.text
        try:
            return Tokenizer.from_json(
                where.read_text(encoding="utf-8"), text.tokenizer, text.case, str(where)
            )
        except (OSError, UnicodeDecodeError) as error:
            raise CheckpointError(str(where), f"cannot be read ({error})", "train anew") from None

    def _network(self, data: TrainingData, base: checkpoint.Checkpoint | None) -> Seq2Seq:
        config = self._request.config
        seed = unsigned(config.training.seed)
        network = build_network(config.model, data.tokenizer.vocab, seed, config.text.max_src)
        network.output.set_prior(torch.from_numpy(data.token_counts()))
        if base:
            fill(network, base)
        torch.manual_seed(unsigned(seed + self._processes.rank))
        return network

    def _settle_size(self, network: Seq2Seq, device: torch.device) -> Iterator[Event]:
        """Take a size for ``--batch-tokens auto``; it is remembered with the run."""
        config, world = self._request.config, self._processes.world
        if config.training.batch_tokens != AUTO:
            return
        size = LEAST * world
        if device.type == "cuda" and world == 1:
            precision = Precision(config.training.precision, device)
            gradients = self._processes.gradients(network.to(device), config.training, device, precision)
            network.train()
            trial = batch_trial(network, gradients, config.text.max_src, config.text.max_tgt, device)
            size = largest(trial)
            yield Warned(0, f"a batch has {size:,} tokens: so many fit this GPU (--batch-tokens {size})")
        config = config.replace({"training.batch_tokens": size})
        self._request = dataclasses.replace(self._request, config=config)

    def _new_trainer(self, trained: Trained) -> Trainer:
        options, data = self._request.config.training, trained.data
        sizes = [len(corpus.train) for corpus in data.corpora]
        times = [corpus.times for corpus in data.corpora]
        part = self._processes.rank, self._processes.world
        seed = unsigned(options.seed)
        batches = TrainingBatches(data.joined(), sizes, times, options.batch_tokens, seed, *part)
        validation = [
            (name, some, times * len(pairs) / len(some))  # some stand for all, or a large corpus counts less
            for name, pairs, times in data.held_out()
            for some in [take(pairs, VALIDATION_PAIRS)]
        ]
        questions = spread_questions(data, SAMPLES)

        def sample(step: int) -> Sampled:
            return trained.sampled(step, questions, maps=bool(options.tensorboard) and can_draw())

        return Trainer(
            trained.network,
            batches,
            validation,
            options,
            trained.device,
            self._kept,
            sample,
            self._processes,
        )

    def _begin(self, trainer: Trainer, data: TrainingData, stored: Stored | None, fine_tuned: bool) -> None:
        """Go back to where the run was, or write what it needs to be resumed."""
        if self._record and stored:
            self._restore(trainer, stored)
            fine_tuned = self._record.fine_tuned
            if self._record.config.training.lr != self._request.config.training.lr:
                self._begin_rate(stored)
        elif self._processes.leads:
            (self._resume / STATE).unlink(missing_ok=True)
            write_atomically(self._resume / checkpoint.TOKENIZER, data.tokenizer.to_json().encode())
        if self._processes.leads:
            record = RunRecord.of(self._request, fine_tuned, data.key, self._replayed, self._launch.name)
            write_atomically(self._resume / RUN, checkpoint.to_json(record.to_json()))

    def _restore(self, trainer: Trainer, stored: Stored) -> None:
        """Raises TrainingError where nothing is left to do."""
        try:
            trainer.restore(stored.progress, stored.tensors)
        except (KeyError, RuntimeError, ValueError) as error:
            what = f"is not the state of this run ({error})"
            raise CheckpointError(str(self._resume), what, "train anew") from None
        used_up = trainer.used_up()
        if used_up and _is_finished(self._request.folder, stored.progress):
            what, remedy = used_up
            raise TrainingError(self._request.folder.name, f"nothing is left to do: {what}", remedy)

    def _begin_rate(self, stored: Stored) -> None:
        """Another learning rate is taken as it is given, and the numbers have not gone wrong with it yet.

        This is saved before the rate is, so that the two belong together whenever a kill comes.
        """
        stored.progress.lr_scale, stored.progress.reverts = 1.0, 0
        self._kept.save(stored.progress, stored.tensors)


def _skipped(stored: Stored) -> Iterator[Event]:
    """What was wrong with the states that a resumed run cannot go on from."""
    step = stored.progress.step
    for fault in stored.skipped:
        yield Warned(step, f"{fault}; going on from the state of step {step}")


def _finish(trained: Trained, trainer: Trainer, finished: Finished) -> Iterator[Event]:
    """Measure the best weights and write the checkpoint; an interrupted run is not measured."""
    diverged = finished.reason == "diverged"
    faulty, fault = f"step {finished.step + 1}", f"{trainer.fault}, after going back {REVERTS} times"
    if diverged and not trainer.best:
        raise TrainingError(faulty, f"{fault}, and no good weights yet", "lower --lr or set --clip")
    load_weights(trained.network, trainer.best or own_weights(trained.network))
    report, files = {}, {checkpoint.SEEN: trained.seen.to_bytes()}
    if finished.reason != "interrupted":
        report, made = trained.measured(), trained.equipped()
        report["confidence"], files = made.report, made.files
        yield Reported(finished.step, report)
        if trained.request.config.decoding.threshold and checkpoint.CONFIDENCE not in files:
            yield Warned(finished.step, f"--threshold is not kept: {made.report['missing']}")
            trained = trained.without_threshold()
    for warning in trained.write(finished, report, files):
        yield Warned(finished.step, warning)
    yield Saved(finished.step, str(trained.request.folder))
    if diverged:
        kept = f"the weights of step {finished.best_step} are kept"
        raise TrainingError(faulty, f"{fault}; {kept}", "lower --lr or set --clip")


def _is_finished(folder: Path, progress: Progress) -> bool:
    """Whether the checkpoint in a folder is the outcome of the state beside it."""
    try:
        record = checkpoint.load(folder).record
    except CheckpointError:
        return False
    return record.get("steps") == progress.step and record.get("ended") != "interrupted"


def _check_limits(request: Request) -> None:
    options = request.config.training
    if not (options.minutes or options.epochs or options.steps):
        what = "is 0, and neither --epochs nor --steps says when to end"
        raise OptionError("--minutes", what, "give one of the three")


@contextmanager
def no_denormals() -> Iterator[None]:
    """Numbers too small for full precision count as 0: a product with one costs up to a hundred others.

    This is a mode of the processor, for the whole process; it is ended with the run, since other code
    (and floats read from a text) may want such numbers.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def unsigned(seed: int) -> int:
    """The seed as every generator takes it: a negative one as its 64-bit two's complement."""
    return seed & (2**64 - 1)
