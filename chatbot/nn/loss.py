"""The loss of a batch: cross-entropy over its real positions, and what attention adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from chatbot.nn.cross_entropy import linear_cross_entropy
from chatbot.nn.decoder import Decoded
from chatbot.nn.embedding import PAD
from chatbot.nn.output import SoftmaxOutput
from chatbot.nn.seq2seq import Seq2Seq, Source

BASELINE_DECAY = 0.9
"""How much of the moving baseline stays at each batch (Xu et al. 2015, section 4.1)."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A batch's loss.

    Args:
        tokens: how many real ones.
        gauges: numbers worth watching in training, averaged over the real positions.

    Shapes: objective scalar (mean over real tokens, to be minimised), nats scalar (summed negative
    log-likelihood without smoothing, detached), gauges scalars (detached).
    """

    objective: Tensor
    nats: Tensor
    tokens: int
    gauges: Mapping[str, Tensor] = field(default_factory=dict)


def real_positions(tgt: Tensor) -> Tensor:
    """Flat indices of the tokens that are no padding.

    Shapes: [batch, tgt_len] -> [tokens]
    """
    return (tgt.flatten() != PAD).nonzero().squeeze(1)


def sequence_loss(
    model: Seq2Seq,
    src: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    smoothing: float,
    real: Tensor | None = None,
) -> Loss:
    """Teacher forcing: every reply token is predicted from the gold ones before it.

        L = (1 - ε) · -log p(y) + ε · mean over v of -log p(v)

    The logits are made at real positions only. The objective is total over tokens, so a long reply
    weighs by its length.

    Source: Szegedy et al. 2016, section 7 (label smoothing, ε).

    Args:
        real: the ``real_positions`` of tgt_out, where they are known: a GPU is waited for to find them.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len], real [tokens]
    """
    decoded, source = model(src, tgt_in)
    return decoded_loss(model, decoded, source, tgt_out, smoothing, real)


def decoded_loss(
    model: Seq2Seq,
    decoded: Decoded,
    source: Source,
    tgt_out: Tensor,
    smoothing: float,
    real: Tensor | None = None,
) -> Loss:
    """The loss of what was decoded, see ``sequence_loss``.

    Shapes: tgt_out [batch, tgt_len], real [tokens]
    """
    index = real_positions(tgt_out) if real is None else real
    target = tgt_out.flatten()[index]
    objective, nats = _cross_entropy(model, decoded, source, index, target, smoothing)
    gauges = {name: gauge.detach().flatten()[index].mean() for name, gauge in decoded.gauges.items()}
    if decoded.penalty is not None:
        objective = objective + decoded.penalty.flatten()[index].mean()
    if decoded.log_prob is not None:
        drawn, variance = _reinforce(model, decoded, nats.detach(), index)
        objective, gauges["reward variance"] = objective + drawn, variance
    return Loss(objective, nats.detach().sum(), len(target), gauges)


def _cross_entropy(
    model: Seq2Seq, decoded: Decoded, source: Source, index: Tensor, target: Tensor, smoothing: float
) -> tuple[Tensor, Tensor]:
    """The smoothed objective, and the nats [tokens] of each target; of a plain softmax without its logits."""
    output = model.output
    if isinstance(output, SoftmaxOutput):
        features = model.dropout.at(decoded.features, index)
        return linear_cross_entropy(features, output.table.weight, output.bias, target, smoothing)
    logits = model.logits(decoded, source, index).float()  # [tokens, words]
    nats = nn.functional.cross_entropy(logits, target, reduction="none")  # [tokens]
    objective = nats.mean()
    if smoothing:
        objective = (1 - smoothing) * objective + smoothing * _spread(logits)
    return objective, nats


def reply_nats(model: Seq2Seq, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
    """Negative log-likelihood of each whole reply, its end included, in nats.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len] -> [batch]
    """
    return reply_fits(model, src, tgt_in, tgt_out)[0]


@torch.no_grad()
def reply_fits(model: Seq2Seq, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> tuple[Tensor, Tensor]:
    """Nats of each whole reply, its end included, and how many of its tokens are the likeliest ones.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len] -> each [batch]
    """
    decoded, source = model(src, tgt_in)
    index = real_positions(tgt_out)
    target = tgt_out.flatten()[index]
    logits = model.logits(decoded, source, index).float()
    nats = nn.functional.cross_entropy(logits, target, reduction="none")
    right = (logits.argmax(-1) == target).to(nats.dtype)
    rows, nothing = index // tgt_out.shape[1], torch.zeros(len(src), device=src.device)
    return nothing.index_add(0, rows, nats), nothing.index_add(0, rows, right)


def _spread(logits: Tensor) -> Tensor:
    """The mean of -log p(v) over the words v that can be said, averaged over positions."""
    log_probs = torch.log_softmax(logits, dim=-1)
    possible = log_probs > float("-inf")
    return -(log_probs.masked_fill(~possible, 0.0).sum(-1) / possible.sum(-1)).mean()


def _reinforce(model: Seq2Seq, decoded: Decoded, nats: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """The surrogate loss of positions that were drawn, and the variance of the reward.

        Σ_t (R_t - b) · -log p(s_t),   b <- 0.9 b + 0.1 mean R

    R_t is the log-likelihood that the draw at step t can change: its own token's, and where the decoder
    feeds back what it looked at, the mean over that and the later tokens. In training the baseline b moves
    with every batch.

    Source: Williams 1992; Xu et al. 2015, section 4.1.

    Shapes: nats [tokens], index [tokens]
    """
    assert decoded.log_prob is not None
    reward = -nats
    if model.decoder.feeds_back:
        reward = _mean_to_the_end(reward, index, decoded.weights.shape[1])
    advantage = reward - model.baseline
    if model.training:
        model.baseline.lerp_(reward.mean().to(model.baseline.dtype), 1 - BASELINE_DECAY)
    surrogate = (advantage * -decoded.log_prob.flatten()[index]).mean()
    return surrogate, reward.var(unbiased=False)


def _mean_to_the_end(reward: Tensor, index: Tensor, tgt_len: int) -> Tensor:
    """Each token's reward averaged with those of the later ones of its reply.

    Shapes: reward, index [tokens] -> [tokens]
    """
    rows = int(index.max()) // tgt_len + 1
    spread = reward.new_zeros(rows * tgt_len).index_put((index,), reward).view(rows, tgt_len)
    there = reward.new_zeros(rows * tgt_len).index_put((index,), torch.ones_like(reward)).view(rows, tgt_len)
    sums, counts = (part.flip(1).cumsum(1).flip(1) for part in (spread, there))
    return (sums / counts.clamp_min(1)).flatten()[index]
