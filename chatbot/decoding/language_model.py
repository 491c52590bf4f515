"""BackOff: an n-gram language model in a few small arrays, quick to ask for many tokens at once.

    P(w | c) = p(c w)                where the model holds the n-gram c w
             = b(c) · P(w | c')      elsewhere; c' is c without its first token, b(c) = 1 for an unknown c

Source: Katz 1987, section II, for the form; who makes the numbers decides how p and b are estimated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.decoding.engine import BOS, UNK

STEPS = 16
"""Steps in a nat of the numbers that are stored: half a step is 3 % of a probability."""

HIGHEST = 4.0
"""Numbers are stored in one byte, from here down to -11.9; a back-off weight may be above 1."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Level:
    """The n-grams of one length, which are known by their place here.

    Shapes: keys [grams], sorted: the number of the n-gram without its last token, times vocab, plus that
    token; log_probs, log_backoffs [grams], in nats.
    """

    keys: Ints
    log_probs: Floats
    log_backoffs: Floats

    def find(self, parents: Ints, tokens: Ints, vocab: int) -> Ints:
        """The number of the n-gram that goes on from each parent with a token; -1 where there is none."""
        wanted = np.where(parents >= 0, parents * vocab + tokens, -1)
        if not len(self.keys):
            return np.full(wanted.shape, -1)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[places] == wanted, places, -1)


class BackOff:
    """A language model of replies: BOS stands before a reply and EOS ends it.

    Args:
        vocab: number of tokens; higher ids are read as <unk>.
        levels: n-grams of length 1, 2, ...; those of length 1 are all tokens, in order. An n-gram is held
            together with all its beginnings.
    """

    def __init__(self, vocab: int, levels: Sequence[Level]) -> None:
        self.vocab = vocab
        self.levels = tuple(levels)

    @property
    def span(self) -> float:
        """By how many nats the log P of two tokens in one place can differ, at most."""
        depth = sum(max(-float(level.log_backoffs.min(initial=0.0)), 0.0) for level in self.levels[:-1])
        return depth - float(min(level.log_probs.min(initial=0.0) for level in self.levels))

    def log_probs(self, prefixes: Ints, tokens: Ints) -> Floats:
        """log P of tokens after the beginnings of replies, in nats.

        Shapes: prefixes [rows, length] (without BOS), tokens [rows, k] -> [rows, k]
        """
        tokens = self._known(tokens)
        found = self.levels[0].log_probs[tokens]
        for length, contexts in enumerate(self._contexts(prefixes), start=1):
            shorter, longer = self.levels[length - 1 : length + 1]
            if not len(longer.keys):
                break
            grams = longer.find(contexts[:, None], tokens, self.vocab)
            backoffs = np.where(contexts >= 0, shorter.log_backoffs[contexts], 0.0)
            found = np.where(grams >= 0, longer.log_probs[grams], found + backoffs[:, None])
        return found

    def _contexts(self, prefixes: Ints) -> Iterator[Ints]:
        """The last 1, 2, ... tokens of each prefix as n-grams, as long as the model has longer ones."""
        begun = np.full((len(prefixes), 1), BOS)
        said = np.concatenate((begun, self._known(prefixes)), axis=1)
        for length in range(1, min(len(self.levels), said.shape[1] + 1)):
            grams = said[:, -length]  # level 1: a token is its own number
            for level, tokens in zip(self.levels[1:], said[:, said.shape[1] - length + 1 :].T, strict=False):
                grams = level.find(grams, tokens, self.vocab)
            yield grams

    def _known(self, tokens: Ints) -> Ints:
        return np.where(tokens < self.vocab, tokens, UNK)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The model as small arrays, those of the n-grams of length 1 named ``log_probs1`` and so on.

        ``followers`` says how many of the next length go on from each; their last tokens are ``tokens``.
        """
        small: type = np.uint16 if self.vocab < 1 << 16 else np.uint32
        found: dict[str, NDArray[Any]] = {}
        for length, level in enumerate(self.levels, start=1):
            found[f"log_probs{length}"] = _bytes(level.log_probs)
            if length > 1:
                found[f"tokens{length}"] = (level.keys % self.vocab).astype(small)
            if length < len(self.levels):
                parents = self.levels[length].keys // self.vocab
                followers = np.bincount(parents, minlength=len(level.keys))
                found[f"followers{length}"] = followers.astype(small)
                found[f"log_backoffs{length}"] = _bytes(level.log_backoffs)
        return found

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], vocab: int) -> BackOff:
        """The model that ``arrays`` gave.

        Raises:
            ValueError: they are of no such model, or of another vocabulary.
        """
        levels: list[Level] = []
        keys = np.arange(vocab)
        while f"log_probs{len(levels) + 1}" in arrays:
            length = len(levels) + 1
            if length > 1:
                tokens = arrays[f"tokens{length}"].astype(np.int64)
                keys = _parents(arrays[f"followers{length - 1}"], tokens) * vocab + tokens
            log_probs = _numbers(arrays[f"log_probs{length}"])
            stored = arrays.get(f"log_backoffs{length}")
            backoffs = np.zeros(len(keys)) if stored is None else _numbers(stored)
            levels.append(Level(keys, log_probs, backoffs))
            _check(levels, vocab)
        if not levels:
            raise ValueError("holds no language model")
        return cls(vocab, levels)


def _bytes(logs: Floats) -> NDArray[np.uint8]:
    return np.clip(np.rint((HIGHEST - logs) * STEPS), 0, 255).astype(np.uint8)


def _numbers(stored: NDArray[np.uint8]) -> Floats:
    if stored.dtype != np.uint8:
        raise ValueError(f"holds numbers of type {stored.dtype}")
    return HIGHEST - stored.astype(np.float64) / STEPS


def _parents(followers: NDArray[Any], tokens: Ints) -> Ints:
    """The number of the shorter n-gram that each goes on from. Raises ValueError for other numbers."""
    counts = followers.astype(np.int64)
    if (counts < 0).any() or int(counts.sum()) != len(tokens):
        raise ValueError(f"holds {len(tokens)} runs where {int(counts.sum())} are counted")
    return np.repeat(np.arange(len(counts)), counts)


def _check(levels: Sequence[Level], vocab: int) -> None:
    """Raises ValueError where the last level does not fit the ones before it."""
    last, parents = levels[-1], vocab if len(levels) == 1 else len(levels[-2].keys) * vocab
    shapes = {array.shape for array in (last.keys, last.log_probs, last.log_backoffs)}
    sound = shapes == {last.keys.shape} and last.keys.ndim == 1 and bool((np.diff(last.keys) > 0).all())
    if not sound or (len(last.keys) and last.keys[-1] >= parents):
        raise ValueError(f"its runs of {len(levels)} tokens do not fit together")
