"""From corpus names to encoded training and validation pairs, cached on disk.

The cache lies under ``corpora/.cache/KEY``; KEY is a hash of the corpora's own hashes, the data and
text options and the tokenizer when one is given, so other inputs or options never meet old ids.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chatbot.config import Config, DataOptions, TextOptions
from chatbot.corpus.clean import Cleaner
from chatbot.corpus.conversation import Pair
from chatbot.corpus.library import Corpus, open_corpus
from chatbot.corpus.split import is_held_out
from chatbot.corpus.statistics import reply_statistics
from chatbot.dataset.encode import encode_pairs, source_text
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import CorpusError, OptionError
from chatbot.files import private_folder
from chatbot.text.tokenizer import Tokenizer

CACHE = ".cache"
LAYOUT = 1
"""Part of the key: raise it when what is stored under a key changes."""

DEFAULT_MIX = {"smalltalk:english": 5.0, "chatterbot:english": 3.0, "chitchat": 1.0}
"""How often an epoch shows each pair, so that a short run learns manners first."""


@dataclass(frozen=True, slots=True)
class CorpusData:
    """One corpus, encoded.

    Args:
        name, origin, sha256: of the corpus.
        times: how often an epoch shows each of its training pairs.
        train, valid: its pairs; valid is empty where no conversation was held out.
    """

    name: str
    origin: str
    sha256: str
    times: float
    train: EncodedPairs
    valid: EncodedPairs


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Everything a run learns from.

    Args:
        summary: counts of what was kept, dropped and held out, for people and ``config.json``.
        key: of the cache.
    """

    tokenizer: Tokenizer
    corpora: tuple[CorpusData, ...]
    summary: dict[str, Any]
    key: str

    def joined(self) -> EncodedPairs:
        """The training pairs of all corpora, one after the other."""
        return concatenate([corpus.train for corpus in self.corpora])

    def held_out(self) -> list[tuple[str, EncodedPairs, float]]:
        """Validation pairs by corpus with their weight in the mix; training pairs where nothing is held out."""
        found = [(c.name, c.valid, c.times) for c in self.corpora if len(c.valid)]
        return found or [(c.name, c.train, c.times) for c in self.corpora if len(c.train)]


def prepare(
    names: Sequence[str],
    corpora: Path,
    config: Config,
    notify: Callable[[str], None],
    tokenizer: Tokenizer | None = None,
) -> TrainingData:
    """Read, clean, split and encode corpora, or map what an earlier run left.

    Args:
        names: of corpora or paths of files.
        tokenizer: an existing one to encode with (fine-tuning); learned from the training split if None.

    Raises:
        CorpusError: a corpus is missing or no pair remains.
    """
    opened = [open_corpus(name, corpora, notify) for name in names]
    times = mix_times([corpus.name for corpus in opened], config.data.mix)
    key = _key(opened, config, tokenizer)
    cache = corpora / CACHE / key
    if not (cache / "summary.json").is_file():
        pairs, cleaning = _split_pairs(opened, config.data)
        tokenizer = tokenizer or _learn_tokenizer(pairs, config.text)
        _write_cache(cache, opened, pairs, tokenizer, config.text, cleaning)
    return _read_cache(cache, opened, times, config.text)


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


