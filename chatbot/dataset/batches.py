"""Length-bucketed batches: which pairs go together, and the padded tensors of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from chatbot.dataset.encoded import EncodedPairs
from chatbot.errors import OptionError

PAD, BOS, EOS = 0, 2, 3


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded ids of some pairs; the decoder is fed ``BOS a b c`` and learns ``a b c EOS``.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len]; words: white-space words of all
    replies together, an end a reply counted.
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor
    words: int

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        src, tgt_in, tgt_out = (
            t.to(device, non_blocking=True) for t in (self.src, self.tgt_in, self.tgt_out)
        )
        return Batch(src, tgt_in, tgt_out, self.words)


SRC_STEP = 4
"""Questions are padded to a multiple of this, so that fewer shapes occur."""

ROWS_STEP = 8
"""Batches have a multiple of this many pairs, where they hold so many."""


def round_up(number: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-number // step) * step


def collate(pairs: EncodedPairs, rows: Sequence[int] | NDArray[np.int64]) -> Batch:
    """Pad some pairs to their longest question and reply."""
    chosen = [pairs.pair(int(row)) for row in rows]
    src_len = round_up(max(len(src) for src, _ in chosen), SRC_STEP)
    tgt_len = max(len(tgt) for _, tgt in chosen) + 1
    src = np.full((len(chosen), src_len), PAD, dtype=np.int64)
    tgt_in = np.full((len(chosen), tgt_len), PAD, dtype=np.int64)
    tgt_out = np.full((len(chosen), tgt_len), PAD, dtype=np.int64)
    for row, (question, reply) in enumerate(chosen):
        src[row, : len(question)] = question
        tgt_in[row, 0] = BOS
        tgt_in[row, 1 : len(reply) + 1] = reply
        tgt_out[row, : len(reply)] = reply
        tgt_out[row, len(reply)] = EOS
    words = int(sum(int(pairs.words[int(row)]) + 1 for row in rows))
    return Batch(torch.from_numpy(src), torch.from_numpy(tgt_in), torch.from_numpy(tgt_out), words)


def bucket(
    pairs: EncodedPairs, rows: NDArray[np.int64], batch_tokens: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Group rows of like lengths.

    Rows are put in random order, then sorted by reply length and roughly by question length; a batch
    takes rows while its pairs times its longest question and reply together stay within
    ``batch_tokens``. Batches come back in random order, each row in exactly one.

    Sizes are rounded (ROWS_STEP, SRC_STEP): the processor's kernels are built and kept for each shape
    that occurs, and a thousand shapes cost two gigabytes and a fifth of the speed.
    """
    rows = rng.permutation(rows)
    src, tgt = pairs.src_lengths[rows], pairs.tgt_lengths[rows]
    rows = rows[np.lexsort((src, tgt))]
    src, tgt = -(-pairs.src_lengths[rows] // SRC_STEP) * SRC_STEP, pairs.tgt_lengths[rows]
    batches, start = [], 0
    while start < len(rows):
        end = start + _fitting(src[start:], tgt[start:], batch_tokens)
        batches.append(rows[start:end])
        start = end
    return [batches[i] for i in rng.permutation(len(batches))]


def _fitting(src: NDArray[np.int64], tgt: NDArray[np.int64], batch_tokens: int) -> int:
    """How many of the first rows make a batch: at least one."""
    most = max(1, batch_tokens // int(tgt[0] + 1))
    widest = np.maximum.accumulate(src[:most]) + np.maximum.accumulate(tgt[:most])
    fitting = int((widest * np.arange(1, len(widest) + 1) <= batch_tokens).sum())
    return max(1, fitting - fitting % ROWS_STEP if fitting >= ROWS_STEP else fitting)


def epoch_rows(sizes: Sequence[int], times: Sequence[float], rng: np.random.Generator) -> NDArray[np.int64]:
    """The rows of one epoch over several corpora laid end to end.

    A corpus with ``times`` 2.5 shows every pair twice and a random half of them once more.
    """
    chosen, start = [], 0
    for size, count in zip(sizes, times, strict=True):
        rows = np.arange(start, start + size, dtype=np.int64)
        chosen += [rows] * int(count)
        rest = _once_more(size, count)
        if rest:
            chosen.append(np.sort(rng.choice(rows, rest, replace=False)))
        start += size
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)


def _once_more(size: int, times: float) -> int:
    """How many pairs of a corpus an epoch shows once more than the others."""
    return round((times - int(times)) * size)


class TrainingBatches:
    """The endless stream of training batches, a pure function of the seed and the place in it.

    Args:
        pairs: all training pairs, the corpora one after the other.
        sizes: how many pairs each corpus has.
        times: how often an epoch shows each pair of a corpus.
        batch_tokens: size of a batch, see ``bucket``.
        seed: two streams of one seed are equal.

    Raises:
        OptionError: an epoch would show no pair at all.
    """

    def __init__(
        self, pairs: EncodedPairs, sizes: Sequence[int], times: Sequence[float], batch_tokens: int, seed: int
    ) -> None:
        self.pairs = pairs
        self.sizes = tuple(sizes)
        self.times = tuple(times)
        self.batch_tokens = batch_tokens
        self.seed = seed
        if not any(
            size * int(count) + _once_more(size, count) for size, count in zip(sizes, times, strict=True)
        ):
            raise OptionError("--mix", "leaves no pair to learn from", "show a corpus more often")

    def epoch(self, number: int) -> list[NDArray[np.int64]]:
        """The batches of an epoch as rows, in order."""
        rng = np.random.default_rng([self.seed, number])
        rows = epoch_rows(self.sizes, self.times, rng)
        return bucket(self.pairs, rows, self.batch_tokens, rng)

    def stream(self, epoch: int = 0, index: int = 0) -> Iterator[tuple[int, int, int, Batch]]:
        """Batches from a place on: (epoch, index in it, batches in it, batch)."""
        while True:
            batches = self.epoch(epoch)
            for place in range(index, len(batches)):
                yield epoch, place, len(batches), collate(self.pairs, batches[place])
            epoch, index = epoch + 1, 0


def evaluation_batches(pairs: EncodedPairs, batch_tokens: int) -> Iterator[tuple[NDArray[np.int64], Batch]]:
    """Every pair once, with its row, in batches of like lengths and in a fixed order."""
    rows = np.arange(len(pairs), dtype=np.int64)
    for batch in bucket(pairs, rows, batch_tokens, np.random.default_rng(0)):
        yield batch, collate(pairs, batch)
