"""From corpus names to encoded training and validation pairs."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.config import Config, TextOptions
from chatbot.corpus.clean import Cleaner
from chatbot.corpus.doctor.doctor import Doctor
from chatbot.corpus.library import Corpus, is_built_in, open_corpus, open_files
from chatbot.corpus.options import ReadingOptions
from chatbot.corpus.pairs import reversed_pair
from chatbot.corpus.split import is_held_out
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import Pairs, chunks, joined
from chatbot.errors import CorpusError, OptionError, TrainingError
from chatbot.text.tokenizer import EOS, Tokenizer
from chatbot.text.turns import source_text, typed
from chatbot.training.cache import CACHE, Split, cache_key, fill_cache, new_cache, read_cache
from chatbot.training.spool import Each, Spool
from chatbot.trust.seen import Seen

DEFAULT_MIX = {"smalltalk:english": 5.0, "chatterbot:english": 3.0, "chitchat": 1.0}
"""How often an epoch shows each pair, so that a short run learns manners first."""


@dataclass(frozen=True, slots=True)
class CorpusData:
    """One corpus, encoded.

    Args:
        name, origin, sha256: of the corpus.
        times: how often an epoch shows each of its training pairs.
        train, valid: its pairs; valid is empty where no conversation was held out.
        replayed: it is one that the checkpoint of a fine-tuning was trained on.
        planted: it holds canaries: nobody said them, and nothing is measured on them.
        format: what it was read from; "" where it is built in or was written by hand.
    """

    name: str
    origin: str
    sha256: str
    times: float
    train: EncodedPairs
    valid: EncodedPairs
    replayed: bool = False
    planted: bool = False
    format: str = ""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Everything a run learns from.

    Args:
        summary: counts of what was kept, dropped and held out, for people and ``config.json``.
        key: of the cache.
        seen: the words and replies of the training pairs.
    """

    tokenizer: Tokenizer
    corpora: tuple[CorpusData, ...]
    summary: dict[str, Any]
    key: str
    seen: Seen

    def joined(self) -> Pairs:
        """The training pairs of all corpora, one after the other; nothing is copied."""
        return joined([corpus.train for corpus in self.corpora])

    def token_counts(self) -> NDArray[np.int64]:
        """How often an epoch shows each token in replies, the end of a reply included.

        Words that only a question can give are no tokens of the vocabulary, so they do not count.

        Shapes: [vocab]
        """
        counts = np.zeros(self.tokenizer.vocab)
        for corpus in self.corpora:
            found = np.zeros(len(counts), dtype=np.int64)
            for ids in chunks(corpus.train.tgt):
                found += np.bincount(ids, minlength=len(counts))[: len(counts)]
            counts += corpus.times * found
            counts[EOS] += corpus.times * len(corpus.train)
        return counts.round().astype(np.int64)

    def held_out(self) -> list[tuple[str, EncodedPairs, float]]:
        """Validation pairs by corpus with their times; training pairs where none are held out.

        A corpus that an epoch never shows is not among them.
        """
        shown = [corpus for corpus in self.corpora if corpus.times and not corpus.planted]
        found = [(corpus.name, corpus.valid, corpus.times) for corpus in shown if len(corpus.valid)]
        return found or [(corpus.name, corpus.train, corpus.times) for corpus in shown if len(corpus.train)]

    def check(self) -> None:
        """Whether the corpora are worth training on.

        Raises:
            TrainingError: one has a fault that would waste the time.
        """
        for name, what, remedy in self.summary["stops"]:
            advice = (
                f"{remedy}; or train all the same with --force" if remedy else "--force trains all the same"
            )
            raise TrainingError(name, what, advice)

    def described(self) -> list[dict[str, Any]]:
        """The corpora and their counts, for ``config.json``."""
        return [
            {
                "name": corpus.name,
                "origin": corpus.origin,
                "sha256": corpus.sha256,
                "times": corpus.times,
                "train": len(corpus.train),
                "valid": len(corpus.valid),
                "replayed": corpus.replayed,
                "format": corpus.format,
            }
            for corpus in self.corpora
            if not corpus.planted
        ]


