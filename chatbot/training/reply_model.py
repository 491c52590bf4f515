"""The language model of replies: how likely a reply is whatever was asked, counted from the training pairs.

    P(w | c) = (N(c w) + T(c) · P(w | c')) / (N(c) + T(c))

N counts how often an epoch shows an n-gram, T(c) is how many different tokens follow c, c' is c without its
first token; below single tokens lies the uniform distribution. N-grams that change little are then left
out, and each context's back-off weight is set so that its probabilities sum to 1 again.

Source: Witten and Bell 1991 (method C), interpolated as in Chen and Goodman 1999, section 2.4; left out by
the weighted difference of Seymore and Rosenfeld 1996, section 2.2,

    N(c w) · (log P(w | c) - log b(c) P(w | c'))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chatbot.config import POINTER, Config
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import take
from chatbot.decoding.language_model import BackOff, Level
from chatbot.text.tokenizer import BOS, EOS, UNK
from chatbot.training.data import TrainingData

ORDER = 3
"""Tokens of the longest n-grams."""

GRAMS = 80_000
"""Most n-grams of two and more tokens."""

PAIRS = 400_000
"""Replies that are counted, at most, to bound memory: some 200 bytes a reply of ten tokens."""

LEAST = 1e-9
"""What is left over for tokens that a context does not hold, at least: sums of floats are not exact."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Grams:
    """What was counted of the n-grams of one length.

    Shapes: all [grams]; keys as in ``Level``; parents: number of the n-gram without its last token;
    suffixes: number of the n-gram without its first token.
    """

    keys: Ints
    parents: Ints
    suffixes: Ints
    counts: Floats


def reply_model(
    replies: Sequence[EncodedPairs], times: Sequence[float], vocab: int, order: int = ORDER, most: int = GRAMS
) -> BackOff:
    """The model of the replies of some sets of pairs.

    Args:
        replies: only the replies of the pairs are read.
        times: how often each set's pairs count.
        order: tokens of the longest n-grams, at least 2.
        most: n-grams of two and more tokens that are kept.
    """
    counted = _count(replies, times, vocab, order)
    probs = _estimate(counted, vocab)
    exact = _model(counted, probs, _kept(counted, probs, most), vocab)
    return BackOff.of(exact.arrays(), vocab)  # what a file will give


def model_of(data: TrainingData, config: Config) -> BackOff | None:
    """The model of the replies that a run learns from; None where it would be of no use.

    That is where replies are spelt letter by letter, and where they are made of words of the question alone.
    At most ``PAIRS`` replies are counted, spread evenly over each corpus.
    """
    if config.text.tokenizer == "chars" or config.model.output == POINTER or config.training.reverse:
        return None
    shown = [corpus for corpus in data.corpora if corpus.times and len(corpus.train)]
    share = min(1.0, PAIRS / sum(len(corpus.train) for corpus in shown))
    some = [take(corpus.train, max(1, int(share * len(corpus.train)))) for corpus in shown]
    times = [corpus.times * len(corpus.train) / len(each) for corpus, each in zip(shown, some, strict=True)]
    return reply_model(some, times, data.tokenizer.vocab)


