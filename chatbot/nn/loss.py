"""Cross-entropy over the real positions of a batch, with label smoothing."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.nn.seq2seq import PAD, Seq2Seq


@dataclass(frozen=True, slots=True)
class Loss:
    """A batch's loss.

    Shapes: objective scalar (mean over real tokens, smoothed, to be minimised), nats scalar (summed
    negative log-likelihood without smoothing, detached), tokens: how many real ones.
    """

    objective: Tensor
    nats: Tensor
    tokens: int


def real_positions(tgt: Tensor) -> Tensor:
    """Flat indices of the tokens that are no padding.

    Shapes: [batch, tgt_len] -> [tokens]
    """
    return (tgt.flatten() != PAD).nonzero().squeeze(1)


def sequence_loss(model: Seq2Seq, src: Tensor, tgt_in: Tensor, tgt_out: Tensor, smoothing: float) -> Loss:
    """Teacher forcing: every reply token is predicted from the gold ones before it.

        L = (1 - ε) · -log p(y) + ε · mean over v of -log p(v)

    The logits are made at real positions only. The objective is total over tokens, so a long reply
    weighs by its length.

    Source: Szegedy et al. 2016, section 7 (label smoothing, ε).

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len]
    """
    features, _ = model(src, tgt_in)
    index = real_positions(tgt_out)
    target = tgt_out.flatten()[index]
    logits = model.logits(features.flatten(0, 1)[index]).float()  # [tokens, vocab]
    if smoothing == 0.0:
        objective = nn.functional.cross_entropy(logits, target)
        return Loss(objective, objective.detach() * len(target), len(target))
    log_probs = torch.log_softmax(logits, dim=-1)
    gold = -log_probs.gather(1, target[:, None]).mean()
    objective = (1 - smoothing) * gold - smoothing * log_probs.mean()
    return Loss(objective, gold.detach() * len(target), len(target))


@torch.no_grad()
def reply_nats(model: Seq2Seq, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> Tensor:
    """Negative log-likelihood of each whole reply, its end included, in nats.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len] -> [batch]
    """
    features, _ = model(src, tgt_in)
    index = real_positions(tgt_out)
    logits = model.logits(features.flatten(0, 1)[index]).float()
    nats = nn.functional.cross_entropy(logits, tgt_out.flatten()[index], reduction="none")
    rows = index // tgt_out.shape[1]
    return torch.zeros(len(src), device=src.device).index_add_(0, rows, nats)
