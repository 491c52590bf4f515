"""Dialogue pairs -> EncodedPairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from chatbot.corpus.conversation import Pair
from chatbot.dataset.encoded import EncodedPairs
from chatbot.text.tokenizer import Tokenizer

_CHUNK = 4096


@dataclass(slots=True)
class EncodingCounts:
    """What encoding left out or cut, to be told.

    Args:
        kept: pairs encoded.
        too_long: pairs left out since the reply has more tokens than asked for.
        empty: pairs left out since a side has no token.
        cut: kept pairs of whose question only the end fits.
    """

    kept: int = 0
    too_long: int = 0
    empty: int = 0
    cut: int = 0


@dataclass(slots=True)
class _Columns:
    src: list[list[int]] = field(default_factory=list)
    tgt: list[list[int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)


def encode_pairs(
    pairs: Iterable[Pair], tokenizer: Tokenizer, max_src: int, max_tgt: int
) -> tuple[EncodedPairs, EncodingCounts]:
    """Encode pairs, a chunk at a time on all cores.

    Args:
        max_src: of a longer question the last tokens are kept.
        max_tgt: pairs with a longer reply are left out, and counted.
    """
    columns, counts = _Columns(), EncodingCounts()
    for chunk in _chunks(pairs):
        sources = tokenizer.encode_batch([source_text(pair.src) for pair in chunk], src=True)
        replies = tokenizer.encode_batch([pair.tgt for pair in chunk])
        for pair, src, tgt in zip(chunk, sources, replies, strict=True):
            if not src or not tgt:
                counts.empty += 1
            elif len(tgt) > max_tgt:
                counts.too_long += 1
            else:
                counts.cut += len(src) > max_src
                columns.src.append(src[-max_src:])
                columns.tgt.append(tgt)
                columns.words.append(len(pair.tgt.split()))
    counts.kept = len(columns.words)
    return EncodedPairs.from_lists(columns.src, columns.tgt, columns.words, tokenizer.vocab), counts


def source_text(turns: Iterable[str]) -> str:
    """The turns before a reply as one question, oldest first."""
    return "\n".join(turns)


def _chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    iterator = iter(pairs)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
