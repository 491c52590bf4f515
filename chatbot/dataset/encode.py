"""Dialogue pairs -> EncodedPairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from chatbot.corpus.conversation import Pair
from chatbot.dataset.encoded import EncodedPairs
from chatbot.text.extension import extend, extended_reply
from chatbot.text.tokenizer import UNK, Tokenizer

_CHUNK = 4096


@dataclass(slots=True)
class EncodingCounts:
    """What encoding left out or cut, to be told.

    Args:
        kept: pairs encoded.
        too_long: pairs left out since the reply has more tokens than asked for.
        empty: pairs left out since a side has no token.
        not_in_question: pairs left out since the reply has a token that the question lacks.
        cut: kept pairs of whose question only the end fits.
    """

    kept: int = 0
    too_long: int = 0
    empty: int = 0
    not_in_question: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Copying:
    """What replies take from their questions.

    Args:
        extends: words of the question that the vocabulary lacks have ids of their own, see
            ``chatbot.text.extension``; else they are <unk>.
        only: replies hold nothing else; pairs of which that is not true are left out.
    """

    extends: bool = False
    only: bool = False


PLAIN = Copying()
"""Nothing in particular."""


@dataclass(slots=True)
class _Columns:
    src: list[list[int]] = field(default_factory=list)
    tgt: list[list[int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    ids: int = 0


def encode_pairs(
    pairs: Iterable[Pair], tokenizer: Tokenizer, max_src: int, max_tgt: int, copying: Copying = PLAIN
) -> tuple[EncodedPairs, EncodingCounts]:
    """Encode pairs, a chunk at a time on all cores.

    Args:
        max_src: of a longer question the last tokens are kept.
        max_tgt: pairs with a longer reply are left out, and counted.
    """
    columns, counts = _Columns(ids=tokenizer.vocab), EncodingCounts()
    for chunk in _chunks(pairs):
        sources = tokenizer.encode_batch([source_text(pair.src) for pair in chunk], src=True)
        replies = tokenizer.encode_batch([pair.tgt for pair in chunk])
        for pair, whole, tgt in zip(chunk, sources, replies, strict=True):
            src = whole[-max_src:]
            if copying.extends and UNK in src:
                src, tgt = _extended(pair, tokenizer, max_src)
            if not src or not tgt:
                counts.empty += 1
            elif len(tgt) > max_tgt:
                counts.too_long += 1
            elif copying.only and not set(tgt) <= set(src):
                counts.not_in_question += 1
            else:
                counts.cut += len(whole) > max_src
                columns.src.append(src)
                columns.tgt.append(tgt)
                columns.words.append(len(pair.tgt.split()))
                columns.ids = max(columns.ids, max(src) + 1)
    counts.kept = len(columns.words)
    return EncodedPairs.from_lists(columns.src, columns.tgt, columns.words, columns.ids), counts


def _extended(pair: Pair, tokenizer: Tokenizer, max_src: int) -> tuple[list[int], list[int]]:
    """Ids of a pair whose question has words that the vocabulary lacks."""
    question = source_text(pair.src)
    read = extend(tokenizer, question, tokenizer.encode(question, src=True).last(max_src))
    return list(read.ids), extended_reply(tokenizer, pair.tgt, read.words)


def source_text(turns: Iterable[str]) -> str:
    """The turns before a reply as one question, oldest first."""
    return "\n".join(turns)


def _chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    iterator = iter(pairs)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
