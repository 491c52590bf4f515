"""Audit: what a bot knows by heart, and what of it could tell who somebody is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.corpus.conversation import Pair
from chatbot.corpus.privacy.personal import kinds_in
from chatbot.evaluation.canaries import Canaries, extrapolated, sampled
from chatbot.evaluation.evaluating import TOGETHER, Tell
from chatbot.evaluation.figure import Figure, rounded
from chatbot.evaluation.material import Memory
from chatbot.evaluation.perplexity import by_reply
from chatbot.evaluation.resampling import ratio
from chatbot.evaluation.saying import folded
from chatbot.evaluation.system import System

SAMPLE = 2000
"""Secrets that a canary is ranked among: sampling alone sees up to 11 bits."""

PERSONAL = 500
"""Training questions whose replies hold personal data that are asked, at most."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """How well canaries are remembered, in bits.

    Args:
        canaries: as they were planted.
        planted, controls: exposure of each canary, and of as many secrets that were never met; extrapolated.
        sampled: the mean of the planted ones as far as sampling sees.
    """

    canaries: Canaries
    planted: tuple[float, ...]
    controls: tuple[float, ...]
    sampled: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, rounded."""
        return {
            **self.canaries.to_json(),
            "exposure": _summary(self.planted),
            "exposure_by_sampling": rounded(self.sampled),
            "never_planted": _summary(self.controls),
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Args:
        exposure: None where no canaries were planted.
        figures: shares of replies.
        kinds: personal data in replies that were copied, by kind; the data itself is never shown.
    """

    name: str
    exposure: Exposure | None
    figures: tuple[Figure, ...]
    kinds: Counter[str]

    def to_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "checkpoint": self.name,
            "canaries": self.exposure.to_json() if self.exposure else None,
            **{figure.name: figure.to_json() for figure in self.figures},
            "kinds": dict(self.kinds),
        }


def audit(
    system: System,
    questions: Sequence[Pair],
    memory: Memory | None,
    personal: Sequence[Pair],
    seed: int,
    tell: Tell,
) -> Audit:
    """Measure what a system gives away.

    Args:
        questions: those of people who mean no harm.
        memory: of the training pairs; None where they are not at hand, and copies are not known.
        personal: training pairs whose replies hold personal data, see ``personal_pairs``.
    """
    planted = Canaries.from_json(system.checkpoint.record.get("canaries"))
    exposure = measured_exposure(system, planted, seed, tell) if planted else None
    figures, kinds = [], Counter[str]()
    if memory is not None:
        replies = _replies(system, questions, "asking usual questions", tell)
        copied = np.array([memory.knows(reply) for reply in replies])
        held = [
            kinds_in(reply) if known else Counter[str]() for reply, known in zip(replies, copied, strict=True)
        ]
        figures.append(Figure.of("training_copied", ratio(copied), seed))
        figures.append(Figure.of("personal_copied", ratio(np.array([bool(each) for each in held])), seed))
        kinds = sum(held, kinds)
    if personal:
        asked = _replies(system, personal, "asking for what is private", tell)
        same = [folded(reply) == folded(pair.tgt) for reply, pair in zip(asked, personal, strict=True)]
        figures.append(Figure.of("personal_given_away", ratio(np.array(same)), seed))
        found = [kinds_in(pair.tgt) for pair, given in zip(personal, same, strict=True) if given]
        kinds = sum(found, kinds)
    return Audit(system.name, exposure, tuple(figures), kinds)


def personal_pairs(training: Iterable[Pair], most: int = PERSONAL) -> list[Pair]:
    """The first training pairs whose replies hold personal data, each question once."""
    found: dict[str, Pair] = {}
    for pair in training:
        if len(found) == most:
            break
        if kinds_in(pair.tgt):
            found.setdefault(folded(pair.src[-1]), pair)
    return list(found.values())


def measured_exposure(
    system: System, canaries: Canaries, seed: int, tell: Tell, sample: int = SAMPLE
) -> Exposure:
    """Rank each canary among random secrets of its own question."""
    random = np.random.default_rng(seed & (2**64 - 1))
    found: dict[str, list[tuple[float, float]]] = {"planted": [], "controls": []}
    sides = {"planted": canaries.planted(), "controls": canaries.controls()}
    for side, pairs in sides.items():
        for number, pair in enumerate(pairs):
            tell(f"ranking secrets that were {_WORDS[side]}", number, len(pairs))
            others = [pair._replace(tgt=canaries.secret(random)) for _ in range(sample)]
            nats = _nats(system, [pair, *others])
            bits = extrapolated(nats[0], nats[1:], canaries.space), sampled(nats[0], nats[1:])
            found[side].append(bits)
    planted, controls = ([bits for bits, _ in found[side]] for side in ("planted", "controls"))
    seen = float(np.mean([bits for _, bits in found["planted"]]))
    return Exposure(canaries, tuple(planted), tuple(controls), seen)


_WORDS = {"planted": "planted", "controls": "never planted"}


def _nats(system: System, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    return by_reply(system.network, system.encode_any(pairs), system.device)[0]


def _replies(system: System, pairs: Sequence[Pair], stage: str, tell: Tell) -> list[str]:
    found: list[str] = []
    for start in range(0, len(pairs), TOGETHER):
        tell(stage, start, len(pairs))
        found += [answer.text for answer in system.answer(pairs[start : start + TOGETHER])]
    return found


def _summary(bits: Sequence[float]) -> dict[str, float | None]:
    return {"mean": rounded(float(np.mean(bits))), "highest": rounded(max(bits))}
