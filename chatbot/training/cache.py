"""The cache of encoded pairs under ``corpora/.cache/KEY``.

KEY is a hash of the corpora's own hashes and how each is read, the data and text options, the tokenizer when
one is given and the output where it copies, so other inputs or options never meet old ids. What lies there
is private, written once and whole, and made anew when it cannot be read. Its summary names the hashes of the
corpora, so that what was made of one can be found.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.config import COPYING, POINTER, Config, ModelOptions, TextOptions
from chatbot.corpus.library import Corpus
from chatbot.dataset.encode import PLAIN, Copying, PairEncoder
from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import ChatbotError, CheckpointError, CorpusError
from chatbot.files import private_folder, write_error
from chatbot.text.tokenizer import Tokenizer
from chatbot.training.spool import Each, Spool
from chatbot.training.variety import reply_variety
from chatbot.trust.seen import Seen, Sightings

CACHE = ".cache"
TOKENIZER, SUMMARY, SEEN = "tokenizer.json", "summary.json", "seen.safetensors"
PARTS = ("train", "valid")

LAYOUT = 3
"""Part of the key: raise it when what is stored under a key changes."""

ATTEMPTS = 3
"""How often a folder tries to take its place, where others write it too and what is there is damaged."""

Split = tuple[Spool, Spool]
"""A corpus' pairs for training and for validation."""


@dataclass(frozen=True, slots=True)
class Cached:
    """What lies under a key.

    Args:
        summary: counts of what was kept and left out.
        parts: of each corpus the encoded pairs for training and for validation, memory-mapped.
        seen: the words and replies of all that is trained on.
    """

    tokenizer: Tokenizer
    summary: dict[str, Any]
    parts: tuple[tuple[EncodedPairs, EncodedPairs], ...]
    seen: Seen


def cache_key(opened: Sequence[Corpus], config: Config, tokenizer: Tokenizer | None) -> str:
    """A hash of all that decides what is in the cache."""
    data = dataclasses.asdict(config.data)
    del data["mix"]
    parts = {
        "layout": LAYOUT,
        "corpora": [_identity(corpus) for corpus in opened],
        "data": data,
        "text": dataclasses.asdict(config.text),
        "tokenizer": tokenizer.to_json() if tokenizer else None,
    }
    if copying(config.model) != PLAIN:
        parts["output"] = config.model.output
    if config.training.reverse:
        parts["reverse"] = True
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
        seen = Seen.from_bytes((folder / SEEN).read_bytes(), str(folder / SEEN))
        parts = tuple(
            (EncodedPairs.load(folder, f"train-{number}"), EncodedPairs.load(folder, f"valid-{number}"))
            for number in range(corpora)
        )
    except (OSError, ValueError, EOFError, CheckpointError):
        return None
    return Cached(tokenizer, summary, parts, seen)


@contextlib.contextmanager
def new_cache(folder: Path, sha256: Sequence[str], usable: Callable[[], bool]) -> Iterator[Path]:
    """A folder to be filled that becomes the folder of a key when the block ends.

    Another run may write the same key at the same time: who comes later leaves what is there.

    Args:
        sha256: of the corpora; they are written at once, so that the leftover of a killed process can be
            found as well.
        usable: whether what lies in ``folder`` can be read.

    Raises:
        ChatbotError: the folder cannot be written.
    """
    private_folder(folder.parent)
    try:
        building = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        _write_summary(building, {"sha256": list(sha256)})
        yield building
        _take_place(building, folder, usable)
    except OSError as error:  # numpy gives a short write no number
        raise write_error(folder, error if error.errno else OSError(errno.ENOSPC, str(error))) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _take_place(building: Path, folder: Path, usable: Callable[[], bool]) -> None:
    for attempt in range(ATTEMPTS):
        try:
            building.rename(folder)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt == ATTEMPTS - 1:
                raise
        if usable():
            return
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        with contextlib.suppress(FileNotFoundError):
            folder.rename(aside / folder.name)
        shutil.rmtree(aside, ignore_errors=True)


