"""Calibration: whether a model that is sure is right, and what refusing the unsure would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from chatbot.dataset.batches import evaluation_batches
from chatbot.dataset.joined import Pairs
from chatbot.nn.loss import real_positions
from chatbot.nn.seq2seq import Seq2Seq

BINS = 15
"""Bins of confidence, as many as Guo et al. take."""

COVERAGES = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Shares of the questions that are answered in a risk-coverage table."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure a model was of things, and whether they were right.

    Shapes: sure (0 to 1) and right (0 or 1, or a share) [things]
    """

    sure: NDArray[np.float64]
    right: NDArray[np.float64]

    def error(self, bins: int = BINS) -> float | None:
        """Expected calibration error: how far sureness is from the share that is right.

            ECE = Σ_b n_b / n · |mean right in b - mean sure in b|

        The bins are of equal width. Source: Guo et al. 2017, section 2, equation 3. None of nothing.
        """
        if not len(self.sure):
            return None
        owners = np.minimum((self.sure * bins).astype(np.int64), bins - 1)
        gaps = np.bincount(owners, weights=self.right - self.sure, minlength=bins)
        return float(np.abs(gaps).sum() / len(self.sure))


@torch.inference_mode()
def token_sureness(
    network: Seq2Seq, pairs: Pairs, device: torch.device, batch_tokens: int = 8192
) -> Sureness:
    """The probability of the likeliest token after the gold ones, at each place of all replies."""
    training = network.training
    network.eval()
    sure, right = [], []
    try:
        for _, batch in evaluation_batches(pairs, batch_tokens):
            moved = batch.to(device)
            decoded, source = network(moved.src, moved.tgt_in)
            index = real_positions(moved.tgt_out)
            log_probs = torch.log_softmax(network.logits(decoded, source, index).float(), dim=-1)
            best, tokens = log_probs.max(-1)
            sure.append(best.exp().double().cpu().numpy())
            right.append((tokens == moved.tgt_out.flatten()[index]).double().cpu().numpy())
    finally:
        network.train(training)
    return Sureness(np.concatenate([np.zeros(0), *sure]), np.concatenate([np.zeros(0), *right]))


def covered(scores: Sequence[float], worth: Sequence[float]) -> list[tuple[float, float]]:
    """What replies are worth when only the surest are given: (coverage, mean worth) for COVERAGES.

    Source: El-Yaniv and Wiener 2010, section 2 (coverage, and risk as the mean loss of what is covered).

    Args:
        scores: how sure each reply is; of equally sure ones all count by their mean.
        worth: how good each is; 1 - worth is its risk.
    """
    if not len(scores):
        return []
    values, owners = np.unique(-np.asarray(scores, dtype=np.float64), return_inverse=True)
    counts = np.bincount(owners, minlength=len(values))
    means = np.bincount(owners, weights=worth, minlength=len(values)) / counts
    ordered = np.repeat(means, counts)  # the surest first
    sums = np.cumsum(ordered)
    rows = []
    for share in COVERAGES:
        number = max(1, round(share * len(ordered)))
        rows.append((share, float(sums[number - 1] / number)))
    return rows
