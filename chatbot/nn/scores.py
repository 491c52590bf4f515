"""Score(query, key): how well each source position answers a query, before positions compete.

A score projects the keys once a source (``project``) and is then asked at every step (``forward``).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Score(nn.Module):
    """The contract: ``project`` values to keys once, then score queries against them.

    Args of every score: query and value, the sizes of both sides.

    Shapes: project [batch, src_len, value] -> [batch, src_len, key];
    forward query [batch, tgt_len, query], keys [batch, src_len, key] -> [batch, tgt_len, src_len]
    """

    def __init__(self, query: int, value: int) -> None:
        super().__init__()
        self.query = query
        self.value = value

    def project(self, values: Tensor) -> Tensor:
        """Keys of the values; the values themselves unless a score says otherwise."""
        return values

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Scores of every query against every key."""
        raise NotImplementedError


class AdditiveScore(Score):
    """Score with a one-layer perceptron.

        score(q, k) = v · tanh(W q + U k)

    Source: Bahdanau et al. 2015, appendix A.1.2. Luong et al. 2015 call the same function "concat",
    since W[q; k] = W₁q + W₂k. U k is computed once a source.
    """

    def __init__(self, query: int, value: int) -> None:
        super().__init__(query, value)
        self.w = nn.Linear(query, query, bias=False)
        self.u = nn.Linear(value, query)
        self.v = nn.Parameter(torch.empty(query).uniform_(-1, 1) / math.sqrt(query))

    def project(self, values: Tensor) -> Tensor:
        """U k."""
        keys: Tensor = self.u(values)
        return keys

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """v · tanh(W q + U k)."""
        hidden = torch.tanh(self.w(query)[:, :, None] + keys[:, None])  # [batch, tgt_len, src_len, query]
        return hidden @ self.v


class DotScore(Score):
    """Score by the inner product.

        score(q, k) = q · k

    Source: Luong et al. 2015, equation 8.

    Raises:
        ValueError: query and value differ in size.
    """

    def __init__(self, query: int, value: int) -> None:
        super().__init__(query, value)
        if query != value:
            raise ValueError(f"dot needs a query and values of one size, not {query} and {value}")

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """q · k."""
        return query @ keys.transpose(1, 2)


class ScaledDotScore(DotScore):
    """Score by the inner product over the square root of its size.

        score(q, k) = q · k / √d

    Source: Vaswani et al. 2017, equation 1.
    """

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """q · k / √d."""
        return super().forward(query, keys) / math.sqrt(self.query)


class GeneralScore(Score):
    """Score by a learned bilinear form.

        score(q, k) = q · W k

    Source: Luong et al. 2015, equation 8. W k is computed once a source.
    """

    def __init__(self, query: int, value: int) -> None:
        super().__init__(query, value)
        self.w = nn.Linear(value, query, bias=False)

    def project(self, values: Tensor) -> Tensor:
        """W k."""
        keys: Tensor = self.w(values)
        return keys

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """q · W k."""
        return query @ keys.transpose(1, 2)
