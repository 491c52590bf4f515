"""Outputs: from what a decoder made of a position to a score of every word it may say."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Output(nn.Module):
    """The contract: positions in, logits over the words out; a softmax over them is the distribution.

    An output that copies has more columns than the vocabulary: column ``vocab + i`` is the i-th word of the
    source that the vocabulary lacks. Columns a row cannot say are -inf.

    ``ends_source`` says that an <eos> has to stand behind each source, for a reply to end with.

    Shapes: features [positions, embed], weights [positions, src_len], ids [positions, src_len] (each
    position's source) -> logits [positions, words]
    """

    ends_source = False

    def forward(self, features: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
        """Logits of every word."""
        raise NotImplementedError

    def set_prior(self, counts: Tensor) -> None:
        """Start from how often each token [vocab] occurs, where that makes sense."""


class SoftmaxOutput(Output):
    """Say any word of the vocabulary.

        logits = W o_t + b

    Args:
        table: its weight is W [vocab, embed]; the embedding itself where the two are tied (Press and
            Wolf 2017).
    """

    def __init__(self, table: nn.Embedding) -> None:
        super().__init__()
        self.table = table
        self.bias = nn.Parameter(torch.zeros(table.num_embeddings))

    def forward(self, features: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
        """Logits of the vocabulary; the source is not asked."""
        return nn.functional.linear(features, self.table.weight, self.bias)

    @torch.no_grad()
    def set_prior(self, counts: Tensor) -> None:
        """The bias becomes log((n + 1/2) / Σ (n + 1/2)).

        Without it the first hundreds of steps do little else than learn these frequencies.
        """
        smoothed = counts.double() + 0.5
        self.bias.copy_((smoothed / smoothed.sum()).log())