def concatenate(parts: Sequence[EncodedPairs]) -> EncodedPairs:
    """Several sets of pairs as one."""
    if len(parts) == 1:
        return parts[0]

    def starts(side: str) -> Any:
        ends = np.cumsum([0] + [getattr(part, side)[-1] for part in parts])
        moved = [getattr(part, side)[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return np.concatenate([*moved, ends[-1:]])

    return EncodedPairs(
        np.concatenate([part.src for part in parts]),
        starts("src_starts"),
        np.concatenate([part.tgt for part in parts]),
        starts("tgt_starts"),
        np.concatenate([part.words for part in parts]),
    )


def take(pairs: EncodedPairs, most: int) -> EncodedPairs:
    """At most so many pairs, spread evenly over all."""
    if len(pairs) <= most:
        return pairs
    rows = np.linspace(0, len(pairs) - 1, most).astype(np.int64)
    chosen = [pairs.pair(int(row)) for row in rows]
    lists = [src.tolist() for src, _ in chosen], [tgt.tolist() for _, tgt in chosen]
    vocab = 1 << 16 if pairs.src.dtype == np.uint16 else 1 << 17
    return EncodedPairs.from_lists(*lists, pairs.words[rows].tolist(), vocab)


Split = tuple[list[Pair], list[Pair]]


def _split_pairs(opened: Sequence[Corpus], options: DataOptions) -> tuple[list[Split], dict[str, Any]]:
    """Clean pairs of each corpus as (training, validation), and what was left out."""
    cleaner = Cleaner(context=1, reply_cap=options.reply_cap)
    splits: list[Split] = []
    for corpus in opened:
        train: list[Pair] = []
        valid: list[Pair] = []
        for pair in cleaner.pairs(corpus.conversations()):
            (valid if is_held_out(pair.conversation, options.validation) else train).append(pair)
        splits.append((train or valid, valid if train else []))
    if not any(train for train, _ in splits):
        names = ", ".join(corpus.name for corpus in opened)
        raise CorpusError(
            names, "0 pairs: nobody answers anybody", "at least one exchange of two turns is needed"
        )
    return splits, dataclasses.asdict(cleaner.cleaning)


def _learn_tokenizer(pairs: Sequence[Split], text: TextOptions) -> Tokenizer:
    texts = ((source_text(pair.src), pair.tgt) for train, _ in pairs for pair in train)
    return Tokenizer.train(text.tokenizer, texts, text.vocabulary, text.case)


def _write_cache(
    cache: Path,
    opened: Sequence[Corpus],
    pairs: Sequence[Split],
    tokenizer: Tokenizer,
    text: TextOptions,
    cleaning: dict[str, Any],
) -> None:
    private_folder(cache.parent)
    building = Path(tempfile.mkdtemp(prefix=f".{cache.name}.", dir=cache.parent))
    try:
        summary: dict[str, Any] = {"cleaning": cleaning, "corpora": {}}
        for number, (corpus, split) in enumerate(zip(opened, pairs, strict=True)):
            record: dict[str, Any] = {}
            for part, chosen in zip(("train", "valid"), split, strict=True):
                encoded, counts = encode_pairs(chosen, tokenizer, text.max_src, text.max_tgt)
                encoded.save(building, f"{part}-{number}")
                record[part] = dataclasses.asdict(counts)
            summary["corpora"][corpus.name] = record
        replies = reply_statistics(pair.tgt for train, _ in pairs for pair in train)
        summary["replies"] = {
            "distinct1": round(replies.distinct1, 4),
            "distinct2": round(replies.distinct2, 4),
            "commonest": [[share.name, round(share.share, 5)] for share in replies.commonest[:5]],
        }
        (building / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
        (building / "summary.json").write_text(json.dumps(summary, ensure_ascii=False), encoding="utf-8")
        if not sum(part["train"]["kept"] for part in summary["corpora"].values()):
            raise CorpusError(
                ", ".join(corpus.name for corpus in opened),
                f"0 pairs: every reply is longer than {text.max_tgt} tokens",
                "raise --max-tgt",
            )
        shutil.rmtree(cache, ignore_errors=True)
        building.rename(cache)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _read_cache(
    cache: Path, opened: Sequence[Corpus], times: Sequence[float], text: TextOptions
) -> TrainingData:
    model = (cache / "tokenizer.json").read_text(encoding="utf-8")
    corpora = tuple(
        CorpusData(
            corpus.name,
            corpus.origin,
            corpus.sha256,
            count,
            EncodedPairs.load(cache, f"train-{number}"),
            EncodedPairs.load(cache, f"valid-{number}"),
        )
        for number, (corpus, count) in enumerate(zip(opened, times, strict=True))
    )
    summary = json.loads((cache / "summary.json").read_text(encoding="utf-8"))
    tokenizer = Tokenizer.from_json(model, text.tokenizer, text.case)
    return TrainingData(tokenizer, corpora, summary, cache.name)


def _key(opened: Sequence[Corpus], config: Config, tokenizer: Tokenizer | None) -> str:
    """A hash of all that decides what is in the cache."""
    data = dataclasses.asdict(config.data)
    del data["mix"]
    parts = {
        "layout": LAYOUT,
        "corpora": [[corpus.name, corpus.sha256] for corpus in opened],
        "data": data,
        "text": dataclasses.asdict(config.text),
        "tokenizer": tokenizer.to_json() if tokenizer else None,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]