def _count(replies: Sequence[EncodedPairs], times: Sequence[float], vocab: int, order: int) -> list[_Grams]:
    """The n-grams of each length from 1 on."""
    streams = [_stream(each, vocab) for each in replies]
    tokens = np.concatenate(streams)
    weights = np.repeat(np.asarray(times, np.float64), [len(stream) for stream in streams])
    said = tokens != BOS
    every = np.arange(vocab)
    none = np.zeros(vocab, np.int64)
    found = [_Grams(every, none, none, _summed(tokens[said], weights[said], vocab))]
    ends = tokens  # at each place the n-gram that ends there; -1 where it would begin before its reply
    for _ in range(1, order):
        before = np.concatenate(([-1], ends[:-1]))
        inside = said & (before >= 0)
        keys, numbers = np.unique(before[inside] * vocab + tokens[inside], return_inverse=True)
        suffixes = np.zeros(len(keys), np.int64)
        suffixes[numbers] = ends[inside]
        counts = _summed(numbers, weights[inside], len(keys))
        found.append(_Grams(keys, keys // vocab, suffixes, counts))
        ends = np.full(len(tokens), -1)
        ends[inside] = numbers
    return found


def _stream(pairs: EncodedPairs, vocab: int) -> Ints:
    """All replies end to end, BOS before and EOS after each."""
    lengths = np.diff(pairs.tgt_starts)
    ends = np.cumsum(lengths + 2) - 1
    tokens = np.full(len(pairs.tgt) + 2 * len(lengths), BOS, np.int64)
    inside = np.arange(len(pairs.tgt)) + np.repeat(2 * np.arange(len(lengths)) + 1, lengths)
    tokens[inside] = np.where(pairs.tgt < vocab, pairs.tgt, UNK)
    tokens[ends] = EOS
    return tokens


def _estimate(grams: Sequence[_Grams], vocab: int) -> list[Floats]:
    """P of the last token of each n-gram after the ones before it, level by level."""
    counts = grams[0].counts
    different = np.count_nonzero(counts)
    found = [(counts + different / vocab) / (counts.sum() + different)]
    for shorter, level in pairwise(grams):
        totals, types = _followers(level, len(shorter.keys))
        mixed = level.counts + types[level.parents] * found[-1][level.suffixes]
        found.append(mixed / (totals + types)[level.parents])
    return found


def _summed(owners: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values of each owner."""
    return np.bincount(owners, values, minlength=size).astype(np.float64, copy=False)


def _followers(level: _Grams, contexts: int) -> tuple[Floats, Floats]:
    """N and T of each context that the n-grams of a level go on from; each [contexts]."""
    totals = _summed(level.parents, level.counts, contexts)
    return totals, np.bincount(level.parents, minlength=contexts).astype(np.float64)


def _kept(grams: Sequence[_Grams], probs: Sequence[Floats], most: int) -> list[NDArray[np.bool_]]:
    """Which n-grams of each length stay: those that change most, with all their beginnings."""
    worths: list[Floats] = []
    for (shorter, level), (lower, higher) in zip(pairwise(grams), pairwise(probs), strict=True):
        totals, types = _followers(level, len(shorter.keys))
        backoffs = (types / np.maximum(totals + types, 1e-300))[level.parents]
        worths.append(level.counts * np.log(higher / (backoffs * lower[level.suffixes])))
    for level, worth, longer in zip(grams[:0:-1], worths[-2::-1], worths[:0:-1], strict=False):
        np.maximum.at(worth, level.parents, longer)
    everything = np.concatenate(worths)
    bar = np.partition(everything, -most - 1)[-most - 1] if len(everything) > most else -np.inf
    return [np.ones(len(grams[0].keys), np.bool_), *(worth > bar for worth in worths)]


def _model(
    grams: Sequence[_Grams], probs: Sequence[Floats], kept: Sequence[NDArray[np.bool_]], vocab: int
) -> BackOff:
    """The n-grams that stay, numbered anew, with the back-off weights that go with them."""
    levels: list[Level] = []
    spelt = np.zeros((0, 0), np.int64)  # the tokens of each n-gram of the level before
    numbers = np.zeros(0, np.int64)
    for level, prob, keeps in zip(grams, probs, kept, strict=True):
        parents, tokens = level.parents[keeps], level.keys[keeps] % vocab
        if levels:
            parents = numbers[parents]
            spelt = np.concatenate((spelt[parents], tokens[:, None]), axis=1)
        else:
            spelt = tokens[:, None]
        numbers = np.cumsum(keeps) - 1
        log_probs = np.log(prob[keeps])
        if levels:
            _weigh(levels, vocab, spelt, parents, log_probs)
        levels.append(Level(parents * vocab + tokens, log_probs, np.zeros(len(tokens))))
    return BackOff(vocab, levels)


def _weigh(levels: list[Level], vocab: int, spelt: Ints, parents: Ints, log_probs: Floats) -> None:
    """Set the back-off weights of the longest n-grams of a model by what goes on from them.

    b(c) = (1 - sum of P(w | c)) / (1 - sum of P(w | c')) over the n-grams c w that are held.
    """
    shorter = BackOff(vocab, levels)
    lower = shorter.log_probs(spelt[:, 1:-1], spelt[:, -1:])[:, 0]
    size = len(levels[-1].keys)
    left, below = (1.0 - _summed(parents, np.exp(logs), size) for logs in (log_probs, lower))
    weights = np.log(np.maximum(left, LEAST) / np.maximum(below, LEAST))
    levels[-1].log_backoffs[:] = np.where(np.bincount(parents, minlength=size) > 0, weights, 0.0)