def fill_cache(
    folder: Path, splits: Mapping[str, Split], tokenizer: Tokenizer, config: Config, facts: Mapping[str, Any]
) -> None:
    """Encode pairs into a folder.

    Args:
        splits: by corpus, in the order of the corpora.
        facts: for the summary, beside what is counted here.

    Raises:
        CorpusError: no reply can be learned.
        OSError: the disk is full or does not let us write.
    """
    text, counted = config.text, {name: dict[str, Any]() for name in splits}
    sightings = Sightings()

    def encoder(part: str) -> PairEncoder:
        meet = (lambda pair: sightings.add(pair.src, pair.tgt)) if part == PARTS[0] else (lambda pair: None)
        return PairEncoder(tokenizer, text.max_src, text.max_tgt, copying(config.model), meet)

    for number, (name, split) in enumerate(splits.items()):
        for part, pairs in zip(PARTS, split, strict=True):
            counts = encoder(part).write(pairs, folder, f"{part}-{number}")
            counted[name][part] = dataclasses.asdict(counts)
    if not sum(record["train"]["kept"] for record in counted.values()):
        raise _nothing_kept(", ".join(splits), text.max_tgt, [each["train"] for each in counted.values()])
    (folder / SEEN).write_bytes(sightings.seen().to_bytes())
    (folder / TOKENIZER).write_text(tokenizer.to_json(), encoding="utf-8")
    _write_summary(folder, {**facts, "corpora": counted, "replies": _variety(splits)})


def remove_caches(corpora: Path, hashes: Collection[str]) -> int:
    """Delete what was made of corpora of some hashes, the leftovers of killed processes among them.

    What does not say of what it was made is deleted as well: it is only a cache.

    Args:
        corpora: the folder of corpora.

    Returns:
        How many were deleted.

    Raises:
        ChatbotError: one cannot be deleted.
    """
    cache, removed = corpora / CACHE, 0
    for folder in sorted(cache.iterdir()) if cache.is_dir() else []:
        made_of = _made_of(folder)
        if made_of is None or made_of & set(hashes):
            try:
                shutil.rmtree(folder)
            except OSError as error:
                what = f"cannot be deleted ({error.strerror or error})"
                raise ChatbotError(str(folder), what, "delete it by hand") from None
            removed += 1
    return removed


def _made_of(folder: Path) -> set[str] | None:
    """The hashes of the corpora that a cache was made of; None where it does not say."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        return set(map(str, summary["sha256"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def copying(options: ModelOptions) -> Copying:
    """What the replies that a network can learn take from their questions."""
    return Copying(extends=options.output in COPYING, only=options.output == POINTER)


def _identity(corpus: Corpus) -> list[Any]:
    """What decides which pairs come from a corpus."""
    reading = dataclasses.asdict(corpus.reading) if corpus.reading else None
    return [corpus.name, corpus.sha256, dict(corpus.chosen), reading]


def _write_summary(folder: Path, summary: Mapping[str, Any]) -> None:
    (folder / SUMMARY).write_text(json.dumps(summary, ensure_ascii=False), encoding="utf-8")


def _nothing_kept(names: str, max_tgt: int, counts: Sequence[Mapping[str, int]]) -> CorpusError:
    if not any(each["not_in_question"] for each in counts):
        return CorpusError(names, f"0 pairs: every reply is longer than {max_tgt} tokens", "raise --max-tgt")
    what = f"0 pairs: every reply has a word that its question lacks, or more than {max_tgt} tokens"
    return CorpusError(names, what, f"a {POINTER} says nothing else: choose another --output")


def _variety(splits: Mapping[str, Split]) -> dict[str, Any]:
    replies = reply_variety(Each([train for train, _ in splits.values()], lambda pair: pair.tgt))
    return {
        "distinct1": round(replies.distinct1, 4),
        "distinct2": round(replies.distinct2, 4),
        "commonest": [[share.name, round(share.share, 5)] for share in replies.commonest[:5]],
    }
