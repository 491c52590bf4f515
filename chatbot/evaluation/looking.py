"""Looking: what attention does on held-out pairs, and whether the question matters to the reply at all.

Attention that is uniform or never moves is no attention, and a low loss does not show it: a decoder can
become a fluent language model that ignores what it was asked.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chatbot.dataset.batches import PAD, Batch, evaluation_batches
from chatbot.dataset.encoded import EncodedPairs
from chatbot.nn.decoder import Decoded
from chatbot.nn.loss import real_positions
from chatbot.nn.rows import Rows
from chatbot.nn.seq2seq import UNK, Seq2Seq, Source

MOST_NATS = 20.0
"""No token counts for more: an output that can only copy says some with probability 0, which is infinitely
many nats; guessing among 65,536 tokens costs 11."""

UNIFORM = 0.98
"""Entropy from which attention is as good as even: ten tokens weighted 7 % and 13 % in turn have it."""

STILL = 0.02
"""Share of the weight that moves from a token to the next, below which attention stands still."""

LEAST_TOKENS = 3
"""Replies must be so long on average, ends counted, before attention can be said to stand still."""

NO_GAIN = 0.01
"""Nats per token that are nothing: the right question lowers the perplexity per token by less than 1 %."""


@dataclass(frozen=True, slots=True)
class Looking:
    """How a network looks at questions while it is fed their replies; None is what cannot be measured.

    What attention does is averaged over the positions of all replies, the first three over those alone whose
    question has two tokens or more, and there of the weights as shares of their sum.

    Args:
        pairs, tokens: how many, an end a reply counted.
        entropy: of the weights over that of uniform ones: 0 looks at one token, 1 at all alike.
        heaviest: weight of the heaviest token.
        moved: weight that goes elsewhere from a position to the next, ½ Σ_j |α_t,j - α_{t-1},j|.
        mass: sum of the weights; below 1 where a local alignment gives some away.
        gain: nats per token that the question saves against another pair's.
        gauges: what the attention tells of itself, by name.
    """

    pairs: int
    tokens: int
    entropy: float | None
    heaviest: float | None
    moved: float | None
    mass: float | None
    gain: float | None
    gauges: Mapping[str, float]


@torch.inference_mode()
def look(network: Seq2Seq, pairs: EncodedPairs, device: torch.device, batch_tokens: int = 8192) -> Looking:
    """Watch a network, without dropout; its training mode is put back afterwards.

    Args:
        batch_tokens: size of a batch, see ``bucket``; it changes speed and memory, and which question is the
            other one: that of the pair before in the batch.
    """
    training = network.training
    network.eval()
    figures: defaultdict[str, list[Tensor]] = defaultdict(list)
    gauges: defaultdict[str, list[Tensor]] = defaultdict(list)
    try:
        for _, batch in evaluation_batches(pairs, batch_tokens):
            for found, values in zip((figures, gauges), _watched(network, batch.to(device)), strict=True):
                for name, each in values.items():
                    found[name].append(each)
    finally:
        network.train(training)
    return Looking(
        len(pairs),
        int(pairs.tgt_lengths.sum()),
        _mean(figures["entropy"]),
        _mean(figures["heaviest"]),
        _mean(figures["moved"]),
        _mean(figures["mass"]) or None,  # a network without weights has a mass of 0
        _mean(figures["gain"]),
        {name: float(torch.cat(values).mean()) for name, values in gauges.items()},
    )


def _mean(parts: list[Tensor]) -> float | None:
    """The mean of all values; None where there is none."""
    values = torch.cat(parts) if parts else torch.zeros(0)
    return float(values.mean()) if len(values) else None


def _watched(network: Seq2Seq, batch: Batch) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The figures of a batch and its gauges, each [values] at the real positions it is defined at."""
    source, state = network.encode(batch.src)
    decoded = network.decode(batch.tgt_in, source, state)
    index = real_positions(batch.tgt_out)
    figures = weight_figures(decoded.weights, source.mask, batch.tgt_out != PAD)
    figures["gain"] = _gain(network, batch, source, state, decoded)
    return figures, {name: gauge.flatten()[index] for name, gauge in decoded.gauges.items()}


