"""Softmax and cross-entropy right behind a linear layer, in chunks: never all logits of a batch at once."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from chatbot.nn.precision import short_kind
from chatbot.nn.products import ROWS_STEP, outer_product, product

LOGITS = 1 << 21
"""Most logits that are made together, 32 MB of them."""


class LinearCrossEntropy(torch.autograd.Function):
    """The smoothed cross-entropy of a linear layer, averaged over positions, and each position's nats.

        L = mean over t of (1 - ε) · -log p_t(y_t) + ε · mean over v of -log p_t(v)
        p_t = softmax(W x_t + b)

    The gradient p - (1 - ε) [v = y] - ε / vocab is made in the logits' place as soon as a chunk has its loss,
    and turned into those of x, W and b at once: nothing of the size of the logits is kept. The nats
    have no gradient. Under autocast the products are made of short numbers and all else of long ones; the
    mean is then taken at the end, since a share of it would be too small for a short number.

    Shapes: features [positions, embed], weight [vocab, embed], bias [vocab], target [positions] -> scalar,
    [positions]
    """

    @staticmethod
    def forward(
        ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        """Loss and nats."""
        kind = short_kind(features.device.type) or weight.dtype
        with torch.autocast(features.device.type, enabled=False):
            return LinearCrossEntropy._made(ctx, features.to(kind), weight, bias, target, smoothing)

    @staticmethod
    def _made(
        ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        count, vocab, exact = len(features), len(weight), weight.dtype
        short = features.dtype != exact
        weight, shift, d_bias = weight.to(features.dtype), bias.to(features.dtype), torch.zeros_like(bias)
        wanted, turned = any(ctx.needs_input_grad), weight.t()
        d_features = torch.empty_like(features, dtype=exact) if wanted else None
        d_weight = None
        nats, spread = bias.new_empty(2, count)
        scale = 1.0 / count
        ctx.scale = scale if short else 1.0
        chunk = max(ROWS_STEP, LOGITS // vocab // ROWS_STEP * ROWS_STEP)
        for start in range(0, count, chunk):
            rows = slice(start, start + chunk)
            gold = target[rows, None]
            logits = product(features[rows], turned, shift).to(exact)  # [chunk, vocab]
            best = logits.amax(-1, keepdim=True)
            said = logits.gather(1, gold)
            average = logits.mean(-1, keepdim=True) if smoothing else said
            torch.softmax(logits, dim=-1, out=logits)
            norm = best - logits.amax(-1, keepdim=True).log()  # log Σ exp: the likeliest has exp(best - norm)
            nats[rows] = (norm - said).squeeze(1)
            spread[rows] = (norm - average).squeeze(1)
            if d_features is None:
                continue
            logits.scatter_add_(1, gold, logits.new_full(gold.shape, smoothing - 1))
            if smoothing:
                logits.sub_(smoothing / vocab)
            if not short:
                logits.mul_(scale)
            d_bias.add_(logits.sum(0))
            logits = logits.to(features.dtype)
            d_features[rows] = product(logits, weight)
            part = outer_product(logits, features[rows]).to(exact)
            d_weight = part if d_weight is None else d_weight.add_(part)
        ctx.save_for_backward(d_features, d_weight, d_bias)
        ctx.mark_non_differentiable(nats)
        loss = nats.mean()
        return (1 - smoothing) * loss + smoothing * spread.mean() if smoothing else loss, nats

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grown: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients made on the way, times that of the loss."""
        grown = grown if ctx.scale == 1.0 else grown * ctx.scale
        if grown.device.type == "cpu" and grown == 1.0:  # elsewhere to ask is to wait
            return *ctx.saved_tensors, None, None
        return *(each.mul(grown) for each in ctx.saved_tensors), None, None


def linear_cross_entropy(
    features: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """The smoothed loss and the nats [positions], see LinearCrossEntropy."""
    loss, nats = LinearCrossEntropy.apply(features, weight, bias, target, smoothing)  # type: ignore[no-untyped-call]
    return loss, nats
