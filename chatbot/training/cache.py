"""The cache of encoded pairs under ``corpora/.cache/KEY``.

KEY is a hash of the corpora's own hashes, the data and text options, the tokenizer when one is given and
the output where it copies, so other inputs or options never meet old ids. What lies there is private,
written once and whole, and made anew when it cannot be read.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.build import copying
from chatbot.config import POINTER, Config, TextOptions
from chatbot.corpus.conversation import Pair
from chatbot.corpus.library import Corpus
from chatbot.corpus.statistics import reply_statistics
from chatbot.dataset.encode import PLAIN, encode_pairs
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import CheckpointError, CorpusError
from chatbot.files import private_folder, write_error
from chatbot.text.tokenizer import Tokenizer

CACHE = ".cache"
TOKENIZER, SUMMARY = "tokenizer.json", "summary.json"
PARTS = ("train", "valid")

LAYOUT = 1
"""Part of the key: raise it when what is stored under a key changes."""

Split = tuple[list[Pair], list[Pair]]
"""A corpus' pairs for training and for validation."""


@dataclass(frozen=True, slots=True)
class Cached:
    """What lies under a key.

    Args:
        summary: counts of what was kept and left out.
        parts: of each corpus the encoded pairs for training and for validation, memory-mapped.
    """

    tokenizer: Tokenizer
    summary: dict[str, Any]
    parts: tuple[tuple[EncodedPairs, EncodedPairs], ...]


def cache_key(opened: Sequence[Corpus], config: Config, tokenizer: Tokenizer | None) -> str:
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
    if copying(config.model) != PLAIN:
        parts["output"] = config.model.output
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def read_cache(folder: Path, corpora: int, text: TextOptions) -> Cached | None:
    """What lies in the folder of a key; None where nothing does, or something that cannot be read.

    Args:
        corpora: how many there are.
    """
    try:
        model = (folder / TOKENIZER).read_text(encoding="utf-8")
        tokenizer = Tokenizer.from_json(model, text.tokenizer, text.case)
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        parts = tuple(
            (EncodedPairs.load(folder, f"train-{number}"), EncodedPairs.load(folder, f"valid-{number}"))
            for number in range(corpora)
        )
    except (OSError, ValueError, EOFError, CheckpointError):
        return None
    return Cached(tokenizer, summary, parts)


def write_cache(
    folder: Path,
    splits: Mapping[str, Split],
    tokenizer: Tokenizer,
    config: Config,
    cleaning: Mapping[str, int],
) -> None:
    """Encode pairs into the folder of a key; it appears when all is there.

    Args:
        splits: by corpus, in the order of the corpora.
        cleaning: counts of what was left out before, for the summary.

    Raises:
        CorpusError: no reply can be learned.
        ChatbotError: the folder cannot be written.
    """
    private_folder(folder.parent)
    try:
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        _fill(building, splits, tokenizer, config, cleaning)
        shutil.rmtree(folder, ignore_errors=True)
        building.rename(folder)
    except OSError as error:  # numpy gives a short write no number
        raise write_error(folder, error if error.errno else OSError(errno.ENOSPC, str(error))) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _fill(
    folder: Path,
    splits: Mapping[str, Split],
    tokenizer: Tokenizer,
    config: Config,
    cleaning: Mapping[str, int],
) -> None:
    text, counted = config.text, {name: dict[str, Any]() for name in splits}
    for number, (name, split) in enumerate(splits.items()):
        for part, pairs in zip(PARTS, split, strict=True):
            encoded, counts = encode_pairs(
                pairs, tokenizer, text.max_src, text.max_tgt, copying(config.model)
            )
            encoded.save(folder, f"{part}-{number}")
            counted[name][part] = dataclasses.asdict(counts)
    if not sum(record["train"]["kept"] for record in counted.values()):
        raise _nothing_kept(", ".join(splits), text.max_tgt, [each["train"] for each in counted.values()])
    summary = {"cleaning": cleaning, "corpora": counted, "replies": _variety(splits)}
    (folder / TOKENIZER).write_text(tokenizer.to_json(), encoding="utf-8")
    (folder / SUMMARY).write_text(json.dumps(summary, ensure_ascii=False), encoding="utf-8")


def _nothing_kept(names: str, max_tgt: int, counts: Sequence[Mapping[str, int]]) -> CorpusError:
    if not any(each["not_in_question"] for each in counts):
        return CorpusError(names, f"0 pairs: every reply is longer than {max_tgt} tokens", "raise --max-tgt")
    what = f"0 pairs: every reply has a word that its question lacks, or more than {max_tgt} tokens"
    return CorpusError(names, what, f"a {POINTER} says nothing else: choose another --output")


def _variety(splits: Mapping[str, Split]) -> dict[str, Any]:
    replies = reply_statistics(pair.tgt for train, _ in splits.values() for pair in train)
    return {
        "distinct1": round(replies.distinct1, 4),
        "distinct2": round(replies.distinct2, 4),
        "commonest": [[share.name, round(share.share, 5)] for share in replies.commonest[:5]],
    }
