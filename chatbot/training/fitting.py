"""Fitting: batches as large as the memory of a GPU allows, and smaller parts where it was too little."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import torch

from chatbot.dataset.batches import BOS, EOS, Batch
from chatbot.nn.seq2seq import UNK, Seq2Seq
from chatbot.training.gradients import Gradients, Learned

LEAST = 1024
"""Tokens of a batch on CPU, where larger ones are no faster, and the first size that is tried on a GPU."""

MOST = 1 << 16
"""Tokens of a batch that are not gone beyond: thousands of pairs for each update make too few updates."""


def largest(trial: Callable[[int], object]) -> int:
    """The largest size that fits: doubled from LEAST until memory is too small, then halved again.

    Args:
        trial: computes with a size. The least is not tried: where it does not fit, training will tell.

    Source: doubling and halving is the search of PyTorch Lightning's batch size finder.
    """
    size = LEAST
    while size < MOST and _fits(trial, 2 * size):
        size *= 2
    return size


def _fits(trial: Callable[[int], object], size: int) -> bool:
    try:
        trial(size)
    except torch.OutOfMemoryError:
        return False
    finally:
        torch.cuda.empty_cache()  # nothing happens where there is no GPU
    return True


def batch_trial(
    network: Seq2Seq, gradients: Gradients, max_src: int, max_tgt: int, device: torch.device
) -> Callable[[int], object]:
    """A trial for ``largest``: the gradient of a batch of the longest questions and replies there may be.

    The network and the random state are as they were afterwards.
    """

    def trial(size: int) -> None:
        rows = max(1, size // (max_src + max_tgt + 1))
        src = torch.full((rows, max_src), UNK)
        tgt_in, tgt_out = torch.full((2, rows, max_tgt + 1), UNK)
        tgt_in[:, 0], tgt_out[:, -1] = BOS, EOS
        buffers = {name: buffer.clone() for name, buffer in network.named_buffers()}
        try:
            with torch.random.fork_rng([device] if device.type == "cuda" else []):
                gradients.learn([Batch(src, tgt_in, tgt_out, rows)], 0.0)
        finally:
            network.zero_grad(set_to_none=True)
            for name, buffer in network.named_buffers():
                buffer.copy_(buffers[name])

    return trial


class SplitGradients:
    """Gradients of batches that are cut where memory is too small for them; the objective stays the same.

    Args:
        network: whose half-made gradients are dropped.
    """

    def __init__(self, gradients: Gradients, network: Seq2Seq) -> None:
        self._gradients = gradients
        self._network = network
        self._parts = 1
        self._notices: list[str] = []

    def learn(self, batches: Sequence[Batch], sampled: float) -> Learned:
        """The gradient is there.

        Raises:
            torch.OutOfMemoryError: a single pair is too much.
        """
        while True:
            learned = self._tried(batches, sampled)
            if learned is not None:
                return learned
            torch.cuda.empty_cache()  # now that the error is gone, which held on to what was computed
            self._parts *= 2
            self._notices.append(
                f"memory is too small for a batch, so each is computed in {self._parts} parts: nothing else "
                f"changes, but lower --batch-tokens next time"
            )

    def notices(self) -> list[str]:
        """What a person should know that was not told yet."""
        told, self._notices = self._notices, []
        return told

    def _tried(self, batches: Sequence[Batch], sampled: float) -> Learned | None:
        """None where memory is too small."""
        parts = [part for batch in batches for part in split(batch, self._parts)]
        try:
            return self._gradients.learn(parts, sampled)
        except torch.OutOfMemoryError:
            self._network.zero_grad(set_to_none=True)
            if len(parts) == sum(len(batch.src) for batch in batches):
                raise
            return None


def split(batch: Batch, parts: int) -> list[Batch]:
    """A batch in so many parts, or as many as it has pairs."""
    if parts == 1:
        return [batch]
    each = (tensor.chunk(parts) for tensor in (batch.src, batch.tgt_in, batch.tgt_out))
    return [
        dataclasses.replace(batch, src=src, tgt_in=tgt_in, tgt_out=tgt_out)
        for src, tgt_in, tgt_out in zip(*each, strict=True)
    ]