def weight_figures(weights: Tensor, mask: Tensor, real: Tensor) -> dict[str, Tensor]:
    """What weights do at each position of a batch, by the name of the figure, see Looking.

    Shapes: weights [batch, tgt_len, src_len], mask [batch, src_len], real [batch, tgt_len] -> each [values]
    """
    weights = weights.float()
    mass = weights.sum(-1)  # [batch, tgt_len]
    shares = weights / mass.clamp_min(torch.finfo(mass.dtype).tiny)[:, :, None]
    lengths = mask.sum(-1, keepdim=True)  # [batch, 1]
    choosing = real & (lengths > 1) & (mass > 0)
    entropy = torch.special.entr(shares).sum(-1) / lengths.clamp_min(2).log()
    moved = (shares[:, 1:] - shares[:, :-1]).abs().sum(-1) / 2
    return {
        "entropy": entropy[choosing],
        "heaviest": shares.amax(-1)[choosing],
        "moved": moved[choosing[:, 1:] & choosing[:, :-1]],
        "mass": mass[real],
    }


def _gain(network: Seq2Seq, batch: Batch, source: Source, state: Rows, decoded: Decoded) -> Tensor:
    """Nats that the right question saves at each token [tokens].

    A pair whose other question is the same is left out. A word that the vocabulary lacks and the question
    gives is <unk> to whoever hears another one.
    """
    rows = torch.arange(len(batch.src), device=batch.src.device).roll(1)
    index = real_positions(batch.tgt_out)
    target = batch.tgt_out.flatten()[index]
    another = (batch.src != batch.src[rows]).any(1)[index // batch.tgt_out.shape[1]]
    index, target = index[another], target[another]
    if not len(index):
        return target.float()
    others = source.select(rows)
    swapped = network.decode(batch.tgt_in, others, state.select(rows))
    known = target.masked_fill(target >= network.tgt_embedding.num_embeddings, UNK)
    right = _nats(network.logits(decoded, source, index), target)
    return _nats(network.logits(swapped, others, index), known) - right


def _nats(logits: Tensor, target: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits.float(), target, reduction="none").clamp_max(MOST_NATS)


@dataclass(frozen=True, slots=True)
class Punctuation:
    """How much of what attention gives to a question goes to its punctuation.

    Args:
        weight: the share, averaged over the positions of all replies.
        even: what the share were if every token of the question counted alike.
    """

    weight: float
    even: float


def punctuation_tokens(spellings: Sequence[str]) -> Tensor:
    """Which tokens are made of punctuation and symbols alone.

    Args:
        spellings: of each token, "" where it spells nothing.

    Shapes: [vocab]
    """
    return torch.tensor(
        [bool(text) and all(unicodedata.category(char)[0] in "PS" for char in text) for text in spellings]
    )


@torch.inference_mode()
def punctuation_mass(
    network: Seq2Seq, pairs: EncodedPairs, device: torch.device, marks: Tensor, batch_tokens: int = 8192
) -> Punctuation | None:
    """Watch a network's attention to punctuation; None where it has no attention.

    Args:
        marks: which tokens are punctuation, see ``punctuation_tokens``.
    """
    training = network.training
    network.eval()
    weights, even = [], []
    marks = marks.to(device)
    try:
        for _, batch in evaluation_batches(pairs, batch_tokens):
            moved = batch.to(device)
            decoded, source = network(moved.src, moved.tgt_in)
            known = source.ids.clamp_max(len(marks) - 1)
            marked = marks[known] & source.mask & (source.ids < len(marks))  # [batch, src_len]
            given = decoded.weights.float()
            mass = given.sum(-1)
            real = (moved.tgt_out != PAD) & (mass > 0)
            weights.append(((given * marked[:, None]).sum(-1) / mass)[real])
            share = marked.sum(-1) / source.mask.sum(-1)
            even.append(share[:, None].expand_as(mass)[real])
    finally:
        network.train(training)
    found, uniform = _mean(weights), _mean(even)
    return None if found is None or uniform is None else Punctuation(found, uniform)


def troubles(seen: Looking) -> dict[str, str]:
    """What is wrong with attention, in plain words, by a name each: "uniform", "stuck", "ignoring"."""
    found = {}
    if seen.entropy is not None and seen.entropy >= UNIFORM:
        found["uniform"] = (
            f"attention is spread evenly: its entropy is {seen.entropy:.3f} of uniform, so no word of the "
            "question counts more than another; train longer, raise --lr or try another --attention"
        )
    elif seen.moved is not None and seen.moved < STILL and seen.tokens >= LEAST_TOKENS * seen.pairs:
        found["stuck"] = (
            f"attention is stuck: from one token of a reply to the next {seen.moved:.1%} of it moves, so it "
            "looks at the same words whatever it says; train longer, or try another --ask or --coverage"
        )
    if seen.gain is not None and seen.gain < NO_GAIN:
        found["ignoring"] = (
            f"the decoder ignores the question: the right one saves {seen.gain:.3f} nats a token against "
            "another pair's, so any question would do as well; see by chatbot corpus show whether replies "
            "answer their questions, train longer or lower --reply-cap"
        )
    return found
