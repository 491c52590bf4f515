"""Dialogue pairs -> EncodedPairs, in memory or in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chatbot.corpus.conversation import Pair
from chatbot.dataset.encoded import EncodedPairs, EncodedWriter
from chatbot.text.extension import extend, extended_reply
from chatbot.text.tokenizer import UNK, Tokenizer
from chatbot.text.turns import source_text, typed

_CHUNK, _CHARACTERS = 4096, 1 << 20
"""Most pairs that are encoded at a time, and about how many characters: lists of ids are far larger."""


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


class _Row(NamedTuple):
    """A pair's ids, and the words of its reply."""

    src: list[int]
    tgt: list[int]
    words: int


class PairEncoder:
    """Encodes pairs of texts, a chunk at a time on all cores.

    Args:
        max_src: of a longer question the last tokens are kept.
        max_tgt: pairs with a longer reply are left out, and counted.
        keep: is told each pair that is kept.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        max_src: int,
        max_tgt: int,
        copying: Copying = PLAIN,
        keep: Callable[[Pair], None] = lambda pair: None,
    ) -> None:
        self._tokenizer = tokenizer
        self._max_src, self._max_tgt = max_src, max_tgt
        self._copying = copying
        self._keep = keep

    @property
    def vocab(self) -> int:
        """All ids are below it."""
        return self._tokenizer.vocab + (self._max_src if self._copying.extends else 0)

    def encode(self, pairs: Iterable[Pair]) -> tuple[EncodedPairs, EncodingCounts]:
        """Encode pairs into memory."""
        counts = EncodingCounts()
        rows = [row for chunk in _chunks(pairs) for row in self._rows(chunk, counts)]
        return EncodedPairs.from_lists(*_columns(rows), self.vocab), counts

    def write(self, pairs: Iterable[Pair], folder: Path, name: str) -> EncodingCounts:
        """Encode pairs into files that ``EncodedPairs.load`` maps.

        Raises:
            OSError: the disk is full or does not let us write.
        """
        counts = EncodingCounts()
        with EncodedWriter(folder, name, self.vocab) as writer:
            for chunk in _chunks(pairs):
                writer.append(*_columns(self._rows(chunk, counts)))
        return counts

    def fits(self, pairs: Sequence[Pair]) -> list[bool]:
        """Which of some pairs are not left out."""
        return [row is not None for row in self._made(pairs, EncodingCounts())]

    def _rows(self, chunk: list[Pair], counts: EncodingCounts) -> list[_Row]:
        """The ids of those pairs that are kept."""
        rows = []
        for pair, row in zip(chunk, self._made(chunk, counts), strict=True):
            if row is not None:
                self._keep(pair)
                rows.append(row)
        return rows

    def _made(self, chunk: Sequence[Pair], counts: EncodingCounts) -> Iterator[_Row | None]:
        """The ids of each pair, None where it is left out."""
        sources = self._tokenizer.encode_batch([source_text(pair.src, pair.own) for pair in chunk], src=True)
        replies = self._tokenizer.encode_batch([typed(pair.tgt) for pair in chunk])
        for pair, whole, tgt in zip(chunk, sources, replies, strict=True):
            src = whole[-self._max_src :]
            if self._copying.extends and UNK in src:
                src, tgt = self._extended(pair)
            row = None
            if not src or not tgt:
                counts.empty += 1
            elif len(tgt) > self._max_tgt:
                counts.too_long += 1
            elif self._copying.only and not set(tgt) <= set(src):
                counts.not_in_question += 1
            else:
                counts.kept += 1
                counts.cut += len(whole) > self._max_src
                row = _Row(src, tgt, len(pair.tgt.split()))
            yield row

    def _extended(self, pair: Pair) -> tuple[list[int], list[int]]:
        """Ids of a pair whose question has words that the vocabulary lacks."""
        question = source_text(pair.src, pair.own)
        encoded = self._tokenizer.encode(question, src=True).last(self._max_src)
        read = extend(self._tokenizer, question, encoded)
        return list(read.ids), extended_reply(self._tokenizer, typed(pair.tgt), read.words)


def encode_pairs(
    pairs: Iterable[Pair], tokenizer: Tokenizer, max_src: int, max_tgt: int, copying: Copying = PLAIN
) -> tuple[EncodedPairs, EncodingCounts]:
    """Encode pairs into memory, see PairEncoder."""
    return PairEncoder(tokenizer, max_src, max_tgt, copying).encode(pairs)


def _columns(rows: list[_Row]) -> tuple[list[list[int]], list[list[int]], list[int]]:
    return [row.src for row in rows], [row.tgt for row in rows], [row.words for row in rows]


def _chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    chunk: list[Pair] = []
    held = 0
    for pair in pairs:
        chunk.append(pair)
        held += sum(map(len, pair.src)) + len(pair.tgt)
        if len(chunk) == _CHUNK or held >= _CHARACTERS:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk
