"""Score(query, key): how well each source position answers a query, before positions compete.

A score projects the keys once a source (``project``) and is then asked at every step (``forward``).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from chatbot.errors import OptionError
from chatbot.nn.precision import single
from chatbot.nn.products import Linear
from chatbot.nn.sizes import AttentionSizes


class Score(nn.Module):
    """The contract: ``project`` values to keys once, then score queries against them.

    A score is made from AttentionSizes.

    Shapes: project values [batch, src_len, value], mask [batch, src_len] -> [batch, src_len, key];
    forward query [batch, tgt_len, query], keys [batch, src_len, key] -> [batch, tgt_len, src_len]
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__()
        self.sizes = sizes

    @property
    def key(self) -> int:
        """Size of the keys."""
        return self.sizes.value

    def project(self, values: Tensor, mask: Tensor) -> Tensor:
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

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        self.w = Linear(sizes.query, sizes.inner, bias=False)
        self.u = Linear(sizes.value, sizes.inner)
        self.v = nn.Parameter(torch.empty(sizes.inner).uniform_(-1, 1) / math.sqrt(sizes.inner))

    @property
    def key(self) -> int:
        """Size of the keys: that of the inner layer."""
        return self.sizes.inner

    def project(self, values: Tensor, mask: Tensor) -> Tensor:
        """U k."""
        keys: Tensor = self.u(values)
        return keys

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """v · tanh(W q + U k)."""
        hidden = torch.tanh(self.w(query)[:, :, None] + keys[:, None])  # [batch, tgt_len, src_len, inner]
        return hidden @ self.v


class DotScore(Score):
    """Score by the inner product.

        score(q, k) = q · k

    Source: Luong et al. 2015, equation 8.

    Raises:
        ValueError: query and value differ in size.
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        if sizes.query != sizes.value:
            raise ValueError(f"dot needs a query and values of one size, not {sizes.query} and {sizes.value}")

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
        return super().forward(query, keys) / math.sqrt(self.sizes.query)


class GeneralScore(Score):
    """Score by a learned bilinear form.

        score(q, k) = q · W k

    Source: Luong et al. 2015, equation 8. W k is computed once a source.
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        self.w = Linear(sizes.value, sizes.query, bias=False)

    @property
    def key(self) -> int:
        """Size of the keys: that of the query."""
        return self.sizes.query

    def project(self, values: Tensor, mask: Tensor) -> Tensor:
        """W k."""
        keys: Tensor = self.w(values)
        return keys

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """q · W k."""
        return query @ keys.transpose(1, 2)


class CosineScore(Score):
    """Score by the angle alone, as sharply as the query asks for.

        score(q, k) = β · q·k / (|q| |k|),   β = softplus(w · q + b)

    Source: Graves et al. 2014, section 3.3.1, equations 5 and 6. β starts near ``SHARPNESS``: a cosine is
    at most 1, and with β at 1 the best of twenty positions could get a weight of 0.28 and no more.

    Raises:
        ValueError: query and value differ in size.
    """

    SHARPNESS = 8.0

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        if sizes.query != sizes.value:
            raise ValueError(
                f"cosine needs a query and values of one size, not {sizes.query} and {sizes.value}"
            )
        self.beta = nn.Linear(sizes.query, 1)
        nn.init.constant_(self.beta.bias, math.log(math.expm1(self.SHARPNESS)))

    def project(self, values: Tensor, mask: Tensor) -> Tensor:
        """k / |k|."""
        return _direction(values)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """β · q·k / (|q| |k|)."""
        beta = nn.functional.softplus(self.beta(query))  # [batch, tgt_len, 1]
        return beta * (_direction(query) @ keys.transpose(1, 2))


def _direction(vectors: Tensor) -> Tensor:
    """Vectors of length 1; those much shorter than 0.001 stay short, so that 0 has a gradient."""
    exact = single(vectors)
    return (exact * torch.rsqrt(exact.square().sum(-1, keepdim=True) + 1e-6)).to(vectors.dtype)


class LocationScore(Score):
    """Score positions by the query alone, whatever stands there.

        score(q, j) = (W q)_j

    Source: Luong et al. 2015, equation 8 ("location"). W has a row for each of ``src_len`` positions.
    """

    def __init__(self, sizes: AttentionSizes) -> None:
        super().__init__(sizes)
        self.w = nn.Linear(sizes.query, sizes.src_len, bias=False)

    @property
    def key(self) -> int:
        """Size of the keys: there is nothing to know of a value."""
        return 0

    def project(self, values: Tensor, mask: Tensor) -> Tensor:
        """Nothing of each value.

        Raises:
            OptionError: a source has more tokens than W has rows.
        """
        rows = self.w.out_features
        if mask.shape[1] > rows and bool(mask[:, rows:].any()):
            longest = int(mask.sum(1).max())
            what = f"a question of {longest} tokens is longer than the {rows} that location can look at"
            raise OptionError("--max-src", what, f"ask with at most {rows}, or train another --attention")
        return values[..., :0]

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """W q; padding beyond its last row gets 0."""
        scores: Tensor = self.w(query)
        return nn.functional.pad(scores, (0, keys.shape[1] - scores.shape[-1]))
