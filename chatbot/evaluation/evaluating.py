"""Evaluating: every figure of a checkpoint on some pairs, in sections, with intervals and baselines."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chatbot.corpus.conversation import Pair
from chatbot.dataset.encoded import EncodedPairs
from chatbot.dataset.joined import take
from chatbot.evaluation.bleu import bleu, chrf, chrf_sums
from chatbot.evaluation.calibration import covered, token_sureness
from chatbot.evaluation.figure import Figure, rounded
from chatbot.evaluation.looking import look, punctuation_mass, punctuation_tokens
from chatbot.evaluation.material import Material, Memory, Questions
from chatbot.evaluation.ngram import KneserNey, best_order
from chatbot.evaluation.perplexity import by_reply, fit_of
from chatbot.evaluation.ranking import CANDIDATES, drawn, hits
from chatbot.evaluation.resampling import exponential, ratio
from chatbot.evaluation.saying import Said, figures
from chatbot.evaluation.system import Answered, System
from chatbot.text.tokenizer import UNK

RANKED = 1000
"""Questions whose true reply is looked for among others, at most."""

LOOKED_AT = 1000
"""Pairs that attention and the sureness of tokens are watched on, at most."""

ANTI_LM = 0.8
"""λ of what a reply is likely to be whatever the question; of 0.3 to 1 it found most (docs/evaluate.md)."""

OWN_RANKINGS = {"likelihood": "", "information": "_informed"}
"""Ways in which a bot's own probabilities rank replies, and what their figures' names end in."""

TIMED = 50
"""Questions that are answered one by one, to be timed."""

NGRAM_PAIRS = 400_000
"""The n-gram reads at most so many training replies, spread evenly, to bound its memory."""

TOGETHER = 256
"""Questions answered between two words of progress."""

Tell = Callable[[str, int, int], None]
"""Told what is being done, and how much of how much of it is."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured of one checkpoint.

    Args:
        sections: figures by what they are about, each section in the order it is shown in.
        corpora: pairs and perplexity of each corpus.
        coverage: (share of questions answered, mean sentence chrF of the replies), the surest replies first.
        sure_by: what is taken for sureness there: "confidence" or "score".
        replies: in the order of the questions.
    """

    name: str
    sections: Mapping[str, Sequence[Figure]]
    corpora: Mapping[str, Mapping[str, Any]]
    coverage: Sequence[tuple[float, float]]
    sure_by: str
    ngram_order: int | None
    signatures: Mapping[str, str]
    machine: str
    replies: Sequence[str]

    def figures(self) -> Iterator[Figure]:
        """All figures."""
        return (figure for section in self.sections.values() for figure in section)

    def to_json(self) -> dict[str, Any]:
        """One object, without the replies."""
        return {
            "checkpoint": self.name,
            **{name: {each.name: each.to_json() for each in part} for name, part in self.sections.items()},
            "corpora": self.corpora,
            "coverage": [{"answered": share, "chrf": rounded(worth)} for share, worth in self.coverage],
            "sure_by": self.sure_by,
            "ngram_order": self.ngram_order,
            "signatures": dict(self.signatures),
            "machine": self.machine,
        }


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Measures systems on the same questions.

    Args:
        material: the corpora, for baselines.
        memory: what the training pairs tell; None where they are not at hand.
        seed: of intervals and of the candidates that a true reply is ranked among.
    """

    material: Material
    questions: Questions
    memory: Memory | None
    seed: int
    tell: Tell

    def evaluate(self, system: System) -> Evaluation:
        """Every figure of a system."""
        pairs = self.questions.pairs
        encoded = system.encode(pairs)
        ngrams = self._ngrams(system, encoded)
        self.tell("predicting the true replies", 0, len(pairs))
        nats, correct = by_reply(system.network, encoded, system.device)
        others = {name: model.nats(encoded) for name, model in ngrams.items()}
        others["uniform"] = encoded.tgt_lengths * np.log(system.tokenizer.vocab)
        answers = self._answers(system)
        said = self._said(answers)
        sections = {
            "predicting": self._predicting(encoded, system, nats, correct, others),
            "saying": figures(said, self._looked_up(), self.seed),
            "finding": self._finding(system, ngrams),
            "looking": self._looking(system, encoded),
            "calibration": self._calibration(system, encoded),
            "speed": self._speed(system),
        }
        worth = chrf_sums(said.replies, said.references)
        sure_by, sureness = _sureness(answers)
        return Evaluation(
            system.name,
            {name: part for name, part in sections.items() if part},
            self._by_corpus(encoded, nats, others),
            covered(sureness, worth.score(worth.parts).tolist()),
            sure_by,
            ngrams["ngram"].order if ngrams else None,
            {
                name: of(said.replies, said.references).signature
                for name, of in (("bleu", bleu), ("chrf", chrf))
            },
            _machine(system),
            said.replies,
        )

    def _ngrams(self, system: System, encoded: EncodedPairs) -> dict[str, KneserNey]:
        """Models of the replies alone, over the system's tokens of the same training replies.

        The order, 2 to 6, is the best on the text itself, so the comparison favours the n-gram.
        """
        if self.memory is None:
            return {}
        self.tell("making baselines", 0, 0)
        total = sum(map(len, self.material.train))
        every = -(-total // NGRAM_PAIRS)
        pairs = (pair for at, pair in enumerate(self.material.training_pairs()) if at % every == 0)
        train = system.encode_training(pairs)
        vocab = system.tokenizer.vocab
        return {"ngram": best_order(train, encoded, vocab), "unigram": KneserNey(train, 1, vocab)}

    def _predicting(
        self,
        encoded: EncodedPairs,
        system: System,
        nats: NDArray[np.float64],
        correct: NDArray[np.int64],
        others: Mapping[str, NDArray[np.float64]],
    ) -> list[Figure]:
        words = encoded.words + 1
        characters = np.array([len(" ".join(pair.tgt.split())) for pair in self.questions.pairs]) + 1
        found = []
        for name, lengths in (("perplexity_per_word", words), ("perplexity_per_character", characters)):
            beside = {other: exponential(cost, lengths).value for other, cost in others.items()}
            found.append(Figure.of(name, exponential(nats, lengths), self.seed, beside))
        even = {"uniform": 1 / system.tokenizer.vocab}
        found.append(Figure.of("token_accuracy", ratio(correct, encoded.tgt_lengths), self.seed, even))
        for side, ids, starts in (
            ("unknown_in_replies", encoded.tgt, encoded.tgt_starts),
            ("unknown_in_questions", encoded.src, encoded.src_starts),
        ):
            missing = np.concatenate([[0], np.cumsum(np.asarray(ids) == UNK)])[starts]
            found.append(Figure.of(side, ratio(np.diff(missing), np.diff(starts)), self.seed))
        return found

    def _by_corpus(
        self,
        encoded: EncodedPairs,
        nats: NDArray[np.float64],
        others: Mapping[str, NDArray[np.float64]],
    ) -> dict[str, dict[str, Any]]:
        """Perplexity per word of each corpus."""
        found = {}
        names = np.array(self.questions.corpora)
        for name in dict.fromkeys(self.questions.corpora):
            rows = np.flatnonzero(names == name)
            part = encoded.select(rows)
            fits = {each: fit_of(part, cost[rows].sum()) for each, cost in {"bot": nats, **others}.items()}
            figures_of = {each: rounded(fit.perplexity) for each, fit in fits.items()}
            found[name] = {"pairs": len(rows), "perplexity": figures_of}
        return found

    def _answers(self, system: System) -> list[Answered]:
        found: list[Answered] = []
        pairs = self.questions.pairs
        for start in range(0, len(pairs), TOGETHER):
            self.tell("answering", start, len(pairs))
            found += system.answer(pairs[start : start + TOGETHER])
        return found

    def _said(self, answers: Sequence[Answered]) -> Said:
        pairs = self.questions.pairs
        return Said(
            [answer.text for answer in answers],
            [pair.src[-1] for pair in pairs],
            [pair.tgt for pair in pairs],
            self.memory.knows if self.memory else None,
        )

    def _looked_up(self) -> dict[str, list[str]]:
        """Replies of baselines that make none of their own."""
        if self.memory is None:
            return {}
        self.tell("looking replies up", 0, len(self.questions.pairs))
        return {
            "retrieval": [self.memory.look_up(pair.src[-1]) for pair in self.questions.pairs],
            "commonest": [self.memory.commonest] * len(self.questions.pairs),
        }

    def _finding(self, system: System, ngrams: Mapping[str, KneserNey]) -> list[Figure]:
        """Hits of the true reply among candidates, ranked in the ways of ``_scores``."""
        pairs = _spread(self.questions.pairs, RANKED)
        candidates = drawn([pair.tgt for pair in pairs], self.seed)
        if candidates is None:
            return []
        parts: dict[str, list[NDArray[np.float64]]] = {}
        for start in range(0, len(pairs), TOGETHER // 2):
            self.tell(f"finding the true reply among {CANDIDATES}", start, len(pairs))
            block = range(start, min(start + TOGETHER // 2, len(pairs)))
            asked = [pairs[row]._replace(tgt=pairs[other].tgt) for row in block for other in candidates[row]]
            for name, scores in self._scores(system, ngrams, asked).items():
                parts.setdefault(name, []).append(scores.reshape(len(block), CANDIDATES))
        return self._hits({name: np.concatenate(scores) for name, scores in parts.items()})

    def _hits(self, ranked: Mapping[str, NDArray[np.float64]]) -> list[Figure]:
        """Hits of the bot by each of its ways to rank, beside those of the baselines."""
        found = []
        for own, ending in OWN_RANKINGS.items():
            for k in (1, 5):
                beside = {
                    name: float(hits(scores, k).mean())
                    for name, scores in ranked.items()
                    if name not in OWN_RANKINGS
                }
                beside["chance"] = k / CANDIDATES
                if own in ranked:
                    sums = ratio(hits(ranked[own], k))
                    found.append(Figure.of(f"hits_at_{k}{ending}", sums, self.seed, beside))
        return found

    def _scores(
        self, system: System, ngrams: Mapping[str, KneserNey], asked: Sequence[Pair]
    ) -> dict[str, NDArray[np.float64]]:
        """How good each reply is for its question, by whom.

            log p(T | S) / |T|    and    (log p(T | S) - 0.8 log u(T)) / |T|

        u is the n-gram, which has not heard the question S; |T| counts the end. Source of the second: Li et
        al. 2016, section 3 (MMI-antiLM).
        """
        encoded = system.encode_any(asked)
        lengths = encoded.tgt_lengths
        nats = by_reply(system.network, encoded, system.device)[0]
        found = {"likelihood": -nats / lengths}
        if self.memory is not None:
            alone = ngrams["ngram"].nats(encoded)
            found["information"] = (ANTI_LM * alone - nats) / lengths
            found["ngram"] = -alone / lengths
            between = self.memory.index.between
            found["tf-idf"] = np.array([between(pair.src[-1], pair.tgt) for pair in asked])
        return found

    def _looking(self, system: System, encoded: EncodedPairs) -> list[Figure]:
        """What attention does."""
        some = take(encoded, LOOKED_AT)
        self.tell("watching attention", 0, len(some))
        seen = look(system.network, some, system.device)
        names = ("entropy", "heaviest", "moved", "mass", "gain")
        found = [
            Figure(name, value, len(some)) for name in names if (value := getattr(seen, name)) is not None
        ]
        marks = punctuation_tokens(system.tokenizer.words())
        mass = punctuation_mass(system.network, some, system.device, marks)
        if mass is not None:
            found.append(Figure("on_punctuation", mass.weight, len(some), None, {"even": mass.even}))
        return [*found, *(Figure(name, value, len(some)) for name, value in seen.gauges.items())]

    def _calibration(self, system: System, encoded: EncodedPairs) -> list[Figure]:
        some = take(encoded, LOOKED_AT)
        tokens = token_sureness(system.network, some, system.device)
        return [Figure("token_calibration_error", tokens.error(), len(tokens.sure))]

    def _speed(self, system: System) -> list[Figure]:
        """Seconds for a reply, one question at a time."""
        pairs = _spread(self.questions.pairs, TIMED)
        system.answer(pairs[:1])
        seconds = []
        for number, pair in enumerate(pairs):
            self.tell("timing replies", number, len(pairs))
            begun = time.perf_counter()
            system.answer([pair])
            seconds.append(time.perf_counter() - begun)
        return [
            Figure("seconds_median", float(np.median(seconds)), len(pairs)),
            Figure("seconds_90", float(np.quantile(seconds, 0.9)), len(pairs)),
        ]


def _sureness(answers: Sequence[Answered]) -> tuple[str, list[float]]:
    """How sure each reply is: its confidence where all have one, else its score."""
    confidences = [getattr(answer, "confidence", None) for answer in answers]
    known = [float(each) for each in confidences if each is not None]
    return ("confidence", known) if len(known) == len(answers) else ("score", [a.score for a in answers])


def _spread(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """At most so many pairs, spread evenly over all."""
    rows = np.linspace(0, len(pairs) - 1, min(most, len(pairs))).round().astype(int)
    return [pairs[row] for row in rows]


def _machine(system: System) -> str:
    """What the figures of speed were measured on."""
    device = system.device.type
    return f"{platform.machine()}, {os.cpu_count()} CPUs, {torch.get_num_threads()} threads, {device}"
