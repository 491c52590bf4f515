"""A model small enough to be searched exhaustively, and slow, plain twins of what the searches do.

The model is a table of log-probabilities by previous token (a transition matrix), by position and by
source: exact, instant, and every hypothesis' log-probability can be read off the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, EOS, Bias, Candidates
from chatbot.decoding.limits import Limits

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """The state: for each row its source and all it has said, BOS first."""

    sources: list[Tokens]
    prefixes: list[Tokens]

    def select(self, rows: NDArray[np.int64]) -> Rows:
        return Rows([self.sources[i] for i in rows], [self.prefixes[i] for i in rows])


class TransitionEngine:
    """The last token, its position and the first token of the source decide what may follow.

    Shapes: tables [sources, positions, vocab, vocab]; the last position serves all later ones.
    """

    def __init__(self, tables: NDArray[np.float32]) -> None:
        self.tables = tables
        self.vocab: int = tables.shape[-1]
        self.calls: list[int] = []  # rows of each step

    def row(self, source: Sequence[int], prefix: Tokens) -> NDArray[np.float32]:
        """Log-probabilities of what follows ``prefix``, BOS included."""
        table = self.tables[source[0] % len(self.tables)]
        return table[min(len(prefix), len(table)) - 1, prefix[-1]]

    def looked(self, source: Sequence[int], prefix: Tokens) -> NDArray[np.float32]:
        """A row of weights that tells one prefix from another."""
        looks = np.array([1 + (sum(prefix) * (j + 3) + len(prefix)) % 7 for j in range(len(source))])
        return (looks / looks.sum()).astype(np.float32)

    def start(self, sources: Sequence[Sequence[int]]) -> Rows:
        assert all(len(source) for source in sources)
        return Rows([tuple(source) for source in sources], [() for _ in sources])

    def step(self, tokens: NDArray[np.int64], state: Rows, k: int, bias: Bias | None = None) -> Candidates:
        rows = len(state.sources)
        assert tokens.shape == (rows,)
        assert rows > 0
        assert EOS not in tokens, "an ended hypothesis was extended"
        assert 1 <= k <= self.vocab
        self.calls.append(rows)
        said = [(*prefix, int(token)) for prefix, token in zip(state.prefixes, tokens, strict=True)]
        scores = np.stack([self.row(s, p) for s, p in zip(state.sources, said, strict=True)])
        if bias is not None:
            np.add.at(scores, (bias.rows, bias.tokens), bias.values)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        weights = np.zeros((rows, max(map(len, state.sources))), np.float32)
        for i, (source, prefix) in enumerate(zip(state.sources, said, strict=True)):
            weights[i, : len(source)] = self.looked(source, prefix)
        return Candidates(best, np.take_along_axis(scores, best, axis=1), weights, Rows(state.sources, said))


class TablePrior:
    """What a token gains, by source, last token and token. Shapes: table [sources, vocab, vocab]"""

    def __init__(self, table: NDArray[np.float64]) -> None:
        self.table = table

    def gain(self, source: int, said: Tokens, token: int) -> float:
        """What ``token`` gains after ``said``."""
        return float(self.table[source, said[-1] if said else BOS, token])

    def gains(
        self,
        prefixes: NDArray[np.int64],
        owners: NDArray[np.int64],
        tokens: NDArray[np.int64],
        log_probs: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        assert tokens.shape == log_probs.shape
        assert len(prefixes) == len(owners) == len(tokens)
        last = prefixes[:, -1] if prefixes.shape[1] else np.full(len(owners), BOS)
        return self.table[owners[:, None], last[:, None], tokens]


class BoundedTablePrior(TablePrior):
    """The same, for the first two tokens only; it knows what it can still add."""

    def gain(self, source: int, said: Tokens, token: int) -> float:
        return super().gain(source, said, token) if len(said) < 2 else 0.0

    def gains(
        self,
        prefixes: NDArray[np.int64],
        owners: NDArray[np.int64],
        tokens: NDArray[np.int64],
        log_probs: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        return super().gains(prefixes, owners, tokens, log_probs) * (prefixes.shape[1] < 2)

    def ceiling(self, length: int) -> float:
        return max(0, 2 - length) * max(0.0, float(self.table.max()))


class Twins:
    """What the searches should find, worked out the long way from the tables."""

    @staticmethod
    def log_prob(engine: TransitionEngine, source: Sequence[int], tokens: Tokens) -> float:
        """Forced decoding: the sum over the tokens given."""
        said = (BOS, *tokens)
        return sum(float(engine.row(source, said[: i + 1])[token]) for i, token in enumerate(tokens))

    @staticmethod
    def total(
        engine: TransitionEngine,
        source: Sequence[int],
        tokens: Tokens,
        limits: Limits,
        prior: TablePrior | None = None,
    ) -> float:
        """The sum that hypotheses of one length are compared by."""
        total = 0.0
        for i, token in enumerate(tokens):
            again = token in tokens[:i]
            step = float(engine.row(source, (BOS, *tokens[:i]))[token])
            total += step * (limits.repetition_penalty if again else 1)
            total += prior.gain(source[0] % len(engine.tables), tokens[:i], token) if prior else 0
        return total

    @staticmethod
    def score(
        engine: TransitionEngine,
        source: Sequence[int],
        tokens: Tokens,
        limits: Limits,
        prior: TablePrior | None = None,
    ) -> float:
        length = len(tokens)
        wu = (5 + length) ** limits.length_penalty / 6**limits.length_penalty
        penalty = {"wu": wu, "average": length or 1}[limits.normalize]
        covered = sum(
            math.log(
                min(
                    1,
                    max(
                        1e-4, sum(float(engine.looked(source, (BOS, *tokens[:j]))[i]) for j in range(length))
                    ),
                )
            )
            for i in range(len(source))
        )
        total = Twins.total(engine, source, tokens, limits, prior)
        return total / penalty + limits.coverage_penalty * covered

    @staticmethod
    def repeats(tokens: Tokens, ngram: int) -> bool:
        grams = [tokens[i : i + ngram] for i in range(len(tokens) - ngram + 1)]
        return ngram > 0 and len(set(grams)) < len(grams)

    @staticmethod
    def continuations(
        engine: TransitionEngine, source: Sequence[int], tokens: Tokens, limits: Limits
    ) -> list[int]:
        """Every token that may follow; none after EOS or at the maximum length."""
        if len(tokens) == limits.max_length or EOS in tokens:
            return []
        row = engine.row(source, (BOS, *tokens))
        return [
            token
            for token in range(engine.vocab)
            if row[token] > -np.inf
            and token not in limits.never
            and (token != EOS or len(tokens) >= limits.min_length)
            and not Twins.repeats((*tokens, token), limits.block_ngram)
        ]

    @staticmethod
    def everything(
        engine: TransitionEngine, source: Sequence[int], limits: Limits, tokens: Tokens = ()
    ) -> Iterator[Tokens]:
        """Every reply there is: ended, or unable to go on."""
        following = Twins.continuations(engine, source, tokens, limits)
        if not following:
            yield tokens
        for token in following:
            yield from Twins.everything(engine, source, limits, (*tokens, token))

    @staticmethod
    def ranked(
        engine: TransitionEngine,
        source: Sequence[int],
        replies: Sequence[Tokens],
        limits: Limits,
        prior: TablePrior | None = None,
    ) -> list[Tokens]:
        """Ended ones first, then by score."""
        return sorted(
            replies,
            key=lambda tokens: (EOS not in tokens, -Twins.score(engine, source, tokens, limits, prior)),
        )

    @staticmethod
    def beam(
        engine: TransitionEngine,
        source: Sequence[int],
        beam: int,
        limits: Limits,
        prior: TablePrior | None = None,
    ) -> list[Tokens]:
        """All that a beam search which never stops early puts away, best first."""
        rows: list[Tokens] = [()]
        found: list[Tokens] = []
        while rows:
            longer = []
            for tokens in rows:
                following = Twins.continuations(engine, source, tokens, limits)
                longer += [(*tokens, token) for token in following]
                found += [] if following else [tokens]
            longer.sort(key=lambda tokens: -Twins.total(engine, source, tokens, limits, prior))
            rows = longer[:beam]
        return Twins.ranked(engine, source, found, limits, prior)


def random_engine(
    seed: int, vocab: int = 7, sources: int = 1, positions: int = 3, spread: float = 1.5, holes: float = 0.0
) -> TransitionEngine:
    """Log-softmax of normal numbers times ``spread``; a share ``holes`` of the tokens is impossible."""
    random = np.random.default_rng(seed)
    logits = random.normal(size=(sources, positions, vocab, vocab)) * spread
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    log_probs[random.random(log_probs.shape) < holes] = -np.inf
    return TransitionEngine(log_probs.astype(np.float32))


@pytest.fixture(scope="session")
def twins() -> type[Twins]:
    return Twins


@pytest.fixture(scope="session")
def make_engine() -> Callable[..., TransitionEngine]:
    """A random engine from a seed; see ``random_engine``."""
    return random_engine


@pytest.fixture(scope="session")
def engine_of() -> Callable[[dict[Tokens, dict[int, float]]], TransitionEngine]:
    """An engine from probabilities by (position, last token); what is not named is impossible."""

    def build(probabilities: dict[Tokens, dict[int, float]], vocab: int = 7) -> TransitionEngine:
        positions = 1 + max(position for position, _ in probabilities)
        table = np.zeros((1, positions, vocab, vocab))
        for (position, last), following in probabilities.items():
            for token, probability in following.items():
                table[0, position, last, token] = probability
        with np.errstate(divide="ignore"):
            return TransitionEngine(np.log(table).astype(np.float32))

    return build


@pytest.fixture(scope="session")
def make_prior() -> Callable[..., TablePrior]:
    """A prior that likes and dislikes tokens at random; one that knows its bounds, where asked for."""

    def build(seed: int, vocab: int = 7, sources: int = 1, bounded: bool = False) -> TablePrior:
        table = np.random.default_rng(seed).normal(size=(sources, vocab, vocab)) * 1.5
        return BoundedTablePrior(table) if bounded else TablePrior(table)

    return build
