"""Interpolated Kneser-Ney n-gram model over token ids: the yardstick for perplexity.

    P(w | c) = max(N(c w) - D, 0) / N(c) + D · T(c) / N(c) · P(w | c without its first token)

N counts occurrences at the highest order and different left neighbours below it (continuation
counts), T(c) is how many different tokens follow c, D = n₁ / (n₁ + 2 n₂) of each order, and the
unigrams are interpolated with the uniform distribution.

Source: Kneser and Ney 1995; Chen and Goodman 1999, sections 2.7 and 3.

It reads each reply with order - 1 BOS in front and EOS behind; ids that the vocabulary lacks are <unk>.
numpy only: a context is known by its place in a sorted table of all contexts of its order, so the
vocabulary may have any size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import Pairs, pieces

UNK, BOS, EOS = 1, 2, 3

TOGETHER = 1 << 17
"""Replies that are looked at together where only their sum is wanted: some 100 MB."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Order:
    """Counts of one order.

    Shapes: contexts [contexts] (sorted keys, each a shorter context's number times vocab plus a
    token), grams [grams] (sorted keys: context number times vocab plus token), counts [grams], totals
    and types [contexts].
    """

    contexts: Ints
    grams: Ints
    counts: Floats
    totals: Floats
    types: Floats
    discount: float


class KneserNey:
    """An n-gram model of replies.

    Args:
        pairs: training pairs; only the replies are read.
        order: tokens in an n-gram, at least 1.
        vocab: number of tokens.
        discount: D of every order instead of the estimate, to compare with other programs.
    """

    def __init__(self, pairs: EncodedPairs, order: int, vocab: int, discount: float | None = None) -> None:
        self.order = order
        self.vocab = vocab
        tokens, _ = _stream(pairs, order, vocab)
        self._orders: list[_Order] = []
        chain = _context_numbers(tokens, order, vocab, None)
        for n in range(1, order + 1):
            self._orders.append(self._count(tokens, chain, n, discount))

    def _count(self, tokens: Ints, chain: list[tuple[Ints, Ints]], n: int, discount: float | None) -> _Order:
        contexts, numbers = chain[n - 1]
        predicted = _predicted(tokens)
        keys = numbers[predicted] * self.vocab + tokens[predicted]
        if n < self.order:  # continuation counts: each longer n-gram once
            longer = chain[n][1][predicted] * self.vocab + tokens[predicted]
            _, first = np.unique(longer, return_index=True)
            keys = keys[first]
        grams, occurrences = np.unique(keys, return_counts=True)
        counts = occurrences.astype(np.float64)
        owners = grams // self.vocab
        size = max(len(contexts), 1)
        once, twice = int((counts == 1).sum()), int((counts == 2).sum())
        estimate = once / (once + 2 * twice) if once else 0.5
        return _Order(
            contexts,
            grams,
            counts,
            _sums(owners, counts, size),
            np.bincount(owners, minlength=size).astype(np.float64),
            estimate if discount is None else discount,
        )

    def nats(self, pairs: EncodedPairs) -> Floats:
        """Negative log-likelihood of each whole reply, its end included.

        Shapes: [pairs]
        """
        tokens, rows = _stream(pairs, self.order, self.vocab)
        known = [order.contexts for order in self._orders]
        chain = _context_numbers(tokens, self.order, self.vocab, known)
        predicted = _predicted(tokens)
        probability = np.full(len(predicted), 1.0 / self.vocab)
        for order, (_, numbers) in zip(self._orders, chain, strict=True):
            probability = _interpolate(order, numbers[predicted], tokens[predicted], self.vocab, probability)
        return _sums(rows[predicted], -np.log(probability), len(pairs))

    def total_nats(self, pairs: Pairs) -> float:
        """Negative log-likelihood of all replies together, in memory that does not grow with them."""
        return float(sum(self.nats(piece).sum() for piece in pieces(pairs, TOGETHER)))


def best_order(train: EncodedPairs, held_out: Pairs, vocab: int, orders: range = range(2, 7)) -> KneserNey:
    """The order with the lowest perplexity on held-out pairs."""
    models = ((KneserNey(train, order, vocab), order) for order in orders)
    tried = ((model.total_nats(held_out), -order, model) for model, order in models)
    return min(tried, key=lambda each: each[:2])[2]


def _stream(pairs: EncodedPairs, order: int, vocab: int) -> tuple[Ints, Ints]:
    """All replies end to end, order - 1 BOS before and EOS after each, and the row of each token."""
    lengths = np.diff(pairs.tgt_starts)
    pad = max(order - 1, 1)
    sizes = lengths + pad + 1
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    tokens = np.full(int(sizes.sum()), BOS, dtype=np.int64)
    rows = np.repeat(np.arange(len(lengths)), sizes)
    inside = np.arange(len(pairs.tgt)) - np.repeat(np.asarray(pairs.tgt_starts[:-1]), lengths)
    tokens[np.repeat(starts + pad, lengths) + inside] = np.where(pairs.tgt < vocab, pairs.tgt, UNK)
    tokens[starts + sizes - 1] = EOS
    return tokens, rows


def _predicted(tokens: Ints) -> Ints:
    """Places of the tokens that are predicted: all but BOS."""
    return np.flatnonzero(tokens != BOS)


def _context_numbers(
    tokens: Ints, order: int, vocab: int, known: list[Ints] | None
) -> list[tuple[Ints, Ints]]:
    """For each length 0 to order - 1 the table of contexts and, for each place, its context's number.

    With ``known`` tables a context that is not in them has number -1.
    """
    numbers = np.zeros(len(tokens), dtype=np.int64)
    chain = [(np.zeros(1, dtype=np.int64), numbers)]
    for length in range(1, order):
        older = np.full(len(tokens), BOS, dtype=np.int64)
        older[length:] = tokens[:-length]
        keys = np.where(numbers >= 0, numbers * vocab + older, -1)
        if known is None:
            table, numbers = np.unique(keys, return_inverse=True)
        else:
            table = known[length]
            numbers = _find(table, keys)
        chain.append((table, numbers))
    return chain


def _sums(owners: Ints, values: Floats, size: int) -> Floats:
    """The sum of the values of each owner."""
    return np.bincount(owners, weights=values, minlength=size).astype(np.float64, copy=False)


def _find(table: Ints, keys: Ints) -> Ints:
    """The place of each key in a sorted table, -1 where it is not in it."""
    places = np.searchsorted(table, keys)
    places = np.minimum(places, len(table) - 1)
    return np.where(table[places] == keys, places, -1)


def _interpolate(order: _Order, contexts: Ints, tokens: Ints, vocab: int, lower: Floats) -> Floats:
    """One step up in order: the lower probability where the context was never seen."""
    places = _find(order.grams, np.where(contexts >= 0, contexts * vocab + tokens, -1))
    counts = np.where(places >= 0, order.counts[places], 0.0)
    safe = np.maximum(contexts, 0)
    totals = np.where(contexts >= 0, order.totals[safe], 0.0)
    types = np.where(contexts >= 0, order.types[safe], 0.0)
    seen = totals > 0
    divisor = np.where(seen, totals, 1.0)
    mixed = np.maximum(counts - order.discount, 0.0) / divisor + order.discount * types / divisor * lower
    return np.where(seen, mixed, lower)
