"""Batches: the padded tensors of pairs that go together, for training and for measuring."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from chatbot.dataset.bucketing import SRC_STEP, bucket, round_up
from chatbot.dataset.joined import PIECE, Pairs
from chatbot.dataset.windows import WholeEpoch, once_more, order_of
from chatbot.errors import OptionError

PAD, BOS, EOS = 0, 2, 3


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded ids of some pairs; the decoder is fed ``BOS a b c`` and learns ``a b c EOS``.

    Args:
        words: white-space words of all replies together, an end a reply counted.
        whole: tokens of the replies, ends counted, of the batch that this is a process' part of; 0: of none.
        idle: the process has no pair to learn from, and this is one that does not count.
        real: flat indices of the tokens of tgt_out, on a GPU, where finding them would be waiting for it.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len], real [tokens]
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor
    words: int
    whole: int = 0
    idle: bool = False
    real: Tensor | None = None

    @property
    def tokens(self) -> int:
        """Tokens of the replies, ends counted."""
        return int((self.tgt_out != PAD).sum())

    def to(self, device: torch.device) -> Batch:
        """The batch on a device, whose queue is not waited for."""
        if device.type == "cpu":
            return self
        real = (self.tgt_out.flatten() != PAD).nonzero().squeeze(1)
        src, tgt_in, tgt_out, real = (
            sent(each, device) for each in (self.src, self.tgt_in, self.tgt_out, real)
        )
        return dataclasses.replace(self, src=src, tgt_in=tgt_in, tgt_out=tgt_out, real=real)


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """A tensor on its way to a device: only from pages that stay where they are a GPU fetches by itself."""
    if device.type == "cuda":
        tensor = tensor.pin_memory(device)
    return tensor.to(device, non_blocking=True)


def collate(pairs: Pairs, rows: Sequence[int] | NDArray[np.int64]) -> Batch:
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
    words = int(pairs.words_at(np.asarray(rows, dtype=np.int64)).sum()) + len(chosen)
    return Batch(torch.from_numpy(src), torch.from_numpy(tgt_in), torch.from_numpy(tgt_out), words)


def collate_part(pairs: Pairs, rows: NDArray[np.int64], rank: int, world: int) -> Batch:
    """What one of several processes learns from a batch: every ``world``-th of its pairs.

    ``words`` are those of the whole batch. Where there are fewer pairs than processes some have none; they
    compute with the first one and count it nothing, since all take part in each step.
    """
    own = rows[rank::world]
    batch = collate(pairs, own if len(own) else rows[:1])
    whole = int(pairs.lengths_at(rows)[1].sum())
    words = int(pairs.words_at(rows).sum()) + len(rows)
    return dataclasses.replace(batch, words=words, whole=whole, idle=not len(own))


class TrainingBatches:
    """The endless stream of training batches, a pure function of the seed and the place in it.

    Args:
        pairs: all training pairs, the corpora one after the other.
        sizes: how many pairs each corpus has.
        times: how often an epoch shows each pair of a corpus.
        batch_tokens: size of a batch, see ``bucket``.
        seed: two streams of one seed are equal.
        rank, world: which of how many processes this is; each sees its part of every batch.

    Raises:
        OptionError: an epoch would show no pair at all.
    """

    def __init__(
        self,
        pairs: Pairs,
        sizes: Sequence[int],
        times: Sequence[float],
        batch_tokens: int,
        seed: int,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        if not any(
            size * int(count) + once_more(size, count) for size, count in zip(sizes, times, strict=True)
        ):
            raise OptionError("--mix", "leaves no pair to learn from", "show a corpus more often")
        self._order = order_of(pairs, tuple(sizes), tuple(times), batch_tokens, seed)
        self._whole = WholeEpoch(pairs, tuple(sizes), tuple(times), batch_tokens, seed)
        self._rank, self._world = rank, world

    def epoch(self, number: int) -> list[NDArray[np.int64]]:
        """The batches of an epoch as rows, in order, where it is shuffled as a whole."""
        return self._whole.epoch(number)

    def stream(self, epoch: int = 0, index: int = 0) -> Iterator[tuple[int, int, int, Batch]]:
        """Batches from a place on: (epoch, place in it, places in it, batch), see ``windows.Placed``."""
        while True:
            for place, places, pairs, rows in self._order.batches(epoch, index):
                if self._world == 1:
                    batch = collate(pairs, rows)
                else:
                    batch = collate_part(pairs, rows, self._rank, self._world)
                yield epoch, place, places, batch
            epoch, index = epoch + 1, 0


def evaluation_batches(pairs: Pairs, batch_tokens: int) -> Iterator[tuple[NDArray[np.int64], Batch]]:
    """Every pair once, with its row, in batches of like lengths and in a fixed order.

    Of a large set half a million pairs are put in order at a time.
    """
    for start in range(0, len(pairs), PIECE):
        rows = np.arange(start, min(start + PIECE, len(pairs)), dtype=np.int64)
        for batch in bucket(pairs, rows, batch_tokens, np.random.default_rng(0)):
            yield batch, collate(pairs, batch)
