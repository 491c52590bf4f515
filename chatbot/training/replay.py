"""Replay: the corpora a checkpoint was trained on join its fine-tuning, against forgetting."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from chatbot.checkpoint import Checkpoint
from chatbot.config import Config
from chatbot.corpus.library import Corpus, open_corpus
from chatbot.corpus.options import ReadingOptions
from chatbot.errors import CheckpointError, CorpusError, OptionError
from chatbot.training.request import read_run


def check_replay(config: Config, goes_on: bool) -> None:
    """Whether there is a checkpoint for ``--replay`` to take corpora from.

    Args:
        goes_on: the run starts from a checkpoint, or is a resumed one.

    Raises:
        OptionError: there is none.
    """
    if config.training.replay and not goes_on:
        what = "there is no checkpoint whose corpora could join"
        raise OptionError("--replay", what, "add --from CHECKPOINT")


def remembered_corpora(
    base: Checkpoint, named: Sequence[str], library: Path, notify: Callable[[str], None]
) -> dict[str, float]:
    """The corpora a checkpoint was trained on that can be opened, by name or path, with their times.

    Source: Robins 1995 (rehearsal: old items between the new ones keep a network from forgetting them).

    A file that was read with options of its own is not among them: those are the base's, not this run's.

    Args:
        named: those of the run itself, which are not replayed.
        notify: is told of what cannot be opened, and of what is no longer as it was.
    """
    new = {corpus.sha256 for corpus in _opened(named, library)}
    found: dict[str, float] = {}
    missing: list[str] = []
    for name, sha256, times in learned(base):
        candidates = {
            ref: each
            for ref in references(base, name)
            for each in _opened([ref], library)
            if not each.reading or base.config.reading == ReadingOptions()
        }
        same = [ref for ref, corpus in candidates.items() if corpus.sha256 == sha256]
        if sha256 in new or not times:
            continue
        if not candidates:
            missing.append(name)
            continue
        if not same:
            notify(
                f"{name} is not as it was when the checkpoint learned from it; it is replayed as it is now"
            )
        found[(same or list(candidates))[0]] = times
    if missing:
        notify(f"{', '.join(missing)} cannot be opened and will not be replayed, so it may be forgotten")
    return found


def learned(base: Checkpoint) -> Iterable[tuple[str, str, float]]:
    """Name, hash and times of each corpus in ``config.json``; what is none is left out."""
    recorded = base.record.get("corpora")
    for corpus in recorded if isinstance(recorded, list) else []:
        with contextlib.suppress(KeyError, TypeError, ValueError):
            yield str(corpus["name"]), str(corpus["sha256"]), float(corpus["times"])


def references(base: Checkpoint, name: str) -> list[str]:
    """What a corpus may be opened by: its name, and the paths of that name that the run was given.

    Of two files of one name the second is NAME (2).
    """
    given: Mapping[str, None] = {}
    with contextlib.suppress(CheckpointError):
        run = read_run(base.path)
        given = dict.fromkeys([*run.corpora, *run.replayed])
    stem = re.sub(r" \(\d+\)$", "", name)
    return list(dict.fromkeys([*(ref for ref in given if Path(ref).name == stem), stem]))


def _opened(names: Sequence[str], library: Path) -> list[Corpus]:
    """Those of the corpora that can be opened."""
    found = []
    for name in names:
        with contextlib.suppress(CorpusError):
            found.append(open_corpus(name, library, lambda notice: None))
    return found
