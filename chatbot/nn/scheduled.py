"""Scheduled sampling: in training, some of what the decoder is fed are words it would say itself."""

from __future__ import annotations

import torch
from torch import Tensor

from chatbot.nn.decoder import Decoded
from chatbot.nn.embedding import PAD
from chatbot.nn.loss import Loss, decoded_loss, sequence_loss
from chatbot.nn.seq2seq import BOS, EOS, Seq2Seq, Source

NEVER_FED = -1e9
"""Logit of what is not drawn: padding, the start and the end, behind which a decoder says nothing. It is
finite, so that something is drawn even where nothing else can be said."""


def sampled_loss(
    model: Seq2Seq,
    src: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    smoothing: float,
    share: float,
    real: Tensor | None = None,
) -> Loss:
    """The loss of replies that are partly fed the model's own words.

    Args:
        share: of the reply's words, see ``sampled_pass``; 0 is teacher forcing, in one call.
        real: as for ``sequence_loss``.

    Shapes: src [batch, src_len], tgt_in and tgt_out [batch, tgt_len]
    """
    if share <= 0:
        return sequence_loss(model, src, tgt_in, tgt_out, smoothing, real)
    return decoded_loss(model, *sampled_pass(model, src, tgt_in, share), tgt_out, smoothing, real)


def sampled_pass(model: Seq2Seq, src: Tensor, tgt_in: Tensor, share: float) -> tuple[Decoded, Source]:
    """Decode step by step; each word after BOS is fed as it is told, or as the model would say it.

        ŷ_t ~ P(y_t | ỹ_{<t}, x),   ỹ_t = ŷ_t with probability ``share``, else the gold y_t

    Source: Bengio et al. 2015, section 2.4 (their ε is 1 - ``share``). The coin falls for every token of
    every reply by itself. They draw from the model's distribution or take its argmax; here it is drawn,
    since the distribution is what is learned. No gradient goes through the draw, and the words to be
    predicted stay the gold ones. Padding stays padding.

    Shapes: src [batch, src_len], tgt_in [batch, tgt_len]
    """
    source, state = model.encode(src)
    steps: list[Decoded] = []
    word = tgt_in[:, :1]
    for t in range(tgt_in.shape[1]):
        steps.append(model.decode(word, source, state))
        state = steps[-1].state
        gold = tgt_in[:, t + 1 : t + 2]
        word = _fed(model, steps[-1], source, gold, share) if gold.shape[1] else gold
    return Decoded.join(steps), source


@torch.no_grad()
def _fed(model: Seq2Seq, step: Decoded, source: Source, gold: Tensor, share: float) -> Tensor:
    """The next words [batch, 1]: gold ones, and drawn ones where the coin says so."""
    own = (torch.rand(gold.shape, device=gold.device) < share) & (gold != PAD)
    rows = own.squeeze(1).nonzero().squeeze(1)
    if not len(rows):
        return gold
    logits = model.logits(step, source, rows).float()
    logits[:, [PAD, BOS, EOS]] = NEVER_FED
    said = torch.multinomial(torch.softmax(logits, dim=-1), 1)
    return gold.index_put((rows,), said)
