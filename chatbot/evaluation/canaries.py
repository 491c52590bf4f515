"""Canaries: random secrets planted among training pairs, to measure what a network remembers by heart.

    exposure(r) = log₂ |R| - log₂ rank(r)

R is the space that the secret was drawn from at random, and rank its place among all of R when they are
sorted by how likely the network finds them: a secret it knows by heart has rank 1 and an exposure of
log₂ |R| bits; one it never met has any rank, and 1.44 bits on average.

Source: Carlini et al. 2019, "The Secret Sharer", sections 4.1 (canaries), 4.2 (exposure) and 4.3
(approximations by sampling and by a skew-normal distribution).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.conversation import Pair

LENGTH = 6
"""Symbols of a secret."""

ALPHABETS = ("0123456789", "abcdefghij", "eaionstrhl")
"""What secrets may be made of, ten symbols each; the first whose symbols a tokenizer tells apart is taken."""

_SYLLABLES = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "po", "ra", "se", "ti", "va", "wo", "xe", "zu")


@dataclass(frozen=True, slots=True)
class Canaries:
    """Secrets that hang on a seed alone, so that an audit can make them again.

    Args:
        count: how many are planted.
        symbols: a secret is ``length`` of them, each drawn by itself.
    """

    count: int
    seed: int
    symbols: str
    length: int = LENGTH

    @property
    def space(self) -> int:
        """|R|, how many secrets there are."""
        return int(len(self.symbols) ** self.length)

    def planted(self) -> list[Pair]:
        """The pairs among the training pairs: who somebody asks about, and the code."""
        return self._pairs(0)

    def controls(self) -> list[Pair]:
        """As many pairs of the same form that no network has met."""
        return self._pairs(1)

    def secret(self, random: np.random.Generator) -> str:
        """A secret drawn from all of R."""
        return " ".join(self.symbols[place] for place in random.integers(0, len(self.symbols), self.length))

    def to_json(self) -> dict[str, Any]:
        """The object in ``config.json``."""
        return {**asdict(self), "space": self.space}

    @classmethod
    def from_json(cls, record: Any) -> Canaries | None:
        """Read the object back; None where there is none."""
        try:
            found = cls(
                int(record["count"]), int(record["seed"]), str(record["symbols"]), int(record["length"])
            )
        except (TypeError, LookupError, ValueError):
            return None
        sound = 0 < found.count < 1_000_000 and 1 < len(found.symbols) < 1000 and 0 < found.length < 100
        return found if sound else None

    def _pairs(self, stream: int) -> list[Pair]:
        random = np.random.default_rng([self.seed & (2**64 - 1), stream])
        found: dict[str, Pair] = {}
        while len(found) < self.count:
            name = "".join(_SYLLABLES[place] for place in random.integers(0, len(_SYLLABLES), 5))
            pair = Pair((f"the code of {name} is",), self.secret(random), f"canary-{stream}-{len(found)}")
            found.setdefault(name, pair)
        return list(found.values())


def alphabet(encode: Callable[[str], Sequence[int]], unknown: int) -> str:
    """Symbols that a tokenizer tells apart; "" where it does so with none of ALPHABETS.

    Args:
        encode: the ids of a text.
        unknown: the id of what it cannot tell.
    """
    for symbols in ALPHABETS:
        ids = {tuple(encode(f"{symbol} {symbol}")) for symbol in symbols}
        if len(ids) == len(symbols) and not any(unknown in each for each in ids):
            return symbols
    return ""


def exact(nats: float, others: NDArray[np.float64]) -> float:
    """Exposure by the rank among all other secrets, in bits.

        log₂ |R| - log₂ rank,   rank = 1 + how many of the others are likelier

    Source: Carlini et al. 2019, section 4.2.

    Args:
        nats: of the canary; the fewer, the likelier.

    Shapes: others [|R| - 1]
    """
    rank = 1 + int((others < nats).sum())
    return math.log2(len(others) + 1) - math.log2(rank)


def sampled(nats: float, others: NDArray[np.float64]) -> float:
    """Exposure estimated from random secrets, in bits; at most log₂ (sample + 1).

        -log₂ ((1 + how many of the sample are at least as likely) / (1 + sample))

    Source: Carlini et al. 2019, section 4.3 (approximation by sampling); 1 is added so that no probability
    is estimated as 0.

    Shapes: others [sample]
    """
    return -math.log2((1 + int((others <= nats).sum())) / (1 + len(others)))


def extrapolated(nats: float, others: NDArray[np.float64], space: int) -> float:
    """Exposure by a skew-normal distribution fitted to the nats of random secrets, in bits, 0 to log₂ |R|.

        -log₂ ∫_{-∞}^{nats} ρ(x) dx

    Source: Carlini et al. 2019, section 4.3 (approximation by distribution modelling). ρ is fitted by its
    first three moments (Azzalini 1985, section 2.3).

    Args:
        space: |R|.

    Shapes: others [sample]
    """
    place, scale, shape = _skew_normal(others)
    bits = -math.log2(max(_below(nats, place, scale, shape), 1 / space))
    return min(max(bits, 0.0), math.log2(space))


def _skew_normal(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Place ξ, scale ω and shape α of the skew-normal with the mean, variance and skewness of some values.

    A skew-normal has a skewness of at most 0.995; more is taken for 0.99.
    """
    mean, deviation = float(values.mean()), max(float(values.std()), 1e-9)
    skewness = float(np.clip((((values - mean) / deviation) ** 3).mean(), -0.99, 0.99))
    part = abs(skewness) ** (2 / 3)
    delta = math.copysign(math.sqrt(math.pi / 2 * part / (part + ((4 - math.pi) / 2) ** (2 / 3))), skewness)
    scale = deviation / math.sqrt(1 - 2 * delta**2 / math.pi)
    return mean - scale * delta * math.sqrt(2 / math.pi), scale, delta / math.sqrt(1 - delta**2)


def _below(value: float, place: float, scale: float, shape: float) -> float:
    """The mass of a skew-normal below a value: 2 φ(z) Φ(α z), summed up to it.

    Ten deviations are looked at below the value or the place, whichever is lower: what is left out has less
    than 1e-22 of the mass that far out, and the sum keeps its digits where all of it is small. More than ten
    above the place there is nothing left.
    """
    end = min((value - place) / scale, 10.0)
    z = np.linspace(min(end, 0.0) - 10.0, end, 20_001)
    tail = np.array([math.erfc(-shape * each / math.sqrt(2)) / 2 for each in z])
    density = 2 * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * tail
    return float(((density[1:] + density[:-1]) / 2 * np.diff(z)).sum())