def prepare(
    names: Sequence[str],
    corpora: Path,
    config: Config,
    notify: Callable[[str], None],
    tokenizer: Tokenizer | None = None,
    replayed: Mapping[str, float] | None = None,
) -> TrainingData:
    """Read, clean, split and encode corpora, or map what an earlier run left.

    Args:
        names: of corpora or paths of files; two parallel files that the options name are one corpus more.
        tokenizer: an existing one to encode with (fine-tuning); learned from the training split if None.
        replayed: further names, with how often each showed its pairs; they get the share of ``--replay``.

    Raises:
        CorpusError: a corpus is missing or no pair remains.
        OptionError: the mix names another corpus or leaves nothing, or options of files concern none.
        ChatbotError: the cache cannot be written.
    """
    old = replayed or {}
    own = open_all(names, corpora, config.reading, notify)
    opened = _distinct([*own, *(open_corpus(name, corpora, notify) for name in old)])
    times = mix_times([corpus.name for corpus in opened[: len(own)]], config.data.mix)
    key = cache_key(opened, config, tokenizer)
    folder = corpora / CACHE / key
    cached = read_cache(folder, len(opened), config.text)
    if cached is None:
        _build(folder, opened, config, tokenizer)
        cached = read_cache(folder, len(opened), config.text)
    if cached is None:
        raise CorpusError(str(folder), "cannot be read though it was just written", "check the disk")
    found = tuple(
        CorpusData(corpus.name, corpus.origin, corpus.sha256, count, train, valid, format=corpus.format)
        for corpus, count, (train, valid) in zip(opened, [*times, *old.values()], cached.parts, strict=True)
    )
    found = with_share(found, len(old), config.training.replay)
    data = TrainingData(cached.tokenizer, found, cached.summary, key, cached.seen)
    if not sum(round(corpus.times * len(corpus.train)) for corpus in data.corpora):
        raise OptionError("--mix", "leaves no pair to learn from", "raise the times of a corpus")
    return data


def open_all(
    names: Sequence[str], corpora: Path, reading: ReadingOptions, notify: Callable[[str], None]
) -> list[Corpus]:
    """The named corpora, each once, and the two parallel files where the options name some.

    Raises:
        CorpusError: one is missing or cannot be used.
        OptionError: an option of reading files is given and no corpus is a file.
    """
    alone = dataclasses.replace(reading, src="", tgt="")
    opened = [open_corpus(name, corpora, notify, alone) for name in dict.fromkeys(names)]
    if reading.src or reading.tgt:
        opened.append(open_files([], notify, reading))
    if not any(corpus.reading for corpus in opened):
        for option in dataclasses.fields(reading):
            if getattr(reading, option.name) != option.default:
                flag = "--" + (option.metadata["flag"] or option.name.replace("_", "-"))
                remedy = "leave it out, or add the corpus again with it"
                raise OptionError(flag, "concerns files, and none is given", remedy)
    return opened


def mix_times(names: Sequence[str], mix: str) -> list[float]:
    """How often an epoch shows each pair of the named corpora.

    Args:
        mix: "NAME=TIMES,NAME=TIMES"; a name may leave its language out; "" takes DEFAULT_MIX.

    Raises:
        OptionError: a part is no NAME=TIMES, or its corpus is not among the names.
    """
    if not mix:
        return [DEFAULT_MIX.get(name, 1.0) for name in names]
    wanted: dict[str, float] = {}
    for part in mix.split(","):
        name, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not name or not 0 <= value < 1e6:
            raise OptionError(
                "--mix", f"{part!r} is no NAME=TIMES", "write for example smalltalk=5,chitchat=1"
            )
        matching = [corpus for corpus in names if name.strip() in (corpus, corpus.partition(":")[0])]
        if not matching:
            raise OptionError(
                "--mix", f"{name.strip()!r} is not trained on", "name one of " + ", ".join(names)
            )
        wanted |= dict.fromkeys(matching, value)
    return [wanted.get(name, 1.0) for name in names]


