"""Kneser-Ney against nltk's and against a plain twin that counts with dictionaries."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from nltk.lm.models import InterpolatedLanguageModel
from nltk.lm.smoothing import KneserNey as NltkKneserNey

from chatbot.dataset.encoded import EncodedPairs
from chatbot.evaluation.ngram import KneserNey, best_order

BOS, EOS = 2, 3
Replies = list[list[int]]


def pairs_of(replies: Replies, vocab: int) -> EncodedPairs:
    return EncodedPairs.from_lists([[4]] * len(replies), replies, [1] * len(replies), vocab)


def random_replies(seed: int, count: int, vocab: int, longest: int = 6) -> Replies:
    """Some tokens are much commoner than others, as in speech."""
    random = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, vocab - 3)
    lengths = random.integers(1, longest + 1, count)
    return [(random.choice(vocab - 4, length, p=share / share.sum()) + 4).tolist() for length in lengths]


class Twin:
    """The formula of the module, n-gram by n-gram.

    P(w | c) = max(N(c w) - D, 0) / N(c) + D T(c) / N(c) P(w | c'), N continuation counts below the top.
    """

    def __init__(self, replies: Replies, order: int, vocab: int, discount: float | None = None) -> None:
        self.vocab, self.order = vocab, order
        self.counts: dict[int, Counter[tuple[int, ...]]] = {order: Counter(grams(replies, order))}
        for n in range(order - 1, 0, -1):
            longer = set(grams(replies, n + 1))
            self.counts[n] = Counter(gram[1:] for gram in longer)
        self.discounts = {n: self._discount(n, discount) for n in self.counts}

    def _discount(self, n: int, discount: float | None) -> float:
        of = Counter(self.counts[n].values())
        estimate = of[1] / (of[1] + 2 * of[2]) if of[1] else 0.5
        return estimate if discount is None else discount

    def probability(self, word: int, context: tuple[int, ...]) -> float:
        n = len(context) + 1
        lower = 1 / self.vocab if n == 1 else self.probability(word, context[1:])
        following = {gram[-1]: count for gram, count in self.counts[n].items() if gram[:-1] == context}
        total = sum(following.values())
        if not total:
            return lower
        kept = max(following.get(word, 0) - self.discounts[n], 0.0)
        return kept / total + self.discounts[n] * len(following) / total * lower

    def nats(self, reply: list[int]) -> float:
        return -sum(math.log(self.probability(gram[-1], gram[:-1])) for gram in grams([reply], self.order))


def grams(replies: Replies, n: int) -> list[tuple[int, ...]]:
    """Every n-gram that ends in a token or in EOS; in front of a reply there is BOS as often as needed."""
    found = []
    for reply in replies:
        padded = [BOS] * (n - 1) + reply + [EOS]
        found += [tuple(padded[at : at + n]) for at in range(len(reply) + 1)]
    return found


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("discount", [None, 0.75])
def test_nats_are_those_of_the_formula(order: int, discount: float | None) -> None:
    vocab, train, asked = 12, random_replies(1, 60, 12), random_replies(2, 30, 12)
    model, twin = (
        KneserNey(pairs_of(train, vocab), order, vocab, discount),
        Twin(train, order, vocab, discount),
    )
    assert model.nats(pairs_of(asked, vocab)) == pytest.approx([twin.nats(reply) for reply in asked])


class Interpolated(InterpolatedLanguageModel):
    """nltk's Kneser-Ney, its unigrams interpolated with the uniform distribution as ours are."""

    def __init__(self, order: int, discount: float, vocab: int) -> None:
        super().__init__(NltkKneserNey, order, params={"discount": discount, "order": order})
        self.size = vocab

    def unmasked_score(self, word: str, context: tuple[str, ...] | None = None) -> float:
        if context:
            return float(super().unmasked_score(word, context))
        count, total = self.estimator._continuation_counts(word)
        types = len({gram for counts in self.counts[2].values() for gram in counts})
        discount = self.estimator.discount
        return (max(count - discount, 0.0) + discount * types / self.size) / total


@pytest.mark.parametrize("order", [2, 3])
def test_probabilities_are_those_of_nltk(order: int) -> None:
    vocab, discount, train, asked = 9, 0.6, random_replies(3, 40, 9), random_replies(4, 20, 9)
    other = Interpolated(order, discount, vocab)
    text = [[tuple(map(str, gram)) for n in range(1, order + 1) for gram in grams(train, n)]]
    other.fit(text, vocabulary_text=map(str, range(vocab)))
    expected = [
        -sum(
            math.log(other.score(str(gram[-1]), list(map(str, gram[:-1])))) for gram in grams([reply], order)
        )
        for reply in asked
    ]
    ours = KneserNey(pairs_of(train, vocab), order, vocab, discount).nats(pairs_of(asked, vocab))
    assert ours == pytest.approx(expected)


def test_unigrams_sum_to_one() -> None:
    """Read off replies of one token: nats(w) - nats(nothing) is that of w alone."""
    vocab = 12
    model = KneserNey(pairs_of(random_replies(5, 30, vocab), vocab), 1, vocab)
    nothing, *words = np.exp(-model.nats(pairs_of([[], *([word] for word in range(vocab))], vocab)))
    unseen = words[0] / nothing  # <pad>, as likely as BOS, which cannot be asked for
    others = [share / nothing for word, share in enumerate(words) if word not in (BOS, EOS)]
    assert sum(others) + unseen + nothing == pytest.approx(1)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_formula_sums_to_one(order: int) -> None:
    """The twin's, in every context that occurs and in some that do not; the model's nats are the twin's."""
    twin = Twin(random_replies(5, 30, 7), order, 7)
    for context in {gram[:-1] for gram in grams(random_replies(6, 9, 7), order)}:
        assert sum(twin.probability(word, context) for word in range(7)) == pytest.approx(1)


def test_tokens_and_contexts_never_seen_cost_something_finite() -> None:
    model = KneserNey(pairs_of([[4, 5]], 100), 3, 100, discount=0.5)
    nats = model.nats(pairs_of([[4, 5], [99, 98], [4, 99]], 100))
    assert np.isfinite(nats).all()
    assert nats[0] < nats[2] < nats[1]


def test_replies_do_not_look_at_the_ones_before_them() -> None:
    replies = random_replies(7, 20, 12)
    model = KneserNey(pairs_of(replies, 12), 4, 12)
    alone = [model.nats(pairs_of([reply], 12))[0] for reply in replies]
    assert model.nats(pairs_of(replies, 12)) == pytest.approx(alone)


def test_a_large_vocabulary_takes_no_more_room() -> None:
    vocab = 60_000
    model = KneserNey(pairs_of([[59_999, 4], [4, 59_999]], vocab), 5, vocab)
    assert np.isfinite(model.nats(pairs_of([[59_999, 4]], vocab))).all()


def test_best_order_is_the_one_with_the_fewest_nats() -> None:
    """Text in which a token is decided by the two before it."""
    random = np.random.default_rng(8)
    replies = []
    for _ in range(300):
        reply = random.integers(4, 8, 2).tolist()
        while len(reply) < 8:
            reply.append(4 + (reply[-1] * 3 + reply[-2]) % 4)
        replies.append(reply)
    train, held_out = pairs_of(replies[:200], 8), pairs_of(replies[200:], 8)
    best = best_order(train, held_out, 8)
    sums = {order: KneserNey(train, order, 8).nats(held_out).sum() for order in range(2, 7)}
    assert sums[best.order] == min(sums.values())
    assert best.order >= 3


def test_words_of_questions_are_unknown_ones() -> None:
    """Ids beyond the vocabulary, which would be taken for other tokens."""
    vocab = 9
    replies = [*random_replies(5, 40, vocab), [vocab, 4], [4, vocab + 3, vocab]]
    unknown = [[token if token < vocab else 1 for token in reply] for reply in replies]
    found, wanted = (
        KneserNey(pairs_of(each, 14), 3, vocab).nats(pairs_of(each, 14)) for each in (replies, unknown)
    )
    np.testing.assert_array_equal(found, wanted)
