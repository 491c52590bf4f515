"""Comparison: every variant trained, measured and noted; one that fails loses none of the others.

    checkpoints/compare/NAME/
      LABEL/          the checkpoint of a variant, or of those that differ in decoding alone
      compare.json    the figures, written anew after each variant

The same comparison started again goes on where it was: what is trained is not trained again, a run
that was broken off is resumed, and a variant that failed is tried once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chatbot.checkpoint import read_json, to_json
from chatbot.comparison.earlier import Standing, standing
from chatbot.comparison.measuring import fingerprint, measured
from chatbot.comparison.outcome import Outcome, Results, read_outcomes
from chatbot.comparison.questions import Question, held_out_questions, open_corpora, shown_rows
from chatbot.comparison.variant import Variant
from chatbot.corpus.library import DEFAULT_CORPORA
from chatbot.errors import ChatbotError, CheckpointError, CorpusError
from chatbot.files import private_folder, write_atomically
from chatbot.training.events import Event
from chatbot.training.request import Request
from chatbot.training.run import TrainingRun

FIGURES = "compare.json"

LONGEST_REASON = 300
"""Characters kept of a library's own words on what went wrong."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared, and where.

    Args:
        folder: of the comparison.
        corpora: names or paths; empty takes the default ones.
        library: the folder of corpora.
        command: as typed.
    """

    folder: Path
    corpora: tuple[str, ...]
    library: Path
    command: str
    variants: tuple[Variant, ...]


class Watcher(Protocol):
    """Sees what a comparison does; consuming the events is what makes a run go on."""

    def training(self, heading: str, events: Iterable[Event]) -> bool:
        """A variant is trained; whether the run was interrupted is returned."""
        ...

    def measuring(self, heading: str, questions: int) -> None:
        """A trained variant is about to be asked so many questions."""
        ...

    def failed(self, heading: str, reason: str) -> None:
        """A variant has come to nothing."""
        ...


class Comparison:
    """A plan being carried out."""

    def __init__(self, plan: Plan, watcher: Watcher) -> None:
        self._plan = plan
        self._watcher = watcher
        self._questions: list[Question] = []
        self._hashes: set[str] = set()
        self._outcomes: dict[str, Outcome] = {}
        self._failures: dict[str, str] = {}  # by folder: what could not be trained once
        self._run: TrainingRun | None = None
        self._stopped = False

    def prepare(self) -> int:
        """Read the questions and look at what is there; nothing is written.

        Returns:
            How many checkpoints are still to be trained.

        Raises:
            CorpusError: a corpus is missing or holds no pair.
            OptionError: a folder holds a variant of other options or data.
        """
        reading = self._plan.variants[0].config.reading
        corpora = open_corpora(self._plan.corpora or DEFAULT_CORPORA, self._plan.library, reading)
        configs = [variant.config for variant in self._plan.variants]
        self._questions = held_out_questions(corpora, configs)
        if not self._questions:
            what, remedy = "0 pairs: nobody answers anybody", "at least one exchange of two turns is needed"
            raise CorpusError(", ".join(corpus.name for corpus in corpora), what, remedy)
        self._hashes = {corpus.sha256 for corpus in corpora}
        untrained = {v.folder for v in self._plan.variants if self._standing(v) is not Standing.TRAINED}
        self._recall(untrained)
        return len(untrained)

    def run(self) -> bool:
        """Train and measure what is left, variant by variant.

        Returns:
            False when it was stopped; the same plan goes on from there.
        """
        private_folder(self._plan.folder)
        count = len(self._plan.variants)
        for number, variant in enumerate(self._plan.variants, start=1):
            if variant.label not in self._outcomes:
                outcome = self._outcome(variant, f"{number}/{count} {variant.label}")
                if outcome is None:
                    return False
                self._outcomes[variant.label] = outcome
                self._write()
        self._write()
        return True

    def stop(self) -> bool:
        """Ask the run in progress to finish its step and save, and the comparison to end with it.

        Returns:
            False while nothing is being trained and the caller may end it at once.
        """
        self._stopped = self._run is not None and self._run.stop()
        return self._stopped

    def results(self) -> Results:
        """What there is so far."""
        plan = self._plan
        shown = tuple(self._questions[row] for row in shown_rows(self._questions))
        labels = [variant.label for variant in plan.variants]
        outcomes = tuple(self._outcomes[label] for label in labels if label in self._outcomes)
        count = len(self._questions)
        return Results(plan.folder.name, plan.command, plan.corpora, count, shown, outcomes)

    def _recall(self, untrained: set[str]) -> None:
        """Take over the figures of an earlier call that would come out the same."""
        with suppress(CheckpointError):
            found = read_outcomes(read_json(self._plan.folder / FIGURES))
            earlier = {outcome.label: outcome for outcome in found if outcome.figures}
            for variant in self._plan.variants:
                outcome = earlier.get(variant.label)
                if outcome and variant.folder not in untrained and self._is_of(outcome, variant):
                    self._outcomes[variant.label] = outcome

    def _is_of(self, outcome: Outcome, variant: Variant) -> bool:
        now = fingerprint(self._plan.folder / variant.folder, variant, self._questions)
        return outcome.fingerprint == now != ""

    def _standing(self, variant: Variant) -> Standing:
        try:
            return standing(self._plan.folder / variant.folder, variant, self._hashes)
        except CheckpointError:  # told when it is this variant's turn
            return Standing.BEGUN

    def _outcome(self, variant: Variant, heading: str) -> Outcome | None:
        """What comes of a variant; None when it was stopped."""
        reason = self._failures.get(variant.folder, "")
        try:
            if not reason and not self._trained(variant, heading):
                return None
            if not reason:
                self._watcher.measuring(heading, len(self._questions))
                return measured(self._plan.folder / variant.folder, variant, self._questions)
        except BrokenPipeError:
            raise
        except (ChatbotError, MemoryError, OSError, RuntimeError, ValueError) as error:
            reason = _reason(error)
        self._watcher.failed(heading, reason)
        return Outcome(variant.label, variant.folder, variant.options, failure=reason)

    def _trained(self, variant: Variant, heading: str) -> bool:
        """Train a variant, or go on with it, unless that is done; False when it was stopped."""
        plan = self._plan
        folder = plan.folder / variant.folder
        found = standing(folder, variant, self._hashes)
        if found is Standing.TRAINED:
            return True
        resume = found is Standing.BEGUN
        request = Request(
            plan.corpora, folder, plan.library, variant.config, plan.command, resume=resume, force=True
        )
        try:
            self._run = TrainingRun(request)
            interrupted = self._watcher.training(heading, self._run.events())
        except (ChatbotError, MemoryError, OSError, RuntimeError, ValueError) as error:
            self._failures[variant.folder] = _reason(error)
            raise
        finally:
            self._run = None
        return not (interrupted or self._stopped)

    def _write(self) -> None:
        write_atomically(self._plan.folder / FIGURES, to_json(self.results().to_json()))


def _reason(error: BaseException) -> str:
    """Why a variant failed, on one line."""
    if isinstance(error, ChatbotError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:LONGEST_REASON] if text else type(error).__name__