def with_share(corpora: Sequence[CorpusData], replayed: int, share: float) -> tuple[CorpusData, ...]:
    """The corpora with such times of the last ones that they make up a share of the pairs of an epoch.

    The times of the replayed corpora stay as they were to each other.

    Args:
        replayed: how many of the corpora are, the last ones.
    """
    own, old = corpora[: len(corpora) - replayed], corpora[len(corpora) - replayed :]
    pairs, old_pairs = (sum(each.times * len(each.train) for each in part) for part in (own, old))
    factor = share / (1.0 - share) * pairs / old_pairs if old_pairs else 0.0
    shown = [dataclasses.replace(each, times=each.times * factor, replayed=True) for each in old]
    return (*own, *shown)


def _distinct(opened: Sequence[Corpus]) -> list[Corpus]:
    """The corpora with names of their own: of two files of one name the second is NAME (2)."""
    found: dict[str, Corpus] = {}
    for corpus in opened:
        numbers = itertools.count(2)
        name = corpus.name
        while name in found:
            name = f"{corpus.name} ({next(numbers)})"
        found[name] = dataclasses.replace(corpus, name=name)
    return list(found.values())


def _build(folder: Path, opened: Sequence[Corpus], config: Config, tokenizer: Tokenizer | None) -> None:
    """Fill the folder of a key; nothing is held whole in memory."""
    sha256 = [corpus.sha256 for corpus in opened]

    def usable() -> bool:
        return read_cache(folder, len(opened), config.text) is not None

    with new_cache(folder, sha256, usable) as building, ExitStack() as spools:
        splits, cleaning, stops = _split_pairs(opened, config, lambda: spools.enter_context(Spool(building)))
        facts = {
            "stops": stops,
            "sha256": sha256,
            "context": max(corpus.options(config.data).context for corpus in opened),
            "cleaning": cleaning,
        }
        fill_cache(building, splits, tokenizer or _learn_tokenizer(splits, config.text), config, facts)


def _split_pairs(
    opened: Sequence[Corpus], config: Config, spool: Callable[[], Spool]
) -> tuple[dict[str, Split], dict[str, int], list[list[str]]]:
    """Clean pairs of each corpus, what was left out, and reasons not to train on a corpus.

    Args:
        spool: gives a new one.
    """
    cleaner = Cleaner()
    splits: dict[str, Split] = {}
    stops: list[list[str]] = []
    for corpus in opened:
        train, valid, doctor = spool(), spool(), Doctor(config.text.max_tgt)
        examined = not is_built_in(corpus.name)
        for pair in cleaner.pairs(corpus.conversations(), corpus.options(config.data)):
            held_out = is_held_out(pair.conversation, config.data.validation)
            (valid if held_out else train).append(reversed_pair(pair) if config.training.reverse else pair)
            if examined:
                doctor.pair(pair, held_out)
        splits[corpus.name] = (train, valid) if len(train) else (valid, train)
        stops += [[corpus.name, each.what, each.remedy] for each in doctor.stops(cleaner.cleaning)]
    if not any(len(train) for train, _ in splits.values()):
        what = "0 pairs: nobody answers anybody"
        raise CorpusError(", ".join(splits), what, "at least one exchange of two turns is needed")
    return splits, dataclasses.asdict(cleaner.cleaning), stops


def _learn_tokenizer(splits: Mapping[str, Split], text: TextOptions) -> Tokenizer:
    trained_on = [train for train, _ in splits.values()]
    texts = Each(trained_on, lambda pair: (source_text(pair.src, pair.own), typed(pair.tgt)))
    return Tokenizer.train(text.tokenizer, texts, text.vocabulary, text.case)
