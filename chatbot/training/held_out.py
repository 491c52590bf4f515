"""Held out: the texts of a checkpoint's corpora, parted as when it was trained, to evaluate it on.

Which pairs were learned from is not stored: it follows from the corpora, the options of choosing pairs and
the ids of conversations (``chatbot.corpus.split``), so the corpora are read again, in the same order, with
the same cleaning.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from chatbot.checkpoint import Checkpoint
from chatbot.corpus.clean import Cleaner
from chatbot.corpus.library import Corpus, open_corpus, open_files
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.split import is_held_out
from chatbot.corpus.tally import Tally, fingerprint
from chatbot.errors import CorpusError
from chatbot.evaluation.material import Material
from chatbot.training.data import open_all
from chatbot.training.replay import learned, references
from chatbot.training.spool import Spool

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Learned:
    """A corpus that a checkpoint learned from.

    Args:
        times: how often an epoch showed each pair.
    """

    name: str
    times: float
    corpus: Corpus


@dataclass(frozen=True, slots=True)
class _Parted:
    """A corpus' pairs, those that were learned from and those that were not."""

    learned: _Learned
    train: Spool
    valid: Spool


def _are_same(first: Corpus, second: Corpus) -> bool:
    """Whether two corpora hold the same conversations; two languages of one file do not."""
    languages = {each.name.partition(":")[2] for each in (first, second)}
    return first.sha256 == second.sha256 and len(languages) == 1


class HeldOut:
    """Gathers material for an evaluation; the pairs lie in files without a name while ``spools`` is open.

    Args:
        checkpoints: that are evaluated; the first one's corpora are, and what any of them learned from counts
            as learned.
        library: the folder of corpora.
        notify: told what is odd.
        spools: closes the files.
        folder: where the files lie.
    """

    def __init__(
        self,
        checkpoints: Sequence[Checkpoint],
        library: Path,
        notify: Notify,
        spools: ExitStack,
        folder: Path,
    ) -> None:
        self._first = checkpoints[0]
        self._share = min(each.config.data.validation for each in checkpoints)
        self._library, self._notify = library, notify
        self._spools, self._folder = spools, folder

    def own(self) -> Material:
        """The held-out part of the corpora that the checkpoint learned from; all of them where nothing is.

        Raises:
            CorpusError: none of them can be opened, or none has a pair.
        """
        parted = self._parted()
        if not parted:
            raise self._nothing_here()
        shown = [part for part in parted if part.learned.times]
        valid = tuple((part.learned.name, part.valid) for part in shown if len(part.valid))
        train = tuple(part.train for part in parted if len(part.train))
        if valid:
            return Material(valid, train, held_out=True)
        everything = tuple((part.learned.name, part.train) for part in shown if len(part.train))
        if not everything:
            raise CorpusError(self._first.name, "its corpora hold no pair", "name a text by --on CORPUS|FILE")
        self._notify("no conversation was held out: these are pairs it learned from, so all figures flatter")
        return Material(everything, train, held_out=False)

    def other(self, named: str, reading: ReadingOptions) -> Material:
        """All pairs of another corpus or file, or what is held out of one that was learned from.

        Raises:
            CorpusError: there is none of that name, or it has no pair.
            OptionError: the options of reading concern no file.
        """
        (corpus,) = open_all([named], self._library, reading, self._notify)
        parted = self._parted()
        if not parted:
            what = f"the corpora that {self._first.name} learned from are not here"
            self._notify(f"{what}: no n-gram, no looked-up replies, and no count of copies")
        train = tuple(part.train for part in parted if len(part.train))
        same = [part for part in parted if _are_same(part.learned.corpus, corpus) and len(part.valid)]
        if same:
            self._notify(f"{corpus.name} was learned from: only what was held out of it is looked at")
            return Material(tuple((part.learned.name, part.valid) for part in same), train, held_out=True)
        pairs = self._spool()
        for pair in Cleaner().pairs(corpus.conversations(), corpus.options(self._first.config.data)):
            pairs.append(pair)
        if not len(pairs):
            raise CorpusError(corpus.name, "holds no pair", "at least one exchange of two turns is needed")
        known = self._also_learned(pairs, train)
        return Material(((corpus.name, pairs),), train, held_out=not known)

    def _parted(self) -> list[_Parted]:
        """The corpora that can be opened, parted."""
        found: list[_Parted] = []
        cleaner, data = Cleaner(), self._first.config.data
        for each in self._learned():
            train, valid = self._spool(), self._spool()
            for pair in cleaner.pairs(each.corpus.conversations(), each.corpus.options(data)):
                (valid if is_held_out(pair.conversation, self._share) else train).append(pair)
            if not len(train):  # training, too, takes all where all would be held out
                train, valid = valid, train
            found.append(_Parted(each, train, valid))
        return found

    def _learned(self) -> list[_Learned]:
        """The corpora that ``config.json`` names, those that can be opened."""
        found, missing = [], []
        for name, sha256, times in learned(self._first):
            candidates = self._candidates(name)
            same = [corpus for corpus in candidates if corpus.sha256 == sha256]
            if not candidates:
                missing.append(name)
                continue
            if not same:
                self._notify(f"{name} is not as it was when {self._first.name} learned from it")
            found.append(_Learned(name, times, (same or candidates)[0]))
        if missing and found:
            self._notify(f"{', '.join(missing)} cannot be opened and is left out")
        return found

    def _candidates(self, name: str) -> list[Corpus]:
        """What a recorded name may stand for."""
        reading = self._first.config.reading
        alone = dataclasses.replace(reading, src="", tgt="")
        opened = []
        for reference in references(self._first, name):
            with contextlib.suppress(CorpusError):
                opened.append(open_corpus(reference, self._library, self._notify, alone))
        if reading.src and not opened:
            with contextlib.suppress(CorpusError):
                opened.append(open_files([], self._notify, reading))
        return opened

    def _also_learned(self, pairs: Spool, train: Sequence[Spool]) -> int:
        """How many of some pairs are training pairs as well; it is told."""
        seen = Tally()
        for spool in train:
            for pair in spool:
                seen.add(fingerprint(pair.src[-1], pair.tgt))
        known = sum(bool(seen.count(fingerprint(pair.src[-1], pair.tgt))) for pair in pairs)
        if known:
            self._notify(f"{known:,} of these {len(pairs):,} pairs were learned from, word for word")
        return known

    def _spool(self) -> Spool:
        return self._spools.enter_context(Spool(self._folder))

    def _nothing_here(self) -> CorpusError:
        names = [name for name, _, _ in learned(self._first)]
        what = (
            f"learned from {', '.join(names)}, which cannot be opened here" if names else "names no corpora"
        )
        remedy = "name a text by --on CORPUS|FILE, or say where the corpora are by --corpora DIR"
        return CorpusError(self._first.name, what, remedy)
